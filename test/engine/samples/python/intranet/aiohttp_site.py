import os

from aiohttp import ClientSession, web

routes = web.RouteTableDef()
REPORTS = "/srv/reports"


@routes.get("/report/{name}")
async def report(request):
    name = request.match_info["name"]
    # vuln: path_traversal
    return web.FileResponse(REPORTS + "/" + name)


@routes.get("/safe/{name}")
async def safe_report(request):
    name = os.path.basename(request.match_info["name"])
    # safe: path_traversal
    return web.FileResponse(REPORTS + "/" + name)


@routes.get("/hello")
async def hello(request):
    name = request.query["name"]
    if name == "":
        # safe: xss
        return web.Response(text="Hello " + request.query["other"], content_type="text/plain")
    # vuln: xss
    return web.Response(text=f"<h1>{name}</h1>", content_type="text/html")


@routes.post("/fetch")
async def fetch(request: web.Request):
    given = await request.json()
    async with ClientSession() as session:
        # vuln: ssrf
        first = await session.get(given["url"])
        # safe: ssrf
        second = await session.get("https://example.org/items/" + given["id"])
    if first.status != second.status:
        # vuln: open_redirect
        raise web.HTTPFound(given["next"])
    # safe: open_redirect
    raise web.HTTPFound("/report")
