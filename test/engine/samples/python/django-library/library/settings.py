import os

# vuln: debug_mode
DEBUG = True
SECRET_KEY = os.environ["DJANGO_SECRET_KEY"]
ALLOWED_HOSTS = ["library.example.org"]
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.sessions", "loans"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
]
# vuln: insecure_cookie
SESSION_COOKIE_SECURE = False
# safe: insecure_cookie
CSRF_COOKIE_SECURE = True
# vuln: insecure_cookie
SESSION_COOKIE_HTTPONLY = False
# vuln: permissive_cors
CORS_ALLOW_ALL_ORIGINS = True
CORS_ALLOW_CREDENTIALS = True
# vuln: deserialization
SESSION_SERIALIZER = "django.contrib.sessions.serializers.PickleSerializer"
# vuln: weak_password_hash
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
