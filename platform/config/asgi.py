"""The sockets of live tables. Pages are `config.wsgi`, in processes of their own."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
django.setup()

from apps.tables.live import Live  # noqa: E402 - Django comes first

application = Live()
