"""A site behind a reverse proxy with TLS. Everything that differs from site to site comes from the environment."""

import os
from urllib.parse import unquote, urlsplit

from config.settings.base import *  # noqa: F403

SECRET_KEY = os.environ["SECRET_KEY"]
SECRET_KEY_FALLBACKS = os.environ.get("SECRET_KEY_FALLBACKS", "").split()
ALLOWED_HOSTS = os.environ["ALLOWED_HOSTS"].split(",")
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
ALLAUTH_TRUSTED_PROXY_COUNT = (
    1  # whoever asks has the address that the proxy has put last into X-Forwarded-For
)
SECURE_SSL_REDIRECT = True
SECURE_HSTS_SECONDS = 31_536_000
SECURE_REDIRECT_EXEMPT = [r"^health/$"]
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
SITE_URL = os.environ.get("SITE_URL", f"https://{ALLOWED_HOSTS[0]}").rstrip("/")
LIVE_ORIGINS = CSRF_TRUSTED_ORIGINS
LIVE_BEHIND_PROXY = True
_mail = urlsplit(os.environ.get("EMAIL_URL", "smtp://localhost"))
EMAIL_HOST = _mail.hostname or "localhost"
EMAIL_PORT = _mail.port or {"smtp": 25, "smtp+tls": 587, "smtps": 465}[_mail.scheme]
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_mail.username or ""), unquote(_mail.password or "")
EMAIL_USE_TLS = _mail.scheme == "smtp+tls"  # STARTTLS
EMAIL_USE_SSL = _mail.scheme == "smtps"  # TLS from the first byte
