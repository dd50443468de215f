from urllib.parse import urlsplit

from flask import Blueprint, redirect, request, url_for

leaving = Blueprint("leaving", __name__)


@leaving.route("/back")
def back():
    # safe: open_redirect
    return redirect(request.referrer or url_for("leaving.done"))


@leaving.route("/header")
def header():
    # safe: open_redirect
    return redirect(request.headers.get("Referer", "/"))


@leaving.route("/done")
def done():
    target = request.args.get("next", "")
    if target.startswith("/") and not target.startswith("//"):
        # safe: open_redirect
        return redirect(target)
    # vuln: open_redirect
    return redirect(target)


@leaving.route("/inside")
def inside():
    target = request.args.get("next")
    if not target or urlsplit(target).netloc:
        target = url_for("leaving.done")
    # safe: open_redirect
    return redirect(target)


@leaving.route("/outside")
def outside():
    target = request.args.get("next")
    if urlsplit(target).netloc:
        # vuln: open_redirect
        return redirect(target)
    return ""
