"""One machine, one person: what `deploy/run` uses."""

import os

from config.settings.base import *  # noqa: F403
from config.settings.base import STATE_DIR


def _secret_key() -> str:
    """A random key kept in the state folder, so that a restart signs nobody out."""
    path = STATE_DIR / "secret_key"
    if not path.exists():
        STATE_DIR.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"secret_key.{os.getpid()}")
        new.write_text(os.urandom(32).hex())
        new.chmod(0o600)
        os.link(new, path) if not path.exists() else None
        new.unlink()
    return path.read_text()


DEBUG = False
SECRET_KEY = os.environ.get("SECRET_KEY") or _secret_key()
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
LIVE_PER_ADDRESS = 2000  # everybody comes from this machine, simulated players too
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"  # nothing leaves this machine
EMAIL_FILE_PATH = STATE_DIR / "mail"
