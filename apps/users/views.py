"""A person's own pages beside django-allauth's, and who may open those of directors."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from apps.users.forms import PreferencesForm
from apps.users.models import Notice, Player, User
from apps.users.selectors import notices_of
from apps.users.services import mark_read, save_preferences

View = Callable[..., HttpResponse]


def directors_only(view: View) -> View:
    """Sign-in first; who does not direct gets a sentence and nothing else."""

    @wraps(view)
    @login_required
    def guarded(request: HttpRequest, *args: int, **kwargs: int) -> HttpResponse:
        if not signed_in(request).directs:
            raise PermissionDenied(_("Only directors may do this."))
        return view(request, *args, **kwargs)

    return guarded


def signed_in(request: HttpRequest) -> User:
    """The account behind a page that asks for a sign-in."""
    assert isinstance(request.user, User)  # noqa: S101 - the page asked for it
    return request.user


@login_required
def preferences(request: HttpRequest) -> HttpResponse:
    """Name, language, time zone, colours. The language is kept in a cookie too, for the pages before signing in."""
    user = signed_in(request)
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


@require_safe
@login_required
def notices(request: HttpRequest) -> HttpResponse:
    """What a person was told, the newest first."""
    before = request.GET.get("before", "")
    start = int(before) if before.isascii() and before.isdigit() and len(before) < 19 else None
    page, more = notices_of(signed_in(request), before=start)
    return render(
        request, "users/notices.html", {"notices": page, "more": more, "is_first_page": start is None}
    )


@require_safe
@login_required
def notice(request: HttpRequest, notice_id: int) -> HttpResponse:
    """On to the page that a notice is about; it counts as read then."""
    found = get_object_or_404(Notice, pk=notice_id, user=signed_in(request))
    mark_read(user=signed_in(request), notice_id=notice_id)
    return redirect(found.url)


@require_POST
@login_required
def read_notices(request: HttpRequest) -> HttpResponse:
    """Everything is read."""
    mark_read(user=signed_in(request))
    return redirect("users:notices")
