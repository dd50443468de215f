import re
from urllib.parse import urljoin, urlparse

from flask import abort, request

NAME = re.compile(r"[a-z0-9_-]{1,40}")


def check_name(name):
    """Ends the request unless the name is a plain one."""
    if not NAME.fullmatch(name or ""):
        abort(400)
    return name


def is_local(target):
    host = urlparse(request.host_url)
    other = urlparse(urljoin(request.host_url, target))
    return other.scheme in ("http", "https") and host.netloc == other.netloc
