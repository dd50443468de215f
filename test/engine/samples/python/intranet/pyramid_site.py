import subprocess

from pyramid.httpexceptions import HTTPFound
from pyramid.response import FileResponse, Response
from pyramid.view import view_config


@view_config(route_name="hello")
def hello(request):
    # vuln: xss
    return Response("<h1>" + request.params["name"] + "</h1>")


@view_config(route_name="text")
def text(request):
    # safe: xss
    return Response(request.params["name"], content_type="text/plain")


@view_config(route_name="file")
def file(request):
    # vuln: path_traversal
    return FileResponse("/srv/files/" + request.matchdict["name"])


@view_config(route_name="run", renderer="json")
def run(context, request):
    # vuln: command_injection
    subprocess.run("du -s " + request.json_body["folder"], shell=True, check=False)
    # safe: command_injection
    subprocess.run(["du", "-s", "--", request.json_body["folder"]], check=False)
    # vuln: open_redirect
    return HTTPFound(location=request.GET["next"])
