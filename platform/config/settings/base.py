"""Settings shared by development, tests and production; each of those adds its few lines."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import django_stubs_ext
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from config.logs import refused_in_a_line
from config.schedule import BEAT_SCHEDULE

django_stubs_ext.monkeypatch()  # ModelAdmin[Event], ModelForm[User]

BASE_DIR = Path(__file__).resolve().parents[3]
STATE_DIR = Path(os.environ.get("DATUM_STATE", BASE_DIR / ".state"))


def database(url: str) -> dict[str, Any]:
    """Django's settings for `postgresql://user:password@host:port/name?option=value`.

    A host that begins with a slash (percent-encoded in the URL, or in `?host=`) is a folder with a Unix socket.
    """
    parts = urlsplit(url)
    options = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", unquote(parts.hostname or "")),
        "PORT": str(parts.port or options.pop("port", "")),
        "OPTIONS": options,
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def celery_broker(url: str) -> str:
    """Celery's spelling of a Redis URL: `unix:///path?db=0` is `redis+socket:///path?virtual_host=0` there."""
    return url.replace("unix://", "redis+socket://").replace("?db=", "?virtual_host=")


DATABASES = {"default": database(os.environ.get("DATABASE_URL", "postgresql://datum@localhost:5432/datum"))}
REDIS_URL = os.environ.get("REDIS_URL", "redis://localhost:6379/0")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "apps.pages",
    "apps.masterpoints",
    "apps.pairs",
    "apps.results",
    "apps.tables",
    "apps.boards",
    "apps.users",
    "apps.clock",
    "devstack",
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "apps.users.middleware.GuestsMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "apps.users.middleware.PreferencesMiddleware",
    "apps.pages.middleware.LettersMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["django.templatetags.i18n"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

AUTH_USER_MODEL = "users.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_REDIRECT_URL = "pages:home"
LOGOUT_REDIRECT_URL = "pages:home"
LOGIN_URL = "account_login"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_ADAPTER = "apps.users.forms.AccountAdapter"
ACCOUNT_SIGNUP_FORM_CLASS = "apps.users.forms.SignupForm"
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # no mail to an address that nobody here has
ACCOUNT_PRESERVE_USERNAME_CASING = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Datum] "

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "platform" / "locale"]
FORMAT_MODULE_PATH = "config.formats"
TIME_ZONE = os.environ.get("DATUM_TIME_ZONE", "Asia/Shanghai")
USE_TZ = True
CLOCK_MAY_BE_MOVED = False  # tests and simulations let hours pass in a moment

SITE_URL = os.environ.get("SITE_URL", "http://127.0.0.1:8000").rstrip("/")  # for links in mails
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", "datum@localhost")
EMAIL_TIMEOUT = 5  # seconds; less than what looks like a clock that stands still

STATIC_URL = "static/"
STATIC_ROOT = STATE_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static.StaticFiles"},
}
IMPORT_MAX_BYTES = 20 * 2**20
FILE_UPLOAD_MAX_MEMORY_SIZE = 5 * 2**20
DATA_UPLOAD_MAX_MEMORY_SIZE = 2**20  # forms; files that come with them are not counted

CACHES = {  # limits of sign-in, signs of life: in PostgreSQL, so that no page waits for Redis and no limit falls with it
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "datum_cache",
        "OPTIONS": {"MAX_ENTRIES": 50_000},
    }
}
SESSION_ENGINE = (
    "django.contrib.sessions.backends.db"  # Redis may be emptied at any moment; nobody is signed out by it
)

ROBOT_SAMPLES = int(
    os.environ.get("ROBOT_SAMPLES", "24")
)  # deals that a robot imagines before it plays a card; 0: none
ROBOT_SECONDS = 1.2  # that it thinks about one
ROBOT_PAUSE = float(
    os.environ.get("ROBOT_PAUSE", "0.6")
)  # seconds in which people see what was done, before it acts

LIVE_URL = os.environ.get("LIVE_URL", "").rstrip("/")  # such as wss://host/live; empty: pages ask every 2 s
LIVE_ORIGINS = ["{0.scheme}://{0.netloc}".format(urlsplit(SITE_URL))]  # whose pages may open one
LIVE_PER_ADDRESS = 40  # sockets from one address
LIVE_BEHIND_PROXY = False  # then the address is the last that the proxy has put into X-Forwarded-For

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "connect-src": [SELF, *(["{0.scheme}://{0.netloc}".format(urlsplit(LIVE_URL))] if LIVE_URL else [])],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"

CELERY_BROKER_URL = celery_broker(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # the default gives up after 100
CELERY_BROKER_POOL_ACQUIRE_TIMEOUT = 3  # a page never hangs on a broker that is down
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 900,  # longer than the longest task
    "socket_timeout": 3,  # a broker that stands still holds up a page no longer
    "socket_connect_timeout": 3,
    "socket_keepalive": True,
    "health_check_interval": 10,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0}
CELERY_TASK_IGNORE_RESULT = True  # what was done stands in PostgreSQL
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = 300
CELERY_TASK_SOFT_TIME_LIMIT = 240
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "datum"
CELERY_TASK_ROUTES = {"apps.boards.tasks.*": {"queue": "solver"}}  # double-dummy work never delays a score
CELERY_BEAT_SCHEDULE = BEAT_SCHEDULE
CELERY_TIMEZONE = "UTC"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{levelname:<7} {name}: {message}", "style": "{"}},
    "filters": {"refused": {"()": "django.utils.log.CallbackFilter", "callback": refused_in_a_line}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {
        "django.request": {"filters": ["refused"]},
        "celery.beat": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
    },
}
