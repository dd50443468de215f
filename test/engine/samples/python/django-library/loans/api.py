import pickle
import traceback

from django.db import connection
from rest_framework import status, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.response import Response
from rest_framework.views import APIView

from .models import Book
from .serializers import BookSerializer


@api_view(["POST"])
def restore(request):
    # vuln: deserialization
    state = pickle.loads(request.data["state"].encode("latin-1"))
    # safe: xss
    return Response({"state": str(state), "echo": request.data["state"]})


class BookSearch(APIView):
    def get(self, request):
        column = request.query_params.get("sort", "title")
        if column not in ("title", "author"):
            return Response(status=status.HTTP_400_BAD_REQUEST)
        with connection.cursor() as cursor:
            # safe: sql_injection
            cursor.execute(f"SELECT id FROM loans_book ORDER BY {column}")
            found = cursor.fetchall()
            # vuln: sql_injection
            cursor.execute(f"SELECT id FROM loans_book LIMIT {request.query_params['limit']}")
            return Response(found + cursor.fetchall())


class BookViewSet(viewsets.ModelViewSet):
    serializer_class = BookSerializer

    def get_queryset(self):
        author = self.request.query_params.get("author")
        # vuln: sql_injection
        return Book.objects.raw("SELECT * FROM loans_book WHERE author = '%s'" % author)

    def create(self, request):
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        # safe: mass_assignment
        serializer.save()
        # vuln: mass_assignment
        Book.objects.create(**request.data)
        return Response(serializer.data, status=status.HTTP_201_CREATED)

    @action(detail=True, methods=["post"])
    def rename(self, request, pk=None):
        try:
            book = Book.objects.get(pk=pk)
            book.title = request.data["title"]
            book.save()
        except Exception:
            # vuln: verbose_error
            return Response({"error": traceback.format_exc()}, status=500)
        return Response(status=204)

    @action(detail=True, methods=["post"])
    def lend(self, request, pk=None):
        with connection.cursor() as cursor:
            # vuln: sql_injection
            cursor.execute("UPDATE loans_book SET lent = TRUE WHERE id = " + pk)
        # vuln: sql_injection
        return Response(Book.objects.extra(order_by=[request.data["sort"]]).values())
