"""Practice tables: anybody opens one, anybody sits down."""

from datetime import timedelta
from uuid import uuid4

from django.core.cache import cache
from django.db import transaction
from django.utils.translation import gettext_noop

from apps.boards.services import deal_boards, seal_deals
from apps.clock.time import now
from apps.tables.models import Table
from apps.tables.refusals import Refused
from apps.tables.services.opening import Chair, House, Plan, open_tables
from apps.tables.services.seating import MOST_TABLES, call_robots, elsewhere
from apps.users.models import Player
from bridge.table import TableRules

PRACTICE = "practice"
BOARDS = 4
OPENINGS, WITHIN = 5, timedelta(minutes=10)  # of one player


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
    _count_opening(player)
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
    table = open_tables(purpose=PRACTICE, occasion=name, plans=[plan], house=house)[name]
    if robots and player.user:
        call_robots(table_id=table.pk, user=player.user)
        table.refresh_from_db()
    return table


def _count_opening(player: Player) -> None:
    """Keep in mind that the player, whose row is locked, opens a table now, unless it is one too many."""
    key, at = f"practice-tables:{player.pk}", now()
    lately = [opened for opened in cache.get(key, []) if at - WITHIN < opened]
    if len(lately) >= OPENINGS:
        raise Refused(
            "You have opened many tables. Sit down at one of them, or open another in some minutes."
        )
    cache.set(key, [*lately, at], WITHIN.total_seconds())
