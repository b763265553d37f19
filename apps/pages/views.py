"""Pages that belong to no single app."""

import redis
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse


def health(request: HttpRequest) -> JsonResponse:
    """Whether the site can serve: without the database it cannot; without Redis it is slower."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        database = "ok"
    except DatabaseError:
        database = "away"
    try:
        cache.set("health", 1, 5)
        broker = "ok"
    except redis.RedisError:
        broker = "away"
    return JsonResponse({"database": database, "redis": broker}, status=200 if database == "ok" else 503)
