"""The gateway of partners, plain WSGI."""

import html
from urllib.parse import parse_qs
from urllib.request import urlopen
from wsgiref.simple_server import make_server

PARTNERS = {"north": "https://north.example.org/", "south": "https://south.example.org/"}


def application(environ, start_response):
    given = parse_qs(environ["QUERY_STRING"])
    start_response("200 OK", [("Content-Type", "text/html")])
    if environ["PATH_INFO"] == "/fetch":
        # vuln: ssrf
        return [urlopen(given["url"][0]).read()]
    if environ["PATH_INFO"] == "/partner":
        name = given["name"][0]
        # safe: ssrf
        return [urlopen(PARTNERS[name]).read()]
    name = given["name"][0]
    if environ["PATH_INFO"] == "/greet":
        # vuln: xss
        return [b"<h1>Hello " + name.encode() + b"</h1>"]
    # safe: xss
    return [f"<h1>Hello {html.escape(name)}</h1>".encode()]


if __name__ == "__main__":
    make_server("127.0.0.1", 8001, application).serve_forever()
