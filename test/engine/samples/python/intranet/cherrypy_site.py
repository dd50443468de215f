import html
import os

import cherrypy


class Canteen:
    @cherrypy.expose
    def menu(self, day="monday"):
        # vuln: xss
        return "<h1>Menu of " + day + "</h1>"

    @cherrypy.expose
    def safe_menu(self, day="monday"):
        # safe: xss
        return "<h1>Menu of " + html.escape(day) + "</h1>"

    @cherrypy.expose
    def show(self, name):
        # vuln: path_traversal
        picture = open(os.path.join("/srv/menus", name), "rb")
        # safe: path_traversal
        other = open(os.path.join("/srv/menus", str(int(name))), "rb")
        return [picture.read(), other.read()]
