import sqlite3

import graphene


class Query(graphene.ObjectType):
    people = graphene.List(graphene.String, name=graphene.String())

    def resolve_people(self, info, name):
        database = sqlite3.connect("people.db")
        # vuln: sql_injection
        rows = database.execute("SELECT name FROM people WHERE name LIKE '%" + name + "%'").fetchall()
        # safe: sql_injection
        return rows + database.execute("SELECT name FROM people WHERE name = ?", (name,)).fetchall()
