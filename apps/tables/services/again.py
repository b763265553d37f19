"""A board that is over, taken up again: the same cards, the same seat, robots in the others, as far as one wants to go back."""

from uuid import uuid4

from django.db import transaction
from django.utils.translation import gettext_noop
from django.views.decorators.debug import sensitive_variables

from apps.clock.time import now
from apps.tables.hands import done_on
from apps.tables.models import LETTERS, Sitting, Table, TableBoard
from apps.tables.refusals import Refused
from apps.tables.services.boards import seat_robots
from apps.tables.services.calls import own_command
from apps.tables.services.locks import lock_table
from apps.tables.services.opening import Chair, House, Plan, open_tables
from apps.tables.services.playing import break_off, repeat
from apps.tables.services.practice import OPENINGS, count_opening
from apps.tables.services.seating import AGAIN, begin_when_complete
from apps.users.models import Player
from bridge.table import TableRules


@transaction.atomic
@sensitive_variables()
def play_again(*, table_board: TableBoard, player: Player, place: int) -> Table:
    """A table at which a finished board of a practice table is played on from some call or card, with three robots.

    What comes of it is no result of anything. One such table is open for a player at a time: the one before is left.

    Args:
        place: How many calls and cards stay as they were; the first of all is 0.

    Raises:
        Refused: The player did not play this board to its end, it is not of a practice table, or there was no such place.
    """
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    seat = next(
        (letter for letter, who in zip(LETTERS, table_board.players, strict=False) if who == player.pk), None
    )
    if seat is None or not table_board.table.casual or table_board.state != TableBoard.State.OVER:
        raise Refused("Only who has played a board at a practice table plays it again.")
    done = done_on(table_board.pk)
    if not 0 <= place < max(len(done), 1):
        raise Refused("There is no such place on this board.")
    count_opening(player, OPENINGS * 4)
    _leave_others(player)
    name = f"{AGAIN}-{uuid4()}"
    plan = Plan(
        subject=name,
        title=gettext_noop("Played again"),
        chairs={seat: Chair(player.pk)},
        boards=[table_board.board_id],
        back=table_board.get_absolute_url(),
    )
    house = House(rules=TableRules(undo_cards=True), casual=True)
    opened = open_tables(purpose=AGAIN, occasion=name, plans=[plan], house=house)[name]
    table = lock_table(opened.pk)
    seat_robots([table], [letter for letter in LETTERS if letter != seat])
    begin_when_complete(table)
    for number, (who, action) in enumerate(done[:place]):
        repeat(table, who, action, at=now(), command=own_command(table, f"again {number}"))
    return table


def _leave_others(player: Player) -> None:
    """What the player has taken up again before ends."""
    before = Sitting.objects.filter(player=player, table__purpose=AGAIN).exclude(
        table__state=Table.State.OVER
    )
    for sitting in before.order_by("table"):
        table = lock_table(sitting.table_id)
        break_off(table, seats=[sitting.seat], command=own_command(table, "left"))
