from sqlalchemy import text

from .extensions import db

SORTABLE = {"name": "name", "price": "price"}


def find_products(term):
    query = f"SELECT id, name FROM product WHERE name LIKE '%{term}%'"
    # vuln: sql_injection
    return db.session.execute(text(query)).fetchall()


def find_products_bound(term):
    query = text("SELECT id, name FROM product WHERE name LIKE :term")
    # safe: sql_injection
    return db.session.execute(query, {"term": f"%{term}%"}).fetchall()


def sorted_products(column):
    if column not in SORTABLE:
        column = "name"
    # safe: sql_injection
    return db.session.execute(text("SELECT * FROM product ORDER BY " + column)).fetchall()


def sorted_by_lookup(column):
    order = SORTABLE.get(column, "name")
    # safe: sql_injection
    return db.session.execute(text(f"SELECT * FROM product ORDER BY {order}")).fetchall()


def page_of_products(offset, limit):
    # safe: sql_injection
    return db.session.execute(text("SELECT * FROM product LIMIT %d OFFSET %d" % (limit, offset)))


class OrderRepository:
    def __init__(self, session):
        self.session = session

    def by_state(self, state):
        # vuln: sql_injection
        return self.session.execute("SELECT * FROM orders WHERE state = '{}'".format(state))

    def by_customer(self, customer_id):
        # safe: sql_injection
        return self.session.execute("SELECT * FROM orders WHERE customer = :id", {"id": customer_id})
