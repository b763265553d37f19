"""The viewer's own language and time zone, on every page; and that the viewer is there."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from apps.users import zones
from apps.users.models import User
from apps.users.services import be_seen

ZONE_COOKIE = "zone"  # the zone of the browser, which a script writes (`hours.js`)


class PreferencesMiddleware:
    """Activates what a signed-in user has chosen; everybody else keeps the browser's language and the site's zone.

    Who has chosen no zone reads times in that of the browser, once that is known.

    A language picked at the foot of a page is in a cookie and goes before the account's: it was asked for here and now.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if not user.is_authenticated:
            return self.get_response(request)
        be_seen(user=user)
        if user.reads_in and settings.LANGUAGE_COOKIE_NAME not in request.COOKIES:
            translation.activate(user.reads_in)
            request.LANGUAGE_CODE = translation.get_language()
        with timezone.override(_zone_of(user, request)):
            return self.get_response(request)


def _zone_of(user: User, request: HttpRequest) -> ZoneInfo | None:
    named = request.COOKIES.get(ZONE_COOKIE)
    return user.zone or (ZoneInfo(zones.canonical(named)) if named and zones.exists(named) else None)
