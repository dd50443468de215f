"""The page for people, on http.server."""

import html
import json
import os
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

from .store import Store, connect

LABELS = "/srv/labels"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlparse(self.path)
        given = parse_qs(url.query)
        if url.path == "/find":
            self.find(given["sender"][0])
        elif url.path == "/label":
            self.label(given["name"][0])
        elif url.path == "/track":
            self.track(given["host"][0])

    def find(self, sender):
        rows = Store(connect()).find(sender)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        # vuln: xss
        self.wfile.write(f"<h1>Parcels of {sender}</h1>".encode())
        # safe: xss
        self.wfile.write(f"<h1>Parcels of {html.escape(sender)}</h1>".encode())
        # safe: xss
        self.wfile.write(f"<p>{len(rows)}</p>".encode())

    def label(self, name):
        # vuln: path_traversal
        with open(os.path.join(LABELS, name), "rb") as label:
            self.wfile.write(label.read())
        # safe: path_traversal
        with open(os.path.join(LABELS, os.path.basename(name)), "rb") as label:
            self.wfile.write(label.read())

    def track(self, host):
        # vuln: command_injection
        subprocess.run("traceroute " + host, shell=True, check=False)
        # safe: command_injection
        subprocess.run(["traceroute", "--", host], check=False)

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        # safe: xss
        self.wfile.write(json.dumps({"got": body.decode()}).encode())

    def do_PUT(self):
        # vuln: code_injection
        exec(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(302)
        # safe: open_redirect
        self.send_header("Location", self.headers["X-Next"])
        # safe: open_redirect
        self.send_header("Location", "/parcels")
        self.end_headers()


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 8000), Handler).serve_forever()
