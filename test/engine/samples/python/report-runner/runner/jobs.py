import os
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from threading import Thread

from flask import Blueprint, abort, request

jobs = Blueprint("jobs", __name__)
executor = ThreadPoolExecutor(2)


@dataclass
class Job:
    name: str
    copies: int


def lines(given):
    for line in given:
        yield line.strip()


def quoted(given):
    for line in lines(given):
        yield shlex.quote(line)


@contextmanager
def work_folder(name):
    path = "/srv/work/" + name
    yield path


def with_report(view):
    @wraps(view)
    def inner(*args, **kwargs):
        return view(request.args["report"], *args, **kwargs)

    return inner


def with_number(view):
    @wraps(view)
    def inner(*args, **kwargs):
        return view(int(request.args["number"]), *args, **kwargs)

    return inner


def render(name):
    # vuln: command_injection
    os.system("render " + name)


def archive(name):
    # vuln: command_injection
    subprocess.run("tar cf - " + name, shell=True)


def count(number):
    # safe: command_injection
    subprocess.run(f"seq {number}", shell=True)


@jobs.route("/lines")
def print_lines():
    for line in lines(request.args.getlist("line")):
        # vuln: command_injection
        os.system("echo " + line)
    for line in quoted(request.args.getlist("line")):
        # safe: command_injection
        os.system("echo " + line)
    return {"ok": True}


@jobs.route("/job")
def run_job():
    job = Job(request.args["name"], int(request.args["copies"]))
    # vuln: command_injection
    os.system(f"lp {job.name}")
    # safe: command_injection
    os.system(f"lp -n {job.copies} report.pdf")
    return {"ok": True}


@jobs.route("/folder")
def list_folder():
    with work_folder(request.args["folder"]) as path:
        # vuln: path_traversal
        return {"files": os.listdir(path)}


@jobs.route("/report")
@with_report
def show_report(report):
    # vuln: path_traversal
    with open("/srv/reports/" + report) as file:
        return {"text": file.read()}


@jobs.route("/page")
@with_number
def show_page(number):
    # safe: path_traversal
    with open(f"/srv/reports/{number}") as file:
        return {"text": file.read()}


@jobs.route("/start")
def start():
    executor.submit(render, request.args["name"])
    Thread(target=archive, args=(request.args["name"],)).start()
    executor.map(count, [int(n) for n in request.args.getlist("n")])
    if "name" not in request.args:
        abort(400)
    return {"ok": True}
