"""Practice tables: anybody opens one, anybody sits down."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

from django.core.cache import cache
from django.db import transaction
from django.utils.translation import gettext_noop

from apps.boards.services import deal_boards, seal_deals
from apps.clock.time import now
from apps.tables.models import Sitting, Table
from apps.tables.refusals import Refused
from apps.tables.services.opening import Chair, House, Plan, open_tables
from apps.tables.services.seating import MOST_TABLES, call_robots, elsewhere
from apps.users.models import Player, User
from apps.users.services import welcome_guest
from bridge.table import TableRules

PRACTICE = "practice"
BOARDS = 4
LOOKS_AGAIN = (
    600  # seconds for which the next board waits while a player among robots looks at the last one again
)
OPENINGS, WITHIN = 5, timedelta(minutes=10)  # of one player
GUESTS = 20  # within that time from one address: a club, a school


@transaction.atomic
def open_practice_table(*, player: Player, seat: str = "S", robots: bool = False) -> Table:
    """A table with random boards, at which the player sits and others may sit down.

    Args:
        robots: They take the other seats, and the first board lies there at once.

    Raises:
        Refused: The player sits at another one, or has opened many just now.
    """
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    if elsewhere(player) >= MOST_TABLES:
        raise Refused("You sit at another table. Leave it first.")
    count_opening(player, OPENINGS)
    name = f"practice-{uuid4()}"
    seal = seal_deals(name=name)
    dealt = deal_boards(seal_id=seal.pk, round_number=1, numbers=range(1, BOARDS + 1), title=name)
    plan = Plan(
        subject=name,
        title=gettext_noop("Practice table"),
        chairs={seat: Chair(player.pk)},
        boards=list(dealt.boards.order_by("number").values_list("pk", flat=True)),
    )
    house = House(rules=TableRules(undo_cards=True), casual=True)
    if robots:
        house = replace(house, pause_seconds=LOOKS_AGAIN)
    table = open_tables(purpose=PRACTICE, occasion=name, plans=[plan], house=house)[name]
    if robots and player.user:
        call_robots(table_id=table.pk, user=player.user)
        table.refresh_from_db()
    return table


@transaction.atomic
def play_now(*, user: User | None, address: str, language: str, time_zone: str) -> tuple[User, Table]:
    """A board at once: the practice table of this person, or a new one with three robots. Again, it is the same table.

    Args:
        user: None is a visitor, who becomes a guest.
        address: Where the visitor asks from, in whatever form: so many guests come from one.
        language, time_zone: In which a guest reads.

    Raises:
        Refused: So many tables were opened just now.
    """
    if user is None:
        _count(f"guests:{address}", GUESTS)
        user = welcome_guest(language=language, time_zone=time_zone)
    player = Player.objects.select_for_update(no_key=True).get(user=user)
    sitting = Sitting.objects.filter(player=player, table__purpose=PRACTICE).exclude(
        table__state=Table.State.OVER
    )
    mine = sitting.select_related("table").first()
    return user, mine.table if mine else open_practice_table(player=player, robots=True)


def count_opening(player: Player, most: int) -> None:
    """Keep in mind that a player, whose row is held, opens a table now.

    Raises:
        Refused: It is one too many.
    """
    _count(f"practice-tables:{player.pk}", most)


def _count(key: str, most: int) -> None:
    """Keep in mind that a table is opened now, unless it is one too many.

    Raises:
        Refused: It is.
    """
    at = now()
    lately = [opened for opened in cache.get(key, []) if at - WITHIN < opened]
    if len(lately) >= most:
        raise Refused(
            "You have opened many tables. Sit down at one of them, or open another in some minutes."
        )
    cache.set(key, [*lately, at], WITHIN.total_seconds())
