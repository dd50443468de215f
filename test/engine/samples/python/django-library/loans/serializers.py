from rest_framework import serializers

from .models import Book


class BookSerializer(serializers.ModelSerializer):
    class Meta:
        model = Book
        # safe: mass_assignment
        fields = ["id", "title", "author"]


class EverythingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Book
        fields = "__all__"
