"""Changes that belong to no single app."""

from django.core.cache import cache
from django.utils import timezone

from apps.pages.selectors import worker_key


def say_seen(*, queue: str) -> None:
    """Keep the moment at which a worker of the queue was heard of; the health page asks for it."""
    cache.set(worker_key(queue), timezone.now().timestamp(), timeout=None)
