import os

from flask import Flask

from .extensions import db
from .views.account import bp as account
from .views.catalogue import bp as catalogue
from .views.files import bp as files
from .views.tools import bp as tools


def create_app():
    app = Flask(__name__)
    # safe: hardcoded_key
    app.config["SECRET_KEY"] = os.environ["SECRET_KEY"]
    app.config["SQLALCHEMY_DATABASE_URI"] = os.environ["DATABASE_URL"]
    app.config.update(
        # vuln: insecure_cookie
        SESSION_COOKIE_HTTPONLY=False,
        # safe: insecure_cookie
        SESSION_COOKIE_SECURE=True,
    )
    db.init_app(app)
    for blueprint in (account, catalogue, files, tools):
        app.register_blueprint(blueprint)
    return app


if __name__ == "__main__":
    # vuln: debug_mode
    create_app().run(host="127.0.0.1", debug=True)
