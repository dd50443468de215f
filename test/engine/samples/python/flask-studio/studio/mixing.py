import configparser
import os

from flask import Blueprint, request

from .parameters import Parameters, order_of

mixing = Blueprint("mixing", __name__)


@mixing.route("/profile")
def profile():
    settings = configparser.ConfigParser()
    settings.add_section("output")
    settings.set("output", "device", "default")
    settings.set("output", "format", request.args["format"])
    # safe: command_injection
    os.system("play --device " + settings.get("output", "device"))
    # vuln: command_injection
    os.system("play --format " + settings.get("output", "format"))
    # vuln: command_injection
    os.system("play --format " + settings["output"]["format"])
    return ""


@mixing.route("/channel")
def channel():
    wanted = request.args["channel"]
    match "LRM"[1]:
        case "L":
            side = wanted
        case "R":
            side = "right"
        case _:
            side = wanted
    # safe: command_injection
    os.system("play --side " + side)
    match "LRM"[-1]:
        case "L" | "R":
            side = "right"
        case _:
            side = wanted
    # vuln: command_injection
    os.system("play --side " + side)
    return ""


@mixing.route("/delay")
def delay():
    given = Parameters(request)
    # vuln: command_injection
    os.system("delay " + given.text("length"))
    # safe: command_injection
    os.system("delay --in " + given.unit())
    # vuln: command_injection
    os.system("delay --from " + request.view_args["start"] + request.referrer)
    return ""


def silence():
    # vuln: xss
    return "<p>No sound in " + request.args["room"] + "</p>"


mixing.add_url_rule("/silence", view_func=silence)


@mixing.post("/order")
def order():
    given, answer = order_of(request, {"mix", "master"})
    if answer is not None:
        # safe: xss
        return answer
    # vuln: command_injection
    os.system("order " + given["client"])
    return ""
