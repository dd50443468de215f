import json
import os

from flask import Blueprint, request

from .programs import run, run_fixed, run_later, run_started

printing = Blueprint("printing", __name__)


@printing.post("/print")
def show():
    name = request.form["name"]
    run([name, "--quiet"])
    run_fixed(["lpr", "--", name])
    run_started(["sudo", name])
    return ""


@printing.post("/status")
async def status():
    told = json.loads(await run_later(["lpstat", "-p", request.form["printer"]]))
    # safe: command_injection
    os.system("lpr " + told["queue"])
    return ""
