"""A person's own pages beside django-allauth's, and who may open those of directors."""

from collections.abc import Callable
from functools import wraps

from allauth.account import views as allauth
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views import i18n
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.users import services
from apps.users.forms import PreferencesForm
from apps.users.models import Notice, Player, User
from apps.users.selectors import has_confirmed, notices_of, user_of_mail_token
from apps.users.services import choose_language, mark_read, save_preferences

View = Callable[..., HttpResponse]


def _only(may: Callable[[User], bool], refusal: str) -> Callable[[View], View]:
    """For views that some may open: sign-in first; everybody else gets a sentence and nothing else."""

    def guard(view: View) -> View:
        @wraps(view)
        @login_required
        def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
            if not may(signed_in(request)):
                raise PermissionDenied(_(refusal))
            return view(request, *args, **kwargs)

        return guarded

    return guard


directors_only = _only(lambda user: user.directs, gettext_noop("Only directors may do this."))
administrators_only = _only(lambda user: user.administers, gettext_noop("Only administrators may do this."))


def signed_in(request: HttpRequest) -> User:
    """The account behind a page that asks for a sign-in."""
    assert isinstance(request.user, User)  # noqa: S101 - the page asked for it
    return request.user


def number_in(given: QueryDict, name: str, *, digits: int = 18) -> int | None:
    """The whole number that a page was asked with; None when it is none, or one of more digits than anything has."""
    text = given.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


signup = transaction.atomic(allauth.signup)
"""A name is asked about and taken in one transaction: nobody takes one that looks the same meanwhile."""


@login_required
@transaction.atomic
def preferences(request: HttpRequest) -> HttpResponse:
    """Name, language, time zone, colours, mails. The language is kept in a cookie too, for the pages before signing in."""
    user = signed_in(request)
    player = Player.objects.filter(user=user).first()
    current = {name: getattr(user, name) for name in ("language", "time_zone", "suits", "theme", "mail")}
    if player:
        current |= {"player_name": player.name, "country": player.country}
    form = PreferencesForm(request.POST or None, initial=current, player=player)
    if request.method != "POST" or not form.is_valid():
        return render(request, "users/preferences.html", {"form": form, "confirmed": has_confirmed(user)})
    save_preferences(user=user, **form.cleaned_data)
    response = redirect("users:preferences")
    if language := form.cleaned_data["language"]:
        translation.activate(language)
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, language, max_age=365 * 86400, samesite="Lax")
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME)
    messages.success(request, _("Your preferences are saved."))
    return response


def set_language(request: HttpRequest) -> HttpResponseBase:
    """Django's, and who is signed in gets mails in the language as well."""
    response = i18n.set_language(request)
    language = request.POST.get("language")
    if request.method == "POST" and request.user.is_authenticated and language in dict(settings.LANGUAGES):
        choose_language(user=signed_in(request), language=language)
    return response


@require_safe
@login_required
def notices(request: HttpRequest) -> HttpResponse:
    """What a person was told, the newest first."""
    start = number_in(request.GET, "before")
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


@never_cache
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def stop_mail(request: HttpRequest, token: str) -> HttpResponse:
    """No more mails. The link in a mail is enough, without signing in; a mail program may send the form itself."""
    user = user_of_mail_token(token)
    if user is None:
        raise Http404(_("This link does not come from one of our mails."))
    if request.method == "POST":
        services.stop_mail(user=user)
    return render(request, "users/stop_mail.html", {"account": user, "stopped": user.mail == User.Mail.NONE})
