import os
import pathlib
import tarfile
import zipfile

from flask import Blueprint, abort, current_app, request, send_file, send_from_directory
from werkzeug.utils import secure_filename

from ..validation import check_name

bp = Blueprint("files", __name__, url_prefix="/files")
BASE = "/srv/shop/files"
ALLOWED = {"png", "jpg", "gif"}


def allowed_file(name):
    return "." in name and name.rsplit(".", 1)[1].lower() in ALLOWED


@bp.get("/raw")
def raw():
    # vuln: path_traversal
    return send_file(os.path.join(BASE, request.args["name"]))


@bp.get("/directory")
def directory():
    # safe: path_traversal
    return send_from_directory(BASE, request.args["name"])


@bp.get("/secure")
def secure():
    # safe: path_traversal
    return send_file(os.path.join(BASE, secure_filename(request.args["name"])))


@bp.get("/checked")
def checked():
    path = os.path.realpath(os.path.join(BASE, request.args["name"]))
    if not path.startswith(BASE + os.sep):
        abort(403)
    # safe: path_traversal
    with open(path) as handle:
        return handle.read(), 200, {"Content-Type": "text/plain"}


@bp.get("/unchecked")
def unchecked():
    path = os.path.join(BASE, request.args["name"])
    if not path.startswith(BASE):
        abort(403)
    # vuln: path_traversal
    with open(path) as handle:
        return handle.read(), 200, {"Content-Type": "text/plain"}


@bp.get("/common")
def common():
    path = os.path.abspath(os.path.join(BASE, request.args["name"]))
    if os.path.commonpath([BASE, path]) != BASE:
        abort(403)
    # safe: path_traversal
    return send_file(path)


@bp.get("/relative")
def relative():
    root = pathlib.Path(BASE)
    path = (root / request.args["name"]).resolve()
    if not path.is_relative_to(root):
        abort(403)
    # safe: path_traversal
    return path.read_text()


@bp.get("/loose")
def loose():
    path = pathlib.Path(BASE) / request.args["name"]
    # vuln: path_traversal
    return path.read_text(), 200, {"Content-Type": "text/plain"}


@bp.get("/named/<name>")
def named(name):
    # safe: path_traversal
    return send_file(os.path.join(BASE, check_name(name) + ".pdf"))


@bp.delete("/<path:name>")
def remove(name):
    # vuln: path_traversal
    os.remove(BASE + "/" + name)
    return "", 204


@bp.delete("/old/<int:number>")
def remove_old(number):
    # safe: path_traversal
    os.remove(f"{BASE}/{number}.txt")
    return "", 204


@bp.post("/")
def upload():
    given = request.files["file"]
    # vuln: path_traversal
    given.save(os.path.join(BASE, given.filename))
    return "", 201


@bp.post("/safe")
def safe_upload():
    given = request.files.get("file")
    if given and allowed_file(given.filename):
        name = secure_filename(given.filename)
        # safe: path_traversal
        # safe: unrestricted_upload
        given.save(os.path.join(current_app.config["UPLOADS"], name))
    return "", 201


@bp.post("/archive")
def archive():
    with tarfile.open(fileobj=request.files["archive"].stream) as tar:
        # vuln: path_traversal
        tar.extractall(BASE)
    with tarfile.open(fileobj=request.files["archive"].stream) as tar:
        # safe: path_traversal
        tar.extractall(BASE, filter="data")
    with zipfile.ZipFile(request.files["archive"]) as archive:
        for entry in archive.namelist():
            # vuln: path_traversal
            with open(os.path.join(BASE, entry), "wb") as out:
                out.write(archive.read(entry))
    return "", 201
