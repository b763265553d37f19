"""What players of an event are told, in the site and, if they like, by mail."""

from collections.abc import Iterable

from django.utils.translation import gettext_noop as _

from apps.pairs.models import Swiss
from apps.users.models import Player
from apps.users.services import notify_each

Words = dict[str, str | int]

SENTENCES = {
    "entered": _("You are entered in %(event)s as pair %(pair)s: %(names)s."),
    "withdrawn": _("Pair %(pair)s does not take part in %(event)s any more."),
    "substituted": _("%(name)s plays on in pair %(pair)s of %(event)s."),
    "invited": _("%(name)s would like to play %(event)s with you."),
    "declined": _("%(name)s will not play %(event)s with you this time."),
    "seated NS": _("%(event)s, round %(round)s: you sit North–South at table %(table)s."),
    "seated EW": _("%(event)s, round %(round)s: you sit East–West at table %(table)s."),
    "sits out": _("%(event)s, round %(round)s: your pair sits out and gets the score of a bye."),
    "to confirm": _("%(event)s: your opponents entered board %(board)s. Please confirm it."),
    "disputed": _("%(event)s: board %(board)s is disputed. The director decides."),
    "ruled": _("%(event)s: the director decided board %(board)s."),
    "ranked": _("%(event)s is over: your pair is number %(rank)s of %(pairs)s."),
    "unranked": _("%(event)s is over."),
    "suspended": _("%(event)s is interrupted. The page of the event says how it goes on."),
    "resumed": _("%(event)s goes on."),
    "cancelled": _("%(event)s does not take place."),
}
OF_THE_MOMENT = {
    "seated NS",
    "seated EW",
    "sits out",
    "to confirm",
    "disputed",
}  # by mail only for those who want all of them


def tell(swiss: Swiss, what: str, players: Iterable[int], *, key: str = "", **params: str | int) -> None:
    """Tell players by id what happened, once for each `what` and `key` of the event. Those without an account are left out."""
    tell_each(swiss, what, [(player, params) for player in players], key=key)


def tell_each(swiss: Swiss, what: str, told: Iterable[tuple[int, Words]], *, key: str = "") -> None:
    """As `tell`, with words of their own for each player."""
    words = dict(told)
    users = Player.objects.filter(pk__in=list(words), user__isnull=False).values_list("user_id", "pk")
    notify_each(
        key=f"event {swiss.pk} {what} {key}".strip(),
        message=SENTENCES[what],
        url=swiss.event.get_absolute_url(),
        words={user: {"event": swiss.event.title} | words[player] for user, player in users},
        important=what not in OF_THE_MOMENT,
    )
