from django.db import connection, models


class BookQuerySet(models.QuerySet):
    def titled(self, title):
        # safe: sql_injection
        return self.filter(title__icontains=title)


class Book(models.Model):
    title = models.CharField(max_length=200)
    author = models.CharField(max_length=200)
    objects = BookQuerySet.as_manager()


def search_by_author(author):
    with connection.cursor() as cursor:
        # vuln: sql_injection
        cursor.execute("SELECT id FROM loans_book WHERE author = '%s'" % author)
        return cursor.fetchall()


def search_by_author_bound(author):
    with connection.cursor() as cursor:
        # safe: sql_injection
        cursor.execute("SELECT id FROM loans_book WHERE author = %s", [author])
        return cursor.fetchall()
