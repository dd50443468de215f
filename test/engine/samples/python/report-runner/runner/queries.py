import sqlite3

from flask import Blueprint, abort, jsonify, request
from markupsafe import Markup

queries = Blueprint("queries", __name__)
FIELDS = ("name", "created_at")
COLUMNS = {"name": "reports.name", "date": "reports.created_at"}


def connect():
    return sqlite3.connect("/srv/reports.db")


@queries.route("/queries")
def list_reports():
    cursor = connect().cursor()
    page = request.args.get("page", 1, type=int)
    ids = request.args.getlist("id")
    # safe: sql_injection
    cursor.execute(f"SELECT * FROM reports LIMIT 20 OFFSET {page * 20}")
    # safe: sql_injection
    cursor.execute("SELECT * FROM reports WHERE id IN (%s)" % ",".join("?" * len(ids)), ids)
    # vuln: sql_injection
    cursor.execute("SELECT * FROM reports WHERE id IN (%s)" % ",".join(ids))
    # safe: sql_injection
    cursor.execute("SELECT * FROM reports ORDER BY " + COLUMNS.get(request.args.get("sort"), "name"))
    # vuln: sql_injection
    cursor.execute("SELECT * FROM reports ORDER BY " + request.args.get("sort", "name"))
    # safe: sql_injection
    cursor.execute("SELECT * FROM reports WHERE year = %d" % request.args["year"])
    # vuln: sql_injection
    cursor.execute("SELECT * FROM reports WHERE year = %d AND title = '%s'" % (request.args["year"], request.args["title"]))
    return jsonify(cursor.fetchall())


@queries.route("/columns", methods=["POST"])
def chosen_columns():
    cursor = connect().cursor()
    wanted = ", ".join(name for name in request.json if name in FIELDS)
    # safe: sql_injection
    cursor.execute(f"SELECT {wanted} FROM reports")
    named = ", ".join(name for name in request.json if name)
    # vuln: sql_injection
    cursor.execute(f"SELECT {named} FROM reports")
    return jsonify(cursor.fetchall())


@queries.route("/title")
def title():
    if "title" not in request.args:
        abort(400)
    # safe: xss
    return Markup("<h1>%s</h1>") % request.args["title"]


@queries.route("/raw-title")
def raw_title():
    # vuln: xss
    return Markup("<h1>%s</h1>" % request.args["title"])
