"""The routes of the application."""
