"""A person's own pages beside django-allauth's."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _

from apps.users.forms import PreferencesForm
from apps.users.models import Player, User
from apps.users.services import save_preferences


@login_required
def preferences(request: HttpRequest) -> HttpResponse:
    """Name, language, time zone, colours. The language is kept in a cookie too, for the pages before signing in."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101 - login_required says so
    player = Player.objects.filter(user=user).first()
    current = {name: getattr(user, name) for name in ("language", "time_zone", "suits", "theme")}
    form = PreferencesForm(
        request.POST or None, initial={"player_name": player.name if player else "", **current}
    )
    if request.method != "POST" or not form.is_valid():
        return render(request, "users/preferences.html", {"form": form})
    save_preferences(user=user, **form.cleaned_data)
    response = redirect("users:preferences")
    if language := form.cleaned_data["language"]:
        translation.activate(language)
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, language, max_age=365 * 86400, samesite="Lax")
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME)
    messages.success(request, _("Your preferences are saved."))
    return response
