"""Practice tables: anybody opens one, anybody sits down."""

from uuid import uuid4

from django.db import transaction
from django.utils.translation import gettext_noop

from apps.boards.services import deal_boards, seal_deals
from apps.tables.models import Table
from apps.tables.refusals import Refused
from apps.tables.services.opening import Chair, House, Plan, open_tables
from apps.tables.services.seating import MOST_TABLES, elsewhere
from apps.users.models import Player
from bridge.table import TableRules

PRACTICE = "practice"
BOARDS = 4


@transaction.atomic
def open_practice_table(*, player: Player, seat: str = "S") -> Table:
    """A table with random boards, at which the player sits and others may sit down.

    Raises:
        Refused: The player sits at another one.
    """
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    if elsewhere(player) >= MOST_TABLES:
        raise Refused("You sit at another table. Leave it first.")
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
    return open_tables(purpose=PRACTICE, occasion=name, plans=[plan], house=house)[name]
