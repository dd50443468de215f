class Parameters:
    def __init__(self, request):
        self.request = request

    def text(self, name):
        return self.request.args.get(name, "")

    def unit(self):
        return "ms"
