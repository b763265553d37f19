"""Form fields in which somebody names players."""

from typing import Any

from django import forms
from django.db.models import Q
from django.utils.translation import gettext as _

from apps.users.forms import LineField
from apps.users.models import Player, name_key

MOST_NAMESAKES = 5


def find_player(text: str) -> Player:
    """The one player of this name, of this number with an organisation, or of this account.

    Raises:
        ValidationError: Nobody is, or several are; these are told apart by the numbers of their pages (`#12`).
    """
    people = Player.objects.filter(is_robot=False).exclude(user__is_guest=True)
    wanted = " ".join(text.replace("\0", " ").split())
    if wanted.startswith("#") and wanted[1:].isdecimal() and len(wanted) < 20:
        found = people.filter(pk=int(wanted[1:]))
    else:
        named = Q(name_key=name_key(wanted)) | Q(numbers__number=wanted) | Q(user__username=wanted)
        found = people.filter(named)
    players = list(found.distinct().order_by("pk")[:MOST_NAMESAKES])
    if not players:
        raise forms.ValidationError(_("Nobody here is called %(name)s.") % {"name": wanted})
    if len(players) > 1:
        numbers = ", ".join(f"#{player.pk}" for player in players)
        raise forms.ValidationError(
            _("Several players are called %(name)s. Please write which: %(numbers)s.")
            % {"name": wanted, "numbers": numbers}
        )
    return players[0]


class PlayerField(LineField):
    """A player by name or number."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=120, **kwargs)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        return find_player(text) if text else None


class PlayersField(forms.CharField):
    """Players by name or number, one a line; cleaned to their ids."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=20_000, widget=forms.Textarea(attrs={"rows": 6}), **kwargs)

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, tuple):
            players = Player.objects.filter(pk__in=value).order_by("name")
            return "\n".join(f"#{player.pk} {player.name}" for player in players)
        return value

    def clean(self, value: Any) -> tuple[int, ...]:
        lines = [line for line in str(super().clean(value) or "").splitlines() if line.strip()]
        found: set[int] = set()
        wrong: list[forms.ValidationError] = []
        for line in lines:
            number, _blank, _name = line.strip().partition(" ")
            try:
                found.add(find_player(number if number.startswith("#") else line).pk)
            except forms.ValidationError as error:
                wrong.append(error)
        if wrong:
            raise forms.ValidationError(wrong)
        return tuple(sorted(found))
