import logging
import os
import subprocess
import urllib.request
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.files.storage import default_storage
from django.db.models.expressions import RawSQL
from django.http import FileResponse, Http404, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template import Context, Template
from django.utils.html import escape, format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import mark_safe
from django.views import View
from django.views.generic import DetailView, ListView, TemplateView

from .forms import LoanForm
from .models import Book, search_by_author, search_by_author_bound

logger = logging.getLogger(__name__)
MEDIA = Path("/srv/library/media")


def by_author(request):
    author = request.GET.get("author", "")
    rows = search_by_author(author) or search_by_author_bound(author)
    return JsonResponse({"rows": rows})


def raw_books(request):
    title = request.GET["title"]
    # vuln: sql_injection
    books = Book.objects.raw("SELECT * FROM loans_book WHERE title = '" + title + "'")
    # safe: sql_injection
    others = Book.objects.raw("SELECT * FROM loans_book WHERE title = %s", [title])
    # vuln: sql_injection
    extra = Book.objects.extra(where=["title = '%s'" % title])
    # safe: sql_injection
    more = Book.objects.extra(where=["title = %s"], params=[title])
    # vuln: sql_injection
    annotated = Book.objects.annotate(found=RawSQL("SELECT '" + title + "'", []))
    # safe: sql_injection
    named = Book.objects.filter(title__contains=title).order_by("title")
    return render(request, "books.html", {"books": [*books, *others, *extra, *more, *annotated, *named]})


def hello(request):
    name = request.GET.get("name", "you")
    # vuln: xss
    return HttpResponse("<h1>Hello %s</h1>" % name)


def hello_escaped(request):
    name = request.GET.get("name", "you")
    # safe: xss
    return HttpResponse("<h1>Hello %s</h1>" % escape(name))


def hello_plain(request):
    # safe: xss
    return HttpResponse(request.GET.get("name", "you"), content_type="text/plain")


def hello_format(request):
    # safe: xss
    return HttpResponse(format_html("<h1>Hello {}</h1>", request.GET.get("name")))


def banner(request, text):
    # vuln: xss
    html = mark_safe(f"<b>{request.POST['text']}</b>")
    # safe: xss
    fixed = mark_safe("<b>fixed</b>")
    return render(request, "banner.html", {"html": html, "fixed": fixed, "text": text})


def login_done(request):
    target = request.GET.get("next", "/")
    if url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()}):
        # safe: open_redirect
        return redirect(target)
    # vuln: open_redirect
    return HttpResponseRedirect(request.GET["next"])


@login_required
def cover(request, pk):
    book = get_object_or_404(Book, pk=pk)
    # vuln: path_traversal
    return FileResponse(open(os.path.join(MEDIA, request.GET["file"]), "rb"), filename=book.title)


@login_required
def cover_of_id(request, pk):
    # safe: path_traversal
    return FileResponse(open(os.path.join(MEDIA, f"{int(pk)}.jpg"), "rb"))


@login_required
def cover_by_name(request):
    path = (MEDIA / request.GET["file"]).resolve()
    if MEDIA not in path.parents:
        raise Http404
    # safe: path_traversal
    return FileResponse(path.open("rb"))


@login_required
def convert(request):
    size = request.POST["size"]
    # vuln: command_injection
    subprocess.call("convert in.png -resize " + size + " out.png", shell=True)
    if not size.isdigit():
        raise Http404
    # safe: command_injection
    subprocess.call("convert in.png -resize " + size + " out.png", shell=True)
    return HttpResponse(status=204)


def loan(request):
    form = LoanForm(request.POST)
    if not form.is_valid():
        return JsonResponse(form.errors, status=400)
    state = form.cleaned_data["state"]
    logger.info("loan of %d", form.cleaned_data["book"])
    # vuln: xss
    return HttpResponse("<p>" + form.cleaned_data["note"] + "</p>" + state)


def preview(request):
    # vuln: ssti
    template = Template(request.POST["body"])
    # safe: ssti
    other = Template("{{ body }}")
    return HttpResponse(template.render(Context({})) + other.render(Context({"body": request.POST["body"]})))


class SearchView(View):
    def get(self, request, *args, **kwargs):
        term = request.GET.get("term")
        # vuln: sql_injection
        found = Book.objects.raw(f"SELECT * FROM loans_book WHERE title LIKE '%{term}%'")
        return JsonResponse({"found": [b.pk for b in found]})

    def post(self, request):
        # vuln: ssrf
        with urllib.request.urlopen(request.POST["url"]) as page:
            return JsonResponse({"status": page.status})


class BookList(ListView):
    model = Book
    template_name = "books.html"

    def get_queryset(self):
        title = self.request.GET.get("title", "")
        # vuln: sql_injection
        return super().get_queryset().extra(where=[f"title LIKE '%{title}%'"])

    def get_context_data(self, **kwargs):
        context = super().get_context_data(**kwargs)
        # vuln: xss
        context["term"] = mark_safe(self.request.GET.get("title", ""))
        # safe: xss
        context["plain"] = self.request.GET.get("title", "")
        return context


class BookDetail(DetailView):
    def get(self, request, slug):
        # safe: xss
        return HttpResponse(f"<h1>{slug}</h1>")


class Notes(TemplateView):
    def post(self, request):
        given = request.FILES["notes"]
        # vuln: path_traversal
        with open("/srv/notes/" + given.name, "wb") as out:
            for chunk in given.chunks():
                out.write(chunk)
        # safe: path_traversal
        default_storage.save("notes/" + given.name, given)
        # safe: path_traversal
        with open(settings.NOTES_FILE, "ab") as out:
            out.write(given.read())
        return redirect("notes")
