"""The settings of development, with a mail server that a test plays."""

import os

from config.settings.dev import *  # noqa: F403

EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST, EMAIL_PORT = "127.0.0.1", int(os.environ.get("MAIL_PORT", "1"))
