"""What players of an event are told, in the site and, if they like, by mail."""

from collections.abc import Iterable
from datetime import timedelta

from django.urls import reverse
from django.utils.translation import gettext_noop as _

from apps.clock.time import now
from apps.pairs.models import Round, Seat, Swiss
from apps.pairs.selectors.oversight import directors_of
from apps.users.models import Player, User, Word
from apps.users.services import mark_settled, mark_unread, notify, notify_each, notify_found

Words = dict[str, Word]

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
    "ruled": _("%(event)s: the director decided board %(board)s. Reason: %(reason)s"),
    "postponed": _("%(event)s starts at another time: %(starts_at)s."),
    "overlaps": _(
        "%(event)s is now played at the same time as %(other)s, in which %(player)s is entered. It begins without your "
        "pair if %(other)s is still being played then."
    ),
    "left out": _(
        "%(event)s has begun without your pair, for %(player)s still plays in %(other)s. When that is over, say on the "
        "page of the event that you are here."
    ),
    "disqualified": _("%(event)s: pair %(pair)s is disqualified. Reason: %(reason)s"),
    "reinstated": _("%(event)s: pair %(pair)s is not disqualified any more. Reason: %(reason)s"),
    "ranked": _("%(event)s is over: your pair is number %(rank)s of %(pairs)s."),
    "unranked": _("%(event)s is over."),
    "moved": _("Your place in %(event)s is now %(rank)s. Reason: %(reason)s"),
    "unplaced": _("Your pair has no place in %(event)s any more. Reason: %(reason)s"),
    "points off": _("%(event)s: your pair loses %(points)s. Reason: %(reason)s"),
    "points given": _("%(event)s: your pair is given %(points)s. Reason: %(reason)s"),
    "suspended": _("%(event)s is interrupted. The page of the event says how it goes on."),
    "resumed": _("%(event)s goes on."),
    "cancelled": _("%(event)s does not take place."),
    "too few": _("%(event)s does not take place: there were too few pairs."),
    "opponents left": _(
        "%(event)s, round %(round)s: your opponents do not play on. Your table is closed; what was not finished there is "
        "scored as the rules of the event say."
    ),
    "director called": _("%(event)s: table %(table)s calls the director."),
    "asked afterwards": _(
        "%(event)s: table %(table)s asks the director about board %(board)s of round %(round)s."
    ),
    "still asked": _(
        "%(event)s: a question to the director has no answer yet. The result is final when it has, and at the latest at "
        "%(final_at)s."
    ),
    "unanswered": _(
        "%(event)s: nobody answered what your side asked about board %(board)s. Its result stands, and is final."
    ),
    "asked in vain": _(
        "%(event)s was cancelled: what your side asked about board %(board)s needs no answer any more."
    ),
    "stands": _("%(event)s: the result of board %(board)s stands. Reason: %(reason)s"),
    "to decide": _("%(event)s: board %(board)s at table %(table)s is disputed. Please decide it."),
    "waits": _("%(event)s stands still and waits for a director."),
}
UNSAID = _("The event was ranked again.")  # the reason where nobody gave one
BY_THE_BOARD = {"to confirm", "disputed", "to decide"}  # several may follow one another
OF_THE_MOMENT = {
    "seated NS",
    "seated EW",
    "sits out",
    *BY_THE_BOARD,
}  # no use to who is at the site and sees it there

QUIET = timedelta(minutes=5)


def lately(key: str) -> str:
    """The key of what people can raise again and again: one within each five minutes of the clock."""
    return f"{key} {int(now().timestamp() // QUIET.total_seconds())}"


def tell(swiss: Swiss, what: str, players: Iterable[int], *, key: str = "", **params: Word) -> None:
    """Tell players by id what happened, once for each `what` and `key` of the event. Those without an account are left out."""
    tell_each(swiss, what, [(player, params) for player in players], key=key)


def tell_each(swiss: Swiss, what: str, told: Iterable[tuple[int, Words]], *, key: str = "") -> None:
    """As `tell`, with words of their own for each player."""
    words = dict(told)
    users = Player.objects.filter(pk__in=list(words), user__isnull=False).values_list("user_id", "pk")
    notify_each(
        key=_matter(swiss, f"{what} {key}"),
        message=SENTENCES[what],
        url=swiss.event.get_absolute_url(),
        words={user: {"event": swiss.event.title} | words[player] for user, player in users},
        important=what not in OF_THE_MOMENT,
        repeats=what in BY_THE_BOARD,
    )


def tell_seats(swiss: Swiss, seated: Round, *, key: str) -> None:
    """Tell everybody where to sit in a round; a `key` of its own when the round is seated once more."""
    what = {Seat.Side.NS: "seated NS", Seat.Side.EW: "seated EW", "": "sits out"}
    notify_found(
        told="""SELECT player.user_id, told.key, told.message, jsonb_strip_nulls(
                    jsonb_build_object('event', %s::text, 'round', %s::int, 'table', seat."table"))
                FROM pairs_seat seat
                JOIN unnest(%s::text[], %s::text[], %s::text[]) AS told(side, key, message) ON told.side = seat.side
                JOIN pairs_entrant entrant ON entrant.entry_id = seat.contestant_id
                JOIN users_player player ON player.id = entrant.player_id AND player.user_id IS NOT NULL
                WHERE seat.round_id = %s""",
        values=[
            swiss.event.title,
            seated.number,
            list(what),
            [_matter(swiss, f"{said} {key}") for said in what.values()],
            [SENTENCES[said] for said in what.values()],
            seated.pk,
        ],
        url=reverse("pairs:own_table", args=[swiss.pk])
        if swiss.has_tables
        else swiss.event.get_absolute_url(),
        important=False,
    )


def tell_directors(swiss: Swiss, what: str, *, key: str, url: str = "", **params: Word) -> None:
    """Tell all who may direct the event; it leads to their page of it, unless another is named.

    What they were told under this key is open again.
    """
    users, key = list(directors_of(swiss).values_list("pk", flat=True)), _matter(swiss, f"{what} {key}")
    mark_unread(key=key, users=users)
    notify(
        users=users,
        key=key,
        message=SENTENCES[what],
        url=url or reverse("pairs:direct", args=[swiss.pk]),
        params={"event": swiss.event.title} | params,
        important=what not in OF_THE_MOMENT,
        repeats=what in BY_THE_BOARD,
    )


def settle(swiss: Swiss, *matters: str, players: Iterable[int] | None = None) -> None:
    """Mark as read what directors and players were told of matters that are settled: a `what`, or with the begin of its key.

    Without any matter it is all that concerns the event; without players those of all its pairs are meant.
    """
    if players is None:
        told = User.objects.filter(player__memberships__contestant__entry__swiss=swiss)
    else:
        told = User.objects.filter(player__in=list(players))
    users = told.values("pk").union(directors_of(swiss).values("pk"))
    mark_settled(matters=[_matter(swiss, matter) for matter in matters or ("",)], users=users)


def _matter(swiss: Swiss, said: str) -> str:
    return f"event {swiss.pk} {said}".strip()
