"""The viewer's own language and time zone, on every page; that the viewer is there; and what is not for guests."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from apps.users import zones
from apps.users.models import User
from apps.users.services import FORGOTTEN, be_seen

ZONE_COOKIE = "zone"  # the zone of the browser, which a script writes (`hours.js`)


class GuestsMiddleware:
    """A guest plays at the tables that are open to everybody. What else wants an account leads to the page to sign up.

    On the pages to sign up and to sign in a guest is nobody; who signs up keeps the guest's player (`SignupForm`).
    """

    OWN = ("/tables/", "/accounts/", "/i18n/", "/notices/")

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if not user.is_authenticated or not user.is_guest:
            return self.get_response(request)
        if request.path in (reverse("users:signup"), reverse("account_login")):
            request.guest = user  # type: ignore[attr-defined]
            request.user = AnonymousUser()
        elif request.method not in ("GET", "HEAD") and not request.path.startswith(self.OWN):
            messages.info(request, _("Please sign up for that: it takes a minute, and you keep your boards."))
            return redirect("users:signup")
        return self.get_response(request)


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
        if be_seen(user=user) and user.is_guest:
            request.session.set_expiry(FORGOTTEN)  # a guest has nothing else to come back with
        if user.reads_in and settings.LANGUAGE_COOKIE_NAME not in request.COOKIES:
            translation.activate(user.reads_in)
            request.LANGUAGE_CODE = translation.get_language()
        with timezone.override(_zone_of(user, request)):
            return self.get_response(request)


def _zone_of(user: User, request: HttpRequest) -> ZoneInfo | None:
    named = request.COOKIES.get(ZONE_COOKIE)
    return user.zone or (ZoneInfo(zones.canonical(named)) if named and zones.exists(named) else None)
