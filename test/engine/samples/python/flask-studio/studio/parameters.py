class Parameters:
    def __init__(self, request):
        self.request = request

    def text(self, name):
        return self.request.args.get(name, "")

    def unit(self):
        return "ms"


def order_of(request, known):
    given = request.get_json()
    if given is None or given.get("order") not in known:
        return None, ("no such order", 400)
    return given, None
