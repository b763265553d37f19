"""Questions that several apps answer together."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from apps.boards.models import Board
from apps.masterpoints.models import Award
from apps.pairs.models import Event, Standing
from apps.pairs.selectors import unranked_events
from apps.results.models import FieldBoard, Member
from apps.users.models import Player, name_key
from bridge.masterpoints import Title, title


def known_players() -> QuerySet[Player]:
    """Players whom everybody may know of: with an account, or in a published event. A draft's names stay with it."""
    published = Member.objects.filter(
        player=OuterRef("pk"), contestant__field__event__state=Event.State.PUBLISHED
    )
    return Player.objects.filter(Q(user__isnull=False) | Exists(published))


def find_players(*, text: str = "", after: int | None = None, size: int) -> list[Player]:
    """A page of players by name, each with the number of his published `events`. One query, along an index.

    Args:
        text: Only players whose name has these letters.
        after: Continue after this player.
        size: How many players make a page.
    """
    published = (
        Member.objects.filter(player=OuterRef("pk"), contestant__field__event__state=Event.State.PUBLISHED)
        .order_by()
        .values("player")
        .annotate(number=Count("pk"))
        .values("number")
    )
    players = known_players().annotate(events=Coalesce(Subquery(published), 0))
    if text:
        players = players.filter(name_key__contains=name_key(text))
    if after is not None:
        start = Player.objects.filter(pk=after).values("name_key")
        players = players.filter(Q(name_key__gt=Subquery(start)) | Q(name_key=Subquery(start), pk__gt=after))
    return list(players.order_by("name_key", "pk")[:size])


@dataclass(frozen=True, slots=True)
class Partnership:
    """What two players did together."""

    partner: Player
    events: int
    percent: Fraction | None  # mean of the events scored by matchpoints


@dataclass(frozen=True, slots=True)
class Career:
    """What a player's page shows."""

    points: Decimal
    title: Title
    standings: list[Standing]
    partnerships: list[Partnership]


def career(player: Player) -> Career:
    """Events, partners and master points of a player. A fixed number of queries."""
    points = Award.objects.filter(player=player).aggregate(sum=Sum("points"))["sum"] or Decimal(0)
    standings = list(
        Standing.objects.filter(
            session=0, contestant__members__player=player, event__state=Event.State.PUBLISHED
        )
        .select_related("event__field", "contestant")
        .prefetch_related("contestant__members__player")
        .order_by("-event__played_on", "-event_id")
    )
    together: dict[Player, list[Standing]] = {}
    for standing in standings:
        for member in standing.contestant.members.all():
            if member.player_id != player.pk:
                together.setdefault(member.player, []).append(standing)
    partnerships = [
        Partnership(partner, len(shared), _mean_percent(shared))
        for partner, shared in sorted(together.items(), key=lambda item: (-len(item[1]), item[0].name_key))
    ]
    return Career(points, title(points), standings, partnerships)


def _mean_percent(standings: list[Standing]) -> Fraction | None:
    scores = [standing.score for standing in standings if standing.event.field.method == "MP"]
    return sum(scores, Fraction(0)) / len(scores) if scores else None


def latest_standings(player: Player, limit: int) -> list[Standing]:
    """The player's places in the newest published events."""
    standings = Standing.objects.filter(
        session=0, contestant__members__player=player, event__state=Event.State.PUBLISHED
    )
    return list(
        standings.select_related("event__field", "contestant").order_by("-event__played_on", "-event_id")[
            :limit
        ]
    )


def waiting() -> dict[str, int]:
    """How much work is not done yet: the workers and the sweeps bring each of them to 0."""
    return {
        "boards_to_compare": FieldBoard.objects.filter(compared_version__lt=F("results_version")).count(),
        "events_to_rank": len(unranked_events()),
        "deals_to_solve": Board.objects.filter(par_score=None).exclude(deal="").count(),
    }
