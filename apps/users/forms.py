"""Forms about accounts: what sign-up asks beyond django-allauth, and a person's preferences."""

import unicodedata
import zoneinfo
from collections.abc import Mapping
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django import forms
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.http import HttpRequest
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from apps.users.models import User
from apps.users.services import open_account
from bridge.legible import legible


class AccountAdapter(DefaultAccountAdapter):
    """User names in one spelling: `Zoë` is the same name whether its ë is typed as one character or as two."""

    def clean_username(self, username: str, shallow: bool = False) -> str:
        cleaned: str = super().clean_username(User.normalize_username(username), shallow)
        return cleaned

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        if username := credentials.get("username"):
            credentials["username"] = User.normalize_username(username)
        user: AbstractBaseUser | None = super().authenticate(request, **credentials)
        return user


class LineField(forms.CharField):
    """A line that others will read: composed letters, single spaces, nothing that cannot be seen."""

    def to_python(self, value: Any) -> str:
        line = " ".join(unicodedata.normalize("NFC", super().to_python(value) or "").split())
        return " ".join(legible(line).split())


IN_LINES: Mapping[type[models.Field[Any, Any]], Mapping[str, Any]] = {
    models.CharField: {"form_class": LineField}
}
"""For `formfield_overrides` in the administration: names and reasons that are typed there are lines, too."""


class PlayerNameField(LineField):
    """A name as results print it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            label=_("Name in results"),
            max_length=100,
            help_text=_("As it is to stand in results and rankings, in any script."),
            widget=forms.TextInput(attrs={"autocomplete": "name"}),
            **kwargs,
        )


class BrowserZoneField(forms.CharField):
    """The zone in which the browser is; empty, which means the site's, when it names no place that the world has."""

    widget = forms.HiddenInput

    def clean(self, value: Any) -> str:
        if not isinstance(value, str) or value not in zoneinfo.available_timezones():
            return ""
        return value if "/" in value or value == "UTC" else ""


class SignupForm(forms.Form):
    """What sign-up asks beyond what django-allauth asks."""

    player_name = PlayerNameField()
    time_zone = BrowserZoneField(required=False)

    def signup(self, request: HttpRequest, user: User) -> None:
        open_account(
            user=user,
            player_name=self.cleaned_data["player_name"],
            time_zone=self.cleaned_data["time_zone"],
            language=get_language() or "",
        )


def _zones(chosen: str) -> list[tuple[str, Any]]:
    """The zones by place, and the one that was chosen, whatever it is."""
    places = {name for name in zoneinfo.available_timezones() if "/" in name and not name.startswith("Etc/")}
    return [
        ("", _("the site's own (%(zone)s)") % {"zone": settings.TIME_ZONE}),
        *((name, name) for name in sorted(places | {chosen} - {""})),
    ]


class PreferencesForm(forms.Form):
    """How a person is named and likes to see the pages."""

    player_name = PlayerNameField()
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("as the browser asks")), ("en", "English"), ("zh-hans", "简体中文")],
    )
    time_zone = forms.ChoiceField(label=_("Time zone"), required=False)
    suits = forms.ChoiceField(
        label=_("Suit colours"),
        choices=User.Suits,
        widget=forms.RadioSelect,
        help_text=_("Four: spades black, hearts red, diamonds orange, clubs green."),
    )
    theme = forms.ChoiceField(label=_("Light or dark"), choices=User.Theme, widget=forms.RadioSelect)
    mail = forms.ChoiceField(
        label=_("Notices by mail"),
        choices=User.Mail,
        widget=forms.RadioSelect,
        help_text=_(
            "Important: entered, invited, a decision of the director, the ranking, master points, a title, an event "
            "that is interrupted or cancelled. The others: a round that opens and where you sit, results that wait for "
            "you. You are away when you have had no page open for ten minutes; of several results that wait, only the "
            "first is mailed then."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone = self.fields["time_zone"]
        assert isinstance(zone, forms.ChoiceField)  # noqa: S101 - it is declared above
        zone.choices = _zones(self.initial.get("time_zone", ""))
