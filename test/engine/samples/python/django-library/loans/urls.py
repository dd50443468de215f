from django.urls import path

from . import api, views

urlpatterns = [
    path("by-author", views.by_author),
    path("raw", views.raw_books),
    path("search", views.SearchView.as_view()),
    path("books", views.BookList.as_view()),
    path("books/<slug:slug>", views.BookDetail.as_view()),
    path("api/books", api.BookSearch.as_view()),
]
