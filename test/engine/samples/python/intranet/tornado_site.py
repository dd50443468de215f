import sqlite3

import tornado.escape
import tornado.web
from tornado.httpclient import AsyncHTTPClient


class People(tornado.web.RequestHandler):
    def get(self, department):
        name = self.get_argument("name")
        # vuln: xss
        self.write("<h1>" + name + "</h1>")
        # safe: xss
        self.write("<h1>" + tornado.escape.xhtml_escape(name) + "</h1>")
        # safe: xss
        self.write({"name": name})
        rows = sqlite3.connect("people.db").cursor()
        # vuln: sql_injection
        rows.execute("SELECT * FROM people WHERE department = '" + department + "'")
        # safe: sql_injection
        rows.execute("SELECT * FROM people WHERE department = ?", (department,))

    async def post(self):
        # vuln: ssrf
        page = await AsyncHTTPClient().fetch(self.get_body_argument("url"))
        # safe: ssrf
        await AsyncHTTPClient().fetch("https://example.org/" + self.get_body_argument("id"))
        self.set_header("Content-Type", "text/plain")
        # safe: xss
        self.write(page.body)
        # vuln: open_redirect
        self.redirect(self.get_argument("next"))
        # safe: open_redirect
        self.redirect("/people")


# vuln: debug_mode
application = tornado.web.Application([(r"/people/(.*)", People)], debug=True)
