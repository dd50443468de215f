"""An application that is made by a function, as most larger ones of Flask are."""
import sqlite3

from flask import Flask, request

from .jobs import jobs


def create_app(config):
    app = Flask(__name__)
    connection = sqlite3.connect(config["database"])

    @app.route("/reports")
    def reports():
        title = request.args["title"]
        # vuln: sql_injection
        connection.execute("SELECT * FROM reports WHERE title = '" + title + "'")
        # safe: sql_injection
        connection.execute("SELECT * FROM reports WHERE title = ?", (title,))
        return {"ok": True}

    app.register_blueprint(jobs)
    return app
