"""The viewer's own language and time zone, on every page; and that the viewer is there."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from apps.users.services import be_seen


class PreferencesMiddleware:
    """Activates what a signed-in user has chosen; everybody else keeps the browser's language and the site's zone.

    A language picked at the foot of a page is in a cookie and goes before the account's: it was asked for here and now.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if not user.is_authenticated:
            return self.get_response(request)
        be_seen(user=user)
        if user.language and settings.LANGUAGE_COOKIE_NAME not in request.COOKIES:
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()
        with timezone.override(user.zone):
            return self.get_response(request)
