import ast
import base64
import json
import os
import pickle
import re
import shlex
import subprocess
import traceback

import ldap
import ldap.filter
import requests
import yaml
from flask import Blueprint, abort, current_app, g, jsonify, request
from lxml import etree
from urllib.parse import urlparse

bp = Blueprint("tools", __name__, url_prefix="/tools")
HOSTS = {"api.example.org", "cdn.example.org"}


@bp.get("/ping")
def ping():
    host = request.args["host"]
    # vuln: command_injection
    os.system("ping -c 1 " + host)
    # vuln: command_injection
    subprocess.run(f"ping -c 1 {host}", shell=True, check=False)
    # safe: command_injection
    subprocess.run(["ping", "-c", "1", "--", host], check=False)
    # safe: command_injection
    subprocess.check_output("ping -c 1 " + shlex.quote(host), shell=True)
    # vuln: command_injection
    subprocess.Popen(["sh", "-c", "ping " + host])
    return "", 204


@bp.get("/calculate")
def calculate():
    expression = request.args["e"]
    # safe: code_injection
    constant = ast.literal_eval(expression)
    # vuln: code_injection
    return jsonify(value=eval(expression), constant=constant)


@bp.post("/load")
def load():
    # vuln: deserialization
    state = pickle.loads(base64.b64decode(request.cookies["state"]))
    # safe: deserialization
    other = json.loads(base64.b64decode(request.cookies["state"]))
    # vuln: deserialization
    settings = yaml.load(request.data, Loader=yaml.Loader)
    # safe: deserialization
    more = yaml.safe_load(request.data)
    return jsonify(state=state, other=other, settings=settings, more=more)


@bp.get("/fetch")
def fetch():
    url = request.args["url"]
    # vuln: ssrf
    page = requests.get(url, timeout=5)
    # safe: ssrf
    item = requests.get("https://api.example.org/items/" + request.args["id"], timeout=5)
    return jsonify(page=page.status_code, item=item.json())


@bp.get("/fetch/allowed")
def fetch_allowed():
    url = request.args["url"]
    if urlparse(url).hostname not in HOSTS:
        abort(400)
    # safe: ssrf
    return jsonify(status=requests.get(url, timeout=5).status_code)


@bp.get("/fetch/begins")
def fetch_begins():
    url = request.args["url"]
    if not url.startswith("https://api.example.org/"):
        abort(400)
    # safe: ssrf
    return jsonify(status=requests.get(url, timeout=5).status_code)


@bp.get("/fetch/begins/loosely")
def fetch_begins_loosely():
    url = request.args["url"]
    if not url.startswith("https://"):
        abort(400)
    # vuln: ssrf
    return jsonify(status=requests.get(url, timeout=5).status_code)


@bp.before_request
def remember_host():
    g.host = request.args.get("host", "")


@bp.get("/lookup")
def lookup():
    # vuln: command_injection
    os.system("nslookup " + g.host)
    # safe: command_injection
    os.system("nslookup " + shlex.quote(g.host))
    return "", 204


@bp.get("/fetch/unverified")
def fetch_unverified():
    # vuln: tls_verification
    return jsonify(requests.get("https://intern.example.org/", verify=False).json())


@bp.get("/people")
def people():
    name = request.args["name"]
    connection = ldap.initialize(current_app.config["LDAP"])
    # vuln: ldap_injection
    found = connection.search_s("dc=example", ldap.SCOPE_SUBTREE, "(uid=" + name + ")")
    safe = ldap.filter.escape_filter_chars(name)
    # safe: ldap_injection
    found += connection.search_s("dc=example", ldap.SCOPE_SUBTREE, "(uid=" + safe + ")")
    return jsonify(len(found))


@bp.post("/feed")
def feed():
    # vuln: xxe
    tree = etree.fromstring(request.data, etree.XMLParser(resolve_entities=True))
    # safe: xxe
    other = etree.fromstring(request.data, etree.XMLParser(resolve_entities=False, no_network=True))
    name = request.args["name"]
    # vuln: xpath_injection
    found = tree.xpath("//item[@name='" + name + "']")
    # safe: xpath_injection
    found += other.xpath("//item[@name=$name]", name=name)
    return jsonify(len(found))


@bp.get("/search")
def search():
    # vuln: redos
    pattern = re.compile(request.args["pattern"])
    # safe: redos
    other = re.compile(re.escape(request.args["pattern"]))
    return jsonify([bool(pattern.search("text")), bool(other.search("text"))])


@bp.get("/report")
def report():
    try:
        return jsonify(json.loads(request.args["data"]))
    except ValueError:
        current_app.logger.exception("report")
        # vuln: verbose_error
        return jsonify(error=traceback.format_exc()), 500


@bp.after_request
def allow_origins(response):
    # vuln: permissive_cors
    response.headers["Access-Control-Allow-Origin"] = request.headers.get("Origin")
    response.headers["Access-Control-Allow-Credentials"] = "true"
    return response
