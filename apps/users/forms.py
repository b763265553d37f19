"""Forms about accounts: what sign-up asks beyond django-allauth, and a person's preferences."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django import forms
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from apps.users import zones
from apps.users.countries import country_choices
from apps.users.looks import has_bar, mixed_word
from apps.users.models import Player, User
from apps.users.selectors import looks_like_another
from apps.users.services import hold_look, keep_guest, open_account
from bridge.legible import legible, unknown_sign


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

    def set_password(self, user: AbstractBaseUser, password: str) -> None:
        """The password, and nothing else of an account that an administrator may be closing."""
        user.set_password(password)
        user.save(update_fields=["password"])


class LineField(forms.CharField):
    """A line that others will read: composed letters, single spaces, nothing that cannot be seen."""

    def to_python(self, value: Any) -> str:
        line = " ".join(unicodedata.normalize("NFC", super().to_python(value) or "").split())
        return " ".join(legible(line).split())


MINUS_SIGNS = str.maketrans("−–", "--")


class _SignedNumber(forms.Field):
    """A number that may be negative, with the minus sign of the keyboard or the one that our pages write.

    Browsers do not take the latter in a field for numbers, and some keyboards for numbers have none.
    """

    widget = forms.TextInput(attrs={"autocomplete": "off"})

    def to_python(self, value: Any) -> Any:
        return super().to_python(value.translate(MINUS_SIGNS) if isinstance(value, str) else value)


class SignedIntegerField(_SignedNumber, forms.IntegerField):
    pass


class SignedDecimalField(_SignedNumber, forms.DecimalField):
    pass


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


def check_name(name: str, *, player: Player | None = None) -> None:
    """Whether a player may take a name. Until the transaction ends nobody else takes one that looks the same.

    Raises:
        ValidationError: It has a sign that nobody knows, mixes alphabets within a word, has a bar in it, or looks like the
            name of somebody else.
    """
    if sign := unknown_sign(name):
        raise forms.ValidationError(
            _("Nobody can say what the sign U+%(code)s of this name looks like. Please write it without.")
            % {"code": f"{ord(sign):04X}"}
        )
    if word := mixed_word(name):
        raise forms.ValidationError(
            _("The word “%(word)s” mixes the letters of two alphabets. Please write it with those of one.")
            % {"word": word}
        )
    if has_bar(name):
        raise forms.ValidationError(_("A bar in a name is taken for a letter. Please write it without."))
    hold_look(name)
    if looks_like_another(name, but=player):
        raise forms.ValidationError(
            _(
                "Another player has a name that looks the same, in other letters. Please write yours so that nobody "
                "takes one of you for the other."
            )
        )


class CountryField(forms.ChoiceField):
    """A country, which nobody need say."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            label=_("Country"),
            required=False,
            choices=lambda: [("", _("not said")), *country_choices()],
            help_text=_("Its flag stands beside your name."),
            widget=forms.Select(attrs={"autocomplete": "country"}),
            **kwargs,
        )


class LanguageField(forms.ChoiceField):
    """A language of the site, or whatever the browser asks for."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            label=_("Language"),
            required=False,
            choices=[("", _("as the browser asks")), ("en", "English"), ("zh-hans", "简体中文")],
            **kwargs,
        )


class BrowserZoneField(forms.CharField):
    """The zone in which the browser is; empty when it names no place that the world has."""

    widget = forms.HiddenInput

    def clean(self, value: Any) -> str:
        return zones.canonical(value) if zones.exists(value) else ""


class ZoneSelect(forms.Select):
    """Towns by region. What was chosen stands in the list even when it is none of them, such as `Etc/GMT-8`.

    A script offers the zone of the reader's device beside it.
    """

    def __init__(self) -> None:
        super().__init__(attrs={"data-device": _("Take the zone of this device: %(zone)s")})

    def optgroups(self, name: str, value: list[str], attrs: Any = None) -> list[Any]:
        groups: list[Any] = super().optgroups(name, value, attrs)
        chosen = value[0] if value else ""
        if zones.exists(chosen) and not any(option["selected"] for group in groups for option in group[1]):
            option = self.create_option(name, chosen, chosen, True, len(groups))
            groups.insert(0, (None, [option], len(groups)))
        return groups


class ZoneField(forms.ChoiceField):
    """A time zone, chosen by its town; the browser's when none has to be. An alias counts as the zone that it names."""

    widget = ZoneSelect

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(label=_("Time zone"), choices=self._offered, **kwargs)

    def _offered(self) -> list[tuple[str, Any]]:
        browsers = ("", _("that of the browser; in mails %(zone)s") % {"zone": settings.TIME_ZONE})
        return [
            *([] if self.required else [browsers]),
            (zones.UTC, zones.UTC),
            *zones.choices(timezone.now()),
        ]

    def prepare_value(self, value: Any) -> Any:
        return zones.canonical(value) if zones.exists(value) else value

    def to_python(self, value: Any) -> str:
        chosen: str = super().to_python(value)
        return zones.canonical(chosen)

    def valid_value(self, value: str) -> bool:
        return zones.exists(value) or super().valid_value(value)


class SignupForm(forms.Form):
    """What sign-up asks beyond what django-allauth asks."""

    player_name = PlayerNameField()
    country = CountryField()
    time_zone = BrowserZoneField(required=False)

    def clean_player_name(self) -> str:
        name: str = self.cleaned_data["player_name"]
        check_name(name)
        return name

    def signup(self, request: HttpRequest, user: User) -> None:
        if guest := getattr(request, "guest", None):
            keep_guest(
                guest=guest,
                user=user,
                player_name=self.cleaned_data["player_name"],
                country=self.cleaned_data["country"],
            )
        open_account(
            user=user,
            player_name=self.cleaned_data["player_name"],
            country=self.cleaned_data["country"],
            time_zone=self.cleaned_data["time_zone"],
            language=get_language() or "",
        )


class PreferencesForm(forms.Form):
    """How a person is named and likes to see the pages."""

    player_name = PlayerNameField()
    country = CountryField()
    language = LanguageField()
    time_zone = ZoneField(required=False)
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

    def __init__(self, *args: Any, player: Player | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.player = player

    def clean_player_name(self) -> str:
        """A name that stays is asked nothing: it may be from the time before names were asked."""
        name: str = self.cleaned_data["player_name"]
        if self.player is None or name != self.player.name:
            check_name(name, player=self.player)
        return name
