from flask import *

from .services import catalogue, read_mix, read_take

app = Flask(__name__)


@app.route("/suggest")
def suggest():
    # safe: xss
    return catalogue.suggestions(request.args.get("q"))


@app.route("/heading")
def heading():
    # vuln: xss
    return catalogue.heading(request.args.get("title"))


@app.route("/search")
def search():
    return jsonify(catalogue.search(request.args.get("q")))


@app.route("/artist")
def artist():
    found, cover = catalogue.of_artist(request.args.get("name"))
    return jsonify(title=found.title, size=len(cover))


@app.route("/takes")
def takes():
    return jsonify(read_take(request.args["name"]), read_mix(request.args["name"]))


@app.route("/lyrics")
def lyrics():
    # safe: xss
    return request.args["text"], 200, {"Content-Type": "text/plain; charset=utf-8"}


@app.route("/lyrics/raw")
def raw_lyrics():
    # safe: xss
    return Response(request.args["text"], headers={"Content-Type": "text/plain"})


@app.route("/lyrics/page")
def lyrics_page():
    # vuln: xss
    return "<pre>" + request.args["text"] + "</pre>", 200, {"X-Robots-Tag": "noindex"}
