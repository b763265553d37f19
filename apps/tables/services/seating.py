"""Who sits where: seats are taken and left at casual tables; a director sends a substitute to any."""

from uuid import UUID

from django.db import transaction

from apps.clock.services import record
from apps.clock.time import now
from apps.tables.models import LETTERS, Sitting, Table
from apps.tables.refusals import Closed, Refused
from apps.tables.selectors import LEFT, has_looked, has_sat, titles_of
from apps.tables.services.boards import (
    begin_board,
    close_table,
    following,
    is_under_way,
    people_at,
    seat_robots,
)
from apps.tables.services.locks import lock_table, touch
from apps.tables.services.playing import Done, sitting_of
from apps.users.models import Player, User

AGAIN = "again"  # the purpose of tables at which a player takes up a board that is over
MOST_TABLES = 1  # casual tables that one player sits at


@transaction.atomic
def take_seat(*, table_id: int | UUID, seat: str, player: Player) -> Sitting:
    """Sit down on a free seat of a casual table, or on one of a robot or whose player is gone. Who sits there already stays.

    The fourth to sit down brings the board.

    Raises:
        Refused: The seat is taken, the table is not for everybody, or the player sits elsewhere or knows other hands.
    """
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)  # one seat, also from two windows at once
    table = lock_table(table_id)
    if table.is_over:
        raise Closed("This table is closed.")
    if not table.casual:
        raise Refused("The seats of this table are given by its event.")
    if table.purpose == AGAIN:
        raise Refused("Here somebody plays a board again. Open a table of your own.")
    if seat not in LETTERS:
        raise Refused("There is no such seat.")
    sittings = {sitting.seat: sitting for sitting in table.sittings.select_related("player")}
    mine = next((sitting for sitting in sittings.values() if sitting.player_id == player.pk), None)
    if mine:
        if mine.seat == seat:
            return mine
        raise Refused("You sit at this table already.")
    if elsewhere(player) >= MOST_TABLES:
        raise Refused("You sit at another table. Leave it first.")
    if player.user_id and has_looked(table_id=table.pk, user_id=player.user_id):
        raise Refused("You have seen the hands of this table.")
    _refuse_two_hands(table, seat, player)
    there = sittings.get(seat)
    if there and there.gone_at is None and not there.player.is_robot:
        raise Refused("%(player)s sits there.", player=there.player.name)
    if there:
        _get_up(table, there)
    at = now()
    title = titles_of([player.pk]).get(player.pk, "")
    sitting = Sitting.objects.create(
        table=table, seat=seat, player=player, title=title, sat_at=at, last_seen=at
    )
    begin_when_complete(table)
    return sitting


def _refuse_two_hands(table: Table, seat: str, player: Player) -> None:
    """Who has seen one hand of a board does not play another.

    Raises:
        Refused: The player sat on another seat while the board was played that lies there.
    """
    if is_under_way(table) and has_sat(table=table, player=player, but=seat):
        raise Refused("%(player)s has played another hand of this board.", player=player.name)


def elsewhere(player: Player) -> int:
    """At how many casual tables a player sits. Those at which a board is played again are nobody else's."""
    return (
        Sitting.objects.filter(player=player, table__casual=True)
        .exclude(table__purpose=AGAIN)
        .exclude(table__state=Table.State.OVER)
        .count()
    )


@transaction.atomic
def leave_seat(*, table_id: int | UUID, user: User, stay: bool = False) -> Done:
    """Leave a casual table: at once when no board is being played, else when it has ended. Again, it changes nothing.

    Args:
        stay: Take it back.

    Raises:
        Refused: Seats of an event are not left.
        Sitting.DoesNotExist: The user does not sit there.
    """
    table = lock_table(table_id)
    sitting = sitting_of(table, user)
    if not table.casual:
        raise Refused("The seats of this table are given by its event.")
    if table.is_over:
        return Done(table.version, again=True)
    if not stay and not is_under_way(table):
        get_up(table, sitting)
    elif sitting.leaving is stay:
        table.sittings.filter(pk=sitting.pk).update(leaving=not stay)
        touch(table)
    return Done(table.version)


