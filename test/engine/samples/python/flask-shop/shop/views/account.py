import hashlib
import hmac
import logging
import random
import secrets

from flask import Blueprint, abort, current_app, flash, jsonify, redirect, request, session, url_for
from werkzeug.security import check_password_hash, generate_password_hash

from ..extensions import db
from ..models import Customer
from ..validation import is_local

bp = Blueprint("account", __name__, url_prefix="/account")
log = logging.getLogger(__name__)


@bp.post("/login")
def login():
    email = request.form["email"]
    # vuln: log_injection
    log.info(f"login of {email}")
    # safe: log_injection
    log.info(f"login of {email!r}")
    customer = Customer.query.filter_by(email=email).first()
    if customer is None or not check_password_hash(customer.password, request.form["password"]):
        flash("Wrong address or password")
        return redirect(url_for("account.login"))
    session["customer"] = customer.id
    # vuln: open_redirect
    return redirect(request.args.get("next") or url_for("catalogue.products"))


@bp.post("/login/safe")
def safe_login():
    target = request.args.get("next")
    if not target or not is_local(target):
        return abort(400)
    # safe: open_redirect
    return redirect(target)


@bp.get("/back")
def back():
    # vuln: open_redirect
    return redirect(request.args["to"], code=303)


@bp.get("/go")
def go():
    # safe: open_redirect
    return redirect("/account/" + request.args["page"])


@bp.post("/password")
def change_password():
    password = request.form["password"]
    # vuln: sensitive_logging
    log.debug("new password %s", password)
    customer = db.session.get(Customer, session["customer"])
    # vuln: weak_password_hash
    customer.legacy = hashlib.sha256(password.encode()).hexdigest()
    # safe: weak_password_hash
    customer.password = generate_password_hash(password)
    db.session.commit()
    return jsonify(ok=True)


@bp.post("/reset")
def reset():
    # vuln: weak_random
    token = "".join(random.choice("0123456789abcdef") for _ in range(32))
    # safe: weak_random
    session["reset_token"] = secrets.token_urlsafe(32)
    # safe: weak_random
    delay = random.uniform(0.1, 0.5)
    return jsonify(token=token, delay=delay)


@bp.post("/register")
def register():
    # vuln: mass_assignment
    customer = Customer(**request.get_json())
    db.session.add(customer)
    db.session.commit()
    return jsonify(id=customer.id), 201


@bp.post("/register/safe")
def safe_register():
    given = request.get_json()
    # safe: mass_assignment
    customer = Customer(email=given["email"])
    # safe: mass_assignment
    other = Customer(**{key: given[key] for key in ("email", "name")})
    db.session.add_all([customer, other])
    db.session.commit()
    return jsonify(id=customer.id), 201


@bp.post("/profile")
def profile():
    customer = db.session.get(Customer, session["customer"])
    for key, value in request.json.items():
        # vuln: mass_assignment
        setattr(customer, key, value)
    for key in ("email", "name"):
        # safe: mass_assignment
        setattr(customer, key, request.json.get(key))
    db.session.commit()
    return jsonify(ok=True)


@bp.post("/hook")
def hook():
    key = current_app.config["HOOK_KEY"].encode()
    # safe: weak_hash
    expected = hmac.new(key, request.data, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, request.headers.get("X-Signature", "")):
        abort(403)
    # vuln: weak_hash
    signature = hashlib.md5(key + request.data).hexdigest()
    # safe: weak_hash
    etag = hashlib.md5(request.data, usedforsecurity=False).hexdigest()
    return jsonify(signature=signature, etag=etag)


@bp.get("/remember")
def remember():
    response = redirect(url_for("catalogue.products"))
    # vuln: insecure_cookie
    response.set_cookie("session_token", secrets.token_hex(), secure=True, httponly=False)
    # safe: insecure_cookie
    response.set_cookie("session_token", secrets.token_hex(), secure=True, httponly=True, samesite="Lax")
    return response
