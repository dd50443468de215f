"""Parcels in SQLite, through the DB-API."""

import sqlite3


def connect(path="parcels.db"):
    return sqlite3.connect(path)


class Store:
    def __init__(self, connection):
        self.connection = connection

    def find(self, sender):
        cursor = self.connection.cursor()
        # vuln: sql_injection
        cursor.execute("SELECT * FROM parcels WHERE sender = '%s'" % sender)
        return cursor.fetchall()

    def find_safe(self, sender):
        cursor = self.connection.cursor()
        # safe: sql_injection
        cursor.execute("SELECT * FROM parcels WHERE sender = ?", (sender,))
        return cursor.fetchall()

    def sorted_by(self, column):
        if column not in ("sender", "weight"):
            raise ValueError(column)
        # safe: sql_injection
        return self.connection.execute(f"SELECT * FROM parcels ORDER BY {column}").fetchall()

    def heavier(self, weight):
        # safe: sql_injection
        return self.connection.execute("SELECT * FROM parcels WHERE weight > " + str(int(weight))).fetchall()

    def remove(self, key):
        # vuln: sql_injection
        self.connection.executescript(f"DELETE FROM parcels WHERE id = {key}; VACUUM")