def get_up(table: Table, sitting: Sitting) -> None:
    """Empty a seat of a table that is held and at which no board is being played; the last person to go closes it."""
    _get_up(table, sitting)
    if not people_at(table):
        close_table(table, Table.Why.EMPTY, at=now())
    else:
        touch(table)


def _get_up(table: Table, sitting: Sitting) -> None:
    if is_under_way(table):
        left = {"board": table.current_id, "seat": sitting.seat, "player": sitting.player_id}
        record(actor=None, action=LEFT, subject_kind="tables.table", subject_id=table.pk, after=left)
    sitting.delete()


def begin_when_complete(table: Table) -> None:
    """Lay the next board on a table that waited for its players."""
    coming = following(table)
    waited = table.state == Table.State.WAITING
    if waited and coming and table.sittings.count() == len(LETTERS):
        begin_board(table, coming, at=now())
    else:
        touch(table)


@transaction.atomic
def call_robots(*, table_id: int | UUID, user: User) -> Done:
    """Robots take the seats of a casual table that are free. Where none is, nothing changes.

    Raises:
        Sitting.DoesNotExist: The user does not sit there.
        Refused: Seats of an event are not given away.
    """
    table = lock_table(table_id)
    sitting_of(table, user)
    if not table.casual:
        raise Refused("The seats of this table are given by its event.")
    taken = set(table.sittings.values_list("seat", flat=True))
    free = [seat for seat in LETTERS if seat not in taken]
    if table.is_over or not free:
        return Done(table.version, again=True)
    seat_robots([table], free)
    begin_when_complete(table)
    return Done(table.version)


@transaction.atomic
def be_ready(*, table_id: int | UUID, user: User) -> Done:
    """Ready for the next board; it comes when all four are. Again, it changes nothing.

    Raises:
        Sitting.DoesNotExist: The user does not sit there.
    """
    table = lock_table(table_id)
    sitting = sitting_of(table, user)
    if sitting.ready or table.state != Table.State.PLAYING or is_under_way(table):
        return Done(table.version, again=True)
    table.sittings.filter(pk=sitting.pk).update(ready=True)
    coming = following(table)
    if coming and table.sittings.filter(ready=True).count() == len(LETTERS):
        begin_board(table, coming, at=sitting.moment)
    else:
        touch(table)
    return Done(table.version)


@transaction.atomic
def substitute(
    *, table_id: int | UUID, seat: str, player: Player, by: User | None, reason: str = ""
) -> Sitting:
    """Another player takes a seat from now on, in the middle of a board too. Again, it changes nothing.

    Raises:
        Closed: The table is over.
        Refused: The player sits at this table already, or has held another hand of the board that lies there.
    """
    table = lock_table(table_id)
    if table.is_over:
        raise Closed("This table is closed.")
    sittings = {sitting.seat: sitting for sitting in table.sittings.all()}
    there = sittings.get(seat)
    if there and there.player_id == player.pk:
        return there
    if any(sitting.player_id == player.pk for sitting in sittings.values()):
        raise Refused("%(player)s sits at this table already.", player=player.name)
    _refuse_two_hands(table, seat, player)
    if there:
        _get_up(table, there)
    title = titles_of([player.pk]).get(player.pk, "")
    sitting = Sitting.objects.create(table=table, seat=seat, player=player, title=title, sat_at=now())
    record(
        actor=by,
        action="tables.substitute",
        subject_kind="tables.table",
        subject_id=table.pk,
        before={"seat": seat, "player": there.player_id if there else None},
        after={"seat": seat, "player": player.pk},
        reason=reason,
    )
    begin_when_complete(table)
    return sitting
