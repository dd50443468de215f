import os
import pickle
import sqlite3

import falcon


class Rooms:
    def on_get(self, req, resp, floor):
        database = sqlite3.connect("rooms.db")
        # vuln: sql_injection
        resp.media = database.execute(f"SELECT * FROM rooms WHERE floor = '{floor}'").fetchall()
        # safe: sql_injection
        resp.media += database.execute("SELECT * FROM rooms WHERE size > ?", (req.get_param("size"),)).fetchall()

    def on_post(self, req, resp):
        # vuln: deserialization
        resp.media = pickle.loads(req.bounded_stream.read())

    def on_delete(self, req, resp):
        # vuln: path_traversal
        os.remove("/srv/rooms/" + req.params["plan"])
        # safe: path_traversal
        os.remove("/srv/rooms/" + os.path.basename(req.params["plan"]))
        # vuln: open_redirect
        raise falcon.HTTPFound(req.get_param("next"))


app = falcon.App()
app.add_route("/rooms/{floor}", Rooms())
