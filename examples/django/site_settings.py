"""The smallest settings that run the route. In a project of yours, only the route is new."""

import os

SECRET_KEY = os.environ.get("DJANGO_SECRET_KEY") or os.urandom(32).hex()
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "urls"
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "INFO"},
}
