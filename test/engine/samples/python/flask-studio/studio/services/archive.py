import os

FOLDER = "/srv/studio/archive"


def read_take(name):
    # vuln: path_traversal
    with open(os.path.join(FOLDER, name)) as take:
        return take.read()


def read_mix(name):
    # safe: path_traversal
    with open(os.path.join(FOLDER, os.path.basename(name))) as mix:
        return mix.read()
