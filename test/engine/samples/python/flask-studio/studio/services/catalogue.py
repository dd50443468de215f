import json

from flask import current_app

from ..models import Session, Track


class Catalogue:
    def __init__(self, connection):
        self.connection = connection

    def suggestions(self, start):
        tracks = Session.query(Track).filter(Track.title.ilike(start + "%")).limit(10).all()
        return json.dumps([track.title for track in tracks])

    def heading(self, title):
        return "<h2>" + title + "</h2>"

    def search(self, term):
        # vuln: sql_injection
        return self.connection.execute("SELECT title FROM tracks WHERE title LIKE '" + term + "%'").fetchall()

    def of_artist(self, name):
        # vuln: sql_injection
        found = Session.query(Track).filter("artist = '%s'" % name).first()
        # safe: sql_injection
        kept = Session.query(Track).filter(Track.artist == name).first()
        # safe: path_traversal
        with open(kept.cover, "rb") as cover:
            return found, cover.read()
