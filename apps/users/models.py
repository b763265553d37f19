"""People: accounts that sign in, and players whose names stand in results. A player need not have an account."""

import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from apps.users import zones
from apps.users.countries import country_choices
from apps.users.looks import look_of
from apps.users.names import DASH, isolated

_ONE_SIGN = str.maketrans("ı‘’ʼ`´‐‑‒–—−", "i'''''------")


def name_key(name: str) -> str:
    """The form under which two spellings of one name meet: composed, case folded, white space single.

    The four letters i of Turkish are one here: who types `IŞIK` or `ismet` means `Işık`, `ışık` and `İsmet`. So are
    apostrophes, and hyphens: `O’Brien` and `O'Brien` are one name.
    """
    folded = (
        unicodedata.normalize("NFKC", name.translate(_ONE_SIGN))
        .casefold()
        .replace("i\u0307", "i")
        .translate(_ONE_SIGN)
    )
    return " ".join(folded.split())[:100]  # folding can lengthen a name


class User(AbstractUser):
    """An account: how one person signs in and likes to see the pages."""

    class Suits(models.TextChoices):
        FOUR = "four", _("four colours")
        TWO = "two", _("two colours")

    class Theme(models.TextChoices):
        AUTO = "auto", _("as the device")
        LIGHT = "light", _("light")
        DARK = "dark", _("dark")

    class Mail(models.TextChoices):
        NONE = "none", _("none")
        IMPORTANT = "important", _("the important ones")
        AWAY = "away", _("the important ones, and the others while I am away")
        ALL = "all", _("all")

    is_director = models.BooleanField(
        _("director"),
        default=False,
        help_text=_("May import events, see them before publication and publish them."),
    )
    language = models.CharField(_("language"), max_length=10, blank=True)
    time_zone = models.CharField(_("time zone"), max_length=50, blank=True)
    suits = models.CharField(_("suit colours"), max_length=4, choices=Suits, default=Suits.FOUR)
    theme = models.CharField(_("light or dark"), max_length=5, choices=Theme, default=Theme.AUTO)
    mail = models.CharField(_("notices by mail"), max_length=9, choices=Mail, default=Mail.AWAY)
    table_settings = models.JSONField(
        _("settings at the table"),
        default=dict,
        db_default={},
        blank=True,
        help_text=_("What is not as usual."),
    )
    seen_at = models.DateTimeField(_("last seen"), null=True, blank=True, editable=False)
    is_guest = models.BooleanField(
        _("guest"),
        default=False,
        db_default=False,
        editable=False,
        help_text=_("Plays at practice tables without having signed up."),
    )

    @property
    def directs(self) -> bool:
        return self.is_active and (self.is_director or self.is_superuser)

    @property
    def administers(self) -> bool:
        return self.is_active and self.is_superuser

    @property
    def heard_at(self) -> datetime | None:
        """When this person last signed in or asked for a page, to the minute."""
        return max(filter(None, (self.seen_at, self.last_login)), default=None)

    @property
    def reads_in(self) -> str | None:
        """The language that was chosen, unless the site has it no more."""
        return self.language if self.language in dict(settings.LANGUAGES) else None

    @property
    def zone(self) -> ZoneInfo | None:
        """The time zone that was chosen, unless the world has it no more."""
        return ZoneInfo(self.time_zone) if zones.exists(self.time_zone) else None


class Player(models.Model):
    """A person as results name them."""

    name = models.CharField(_("name"), max_length=100)
    name_key = models.CharField(_("name as it is searched"), max_length=100, editable=False, db_index=True)
    user = models.OneToOneField(
        User,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="player",
        verbose_name=_("account"),
    )
    country = models.CharField(
        _("country"), max_length=2, choices=country_choices, blank=True, default="", db_default=""
    )
    is_robot = models.BooleanField(
        _("house robot"),
        default=False,
        db_default=False,
        editable=False,
        help_text=_("Plays by itself, at any number of tables; is never rated or ranked."),
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        constraints = [
            models.CheckConstraint(condition=~models.Q(name=""), name="player_has_a_name"),
            models.CheckConstraint(
                condition=models.Q(country="") | models.Q(country__regex="^[A-Z]{2}$"),
                name="player_country_is_a_code",
            ),
            models.CheckConstraint(
                condition=models.Q(is_robot=False) | models.Q(user=None), name="player_robot_has_no_account"
            ),
            models.UniqueConstraint(
                fields=["name"], condition=models.Q(is_robot=True), name="player_robot_by_name"
            ),
        ]
        indexes = [
            models.Index(look_of(models.F("name")), name="player_by_look"),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *, update_fields: Iterable[str] | None = None, **kwargs: Any) -> None:
        self.name = unicodedata.normalize("NFC", self.name)
        self.name_key = name_key(self.name)
        if update_fields is not None and "name" in update_fields:
            update_fields = {*update_fields, "name_key"}
        super().save(update_fields=update_fields, **kwargs)

    def get_absolute_url(self) -> str:
        return reverse("pages:player", args=[self.pk])


class PlayerNumber(models.Model):
    """A number under which an organisation knows a player: what joins two files that spell a name differently."""

    player = models.ForeignKey(
        Player, on_delete=models.CASCADE, related_name="numbers", verbose_name=_("player")
    )
    scheme = models.CharField(
        _("issued by"), max_length=80, help_text=_("Who gives the number, for instance “national” or a club.")
    )
    number = models.CharField(_("number"), max_length=40)

    class Meta:
        verbose_name = _("number of a player")
        verbose_name_plural = _("numbers of players")
        constraints = [
            models.UniqueConstraint(fields=["scheme", "number"], name="player_number_names_one_player"),
        ]

    def __str__(self) -> str:
        return f"{self.scheme} {self.number}"


class Notice(models.Model):
    """Something that a person is told. It is kept in English with named places and read in the reader's language.

    What fills a place whose name ends in `_at` is a moment, which is read on the reader's clocks, with their zone.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notices", db_index=False)
    key = models.CharField(
        max_length=100, help_text=_("What is told, such as “result corrected 7”: nobody is told it twice.")
    )
    message = models.CharField(max_length=300, help_text=_("An English sentence with named places."))
    params = models.JSONField(default=dict, help_text=_("What fills the places."))
    url = models.CharField(max_length=300, help_text=_("The page that it is about."))
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="notice_is_given_once"),
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="notice_newest_first"),
            models.Index(fields=["user"], condition=models.Q(read_at=None), name="notice_unread"),
        ]

    def __str__(self) -> str:
        words = {
            place: _on_the_clocks(word) if place.endswith("_at") else _as_read(word)
            for place, word in self.params.items()
        }
        return str(gettext(self.message) % words)


Word = str | int | list[str]
"""What fills a place of a notice; a list holds words of our own, which are read in the reader's language.

It is one of words that stand for themselves, or what `counted` makes."""


def counted(one: str, several: str, number: str) -> Word:
    """So many of something, for a place of a notice; the words have a place `%(number)s`."""
    return [one, several, number]


def _as_read(word: Word) -> str | int:
    if isinstance(word, list):
        return _as_counted(*word) if len(word) > 1 else gettext(word[0])
    return DASH.join(map(isolated, word.split(DASH))) if isinstance(word, str) else word


def _as_counted(one: str, several: str, number: str) -> str:
    return ngettext(one, several, 1 if number == "1" else 2) % {"number": number}


def _on_the_clocks(moment: str) -> str:
    local = timezone.localtime(datetime.fromisoformat(moment))
    return f"{date_format(local, 'DATETIME_FORMAT')} ({timezone.get_current_timezone_name()})"
