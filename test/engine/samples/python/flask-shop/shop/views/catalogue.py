from flask import Blueprint, Response, abort, jsonify, make_response, render_template, render_template_string, request
from flask.views import MethodView
from markupsafe import Markup, escape

from ..extensions import db
from ..models import Product
from ..repository import (
    OrderRepository,
    find_products,
    find_products_bound,
    page_of_products,
    sorted_by_lookup,
    sorted_products,
)

bp = Blueprint("catalogue", __name__)


@bp.route("/products")
def products():
    term = request.args.get("q", "")
    rows = find_products(term) if request.args.get("old") else find_products_bound(term)
    return render_template("products.html", rows=rows, term=term)


@bp.route("/products/sorted")
def products_sorted():
    column = request.args.get("by", "name")
    return jsonify([dict(row) for row in (*sorted_products(column), *sorted_by_lookup(column))])


@bp.route("/products/page")
def products_page():
    page = request.args.get("page", 1, type=int)
    return jsonify(list(page_of_products(page * 20, 20)))


@bp.get("/products/<name>/title")
def product_title(name):
    # vuln: xss
    return f"<h1>{name}</h1>"


@bp.get("/products/<int:number>/number")
def product_number(number):
    # safe: xss
    return f"<h1>{number}</h1>"


@bp.get("/products/<name>/safe-title")
def product_safe_title(name):
    # safe: xss
    return f"<h1>{escape(name)}</h1>"


@bp.get("/products/<name>/plain")
def product_plain(name):
    # safe: xss
    return Response(f"product: {name}", mimetype="text/plain")


@bp.get("/products/<name>/json")
def product_json(name):
    # safe: xss
    return {"name": name}


@bp.get("/greeting")
def greeting():
    # vuln: xss
    response = make_response("<p>Hello " + request.args["who"] + "</p>")
    response.headers["X-Frame-Options"] = "DENY"
    return response


@bp.get("/greeting/text")
def greeting_text():
    # safe: xss
    response = make_response("Hello " + request.args["who"])
    response.headers["Content-Type"] = "text/plain"
    return response


@bp.get("/banner")
def banner():
    # vuln: xss
    text = Markup("<b>%s</b>" % request.args.get("text"))
    return render_template("banner.html", text=text)


@bp.get("/banner/safe")
def safe_banner():
    # safe: xss
    text = Markup("<b>%s</b>") % request.args.get("text")
    return render_template("banner.html", text=text)


@bp.post("/preview")
def preview():
    body = request.form["body"]
    # vuln: ssti
    return render_template_string("<article>" + body + "</article>")


@bp.post("/preview/safe")
def safe_preview():
    body = request.form["body"]
    # safe: ssti
    return render_template_string("<article>{{ body }}</article>", body=body)


class OrderList(MethodView):
    def __init__(self):
        self.orders = OrderRepository(db.session)

    def get(self):
        state = request.args.get("state", "open")
        return jsonify([dict(row) for row in self.orders.by_state(state)])

    def post(self):
        customer = request.get_json().get("customer")
        return jsonify([dict(row) for row in self.orders.by_customer(customer)])


bp.add_url_rule("/orders", view_func=OrderList.as_view("orders"))


@bp.get("/products/filter")
def products_filter():
    name = request.args.get("name")
    # safe: sql_injection
    found = Product.query.filter_by(name=name).filter(Product.name.like(f"%{name}%")).all()
    # vuln: sql_injection
    found += Product.query.filter(db.text("name = '" + name + "'")).all()
    # vuln: sql_injection
    found += db.engine.execute("SELECT * FROM product WHERE name = '%s'" % name)
    if not found:
        abort(404)
    return jsonify([p.id for p in found])
