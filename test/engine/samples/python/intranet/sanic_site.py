from sanic import Sanic, html, json, redirect
from sanic.response import file, text

app = Sanic("intranet")
FILES = {"rules": "/srv/files/rules.pdf"}


@app.get("/hello/<name>")
async def hello(request, name):
    # vuln: xss
    return html("<h1>" + name + "</h1>")


@app.get("/plain/<name>")
async def plain(request, name):
    # safe: xss
    return text(name)


@app.post("/run")
async def run(request):
    # vuln: code_injection
    return json({"value": eval(request.json["expression"])})


@app.get("/file")
async def files(request):
    name = request.args.get("name")
    if name in FILES:
        # safe: path_traversal
        return await file(FILES[name])
    # vuln: path_traversal
    return await file("/srv/files/" + name)


@app.get("/go")
async def go(request):
    # vuln: open_redirect
    return redirect(request.args.get("to"))
