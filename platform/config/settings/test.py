"""The tests: real PostgreSQL and Valkey (`devstack.pytest_plugin`), quick password hashes, no throttling of sign-in."""

import os

from config.settings.base import *  # noqa: F403

DATABASES["default"]["TEST"] = {"TEMPLATE": os.environ.get("DATABASE_TEMPLATE")}  # noqa: F405
SECRET_KEY = "only-for-tests"  # noqa: S105
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True
ACCOUNT_RATE_LIMITS = False
CLOCK_MAY_BE_MOVED = True
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"  # in the processes that tests start, too
ROBOT_PAUSE = 0.05  # nobody looks on who would not follow
