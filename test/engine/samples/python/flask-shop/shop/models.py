from .extensions import db


class Product(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(80))
    price = db.Column(db.Numeric)


class Customer(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    email = db.Column(db.String(120))
    is_admin = db.Column(db.Boolean, default=False)

    def __init__(self, **fields):
        for key, value in fields.items():
            setattr(self, key, value)
