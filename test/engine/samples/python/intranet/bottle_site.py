import html
import os

from bottle import Bottle, HTTPResponse, redirect, request, response, static_file, template

app = Bottle()


@app.get("/hello/<name>")
def hello(name):
    # vuln: xss
    return "<h1>Hello " + name + "</h1>"


@app.get("/safe/<name>")
def safe_hello(name):
    # safe: xss
    return "<h1>Hello " + html.escape(name) + "</h1>"


@app.get("/number/<number:int>")
def number(number):
    # safe: xss
    return f"<h1>{number}</h1>"


@app.post("/run")
def run():
    # vuln: command_injection
    os.system("convert " + request.forms.get("file"))
    # vuln: ssti
    return template(request.forms.get("page"))


@app.get("/page")
def page():
    # safe: ssti
    return template("page.tpl", name=request.query.name)


@app.get("/files/<name>")
def files(name):
    # safe: path_traversal
    return static_file(name, root="/srv/files")


@app.get("/go")
def go():
    response.set_header("X-Frame-Options", "DENY")
    if request.query.to == "":
        # safe: open_redirect
        redirect("/hello")
    # vuln: open_redirect
    redirect(request.query.to)
    return HTTPResponse(status=204)
