"""Many tables looked at together: each watcher gets what is for him, in as many statements as for one table."""

import json
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.tables.models import Table, TableEvent, TableWord
from apps.tables.services.talk import say
from apps.tables.watching import NOT_YOURS, SIGNED_OUT, Knock, Look, Watched, Watcher, admit, look
from bridge.auction import PASS
from bridge.table import MakeCall
from tests.tables.stand import Stand, session_of
from tests.tables.tables import Browser, do, make_cast, make_member, make_table, user_of, who_acts

SEATS = "NESW"


def make_tables(number: int) -> list[Table]:
    return [make_table(make_cast(f"{place} "), subject=str(place)) for place in range(number)]


def browser_of(table: Table, seat: str) -> Browser:
    return Browser(table.sittings.select_related("player__user").get(seat=seat).player, table)


def watch(table: Table, *, has: int = 0, look: Look | None = None) -> Watched:
    """A table with its four players, who have this version of it."""
    knocks = [Knock(session_of(browser_of(table, seat)), table.uuid, directing=False) for seat in SEATS]
    watchers = [watcher for watcher in admit(knocks) if isinstance(watcher, Watcher)]
    assert len(watchers) == len(SEATS)
    return Watched(table.pk, dict.fromkeys(watchers, has), look.around if look else None)


def statements(watched: list[Watched]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        look(watched)
    return len(captured)


@pytest.mark.django_db
def test_each_of_many_tables_is_seen_as_when_it_is_looked_at_alone() -> None:
    tables = make_tables(3)
    for number, table in enumerate(tables):
        for _ in range(number):
            do(table, who_acts(table), MakeCall(PASS))
        say(
            table_id=table.pk,
            user=user_of(who_acts(table)),
            command=uuid4(),
            to=TableWord.To.TABLE,
            text=f"{number}",
        )
    watched = [watch(table) for table in tables]
    for each, together in zip(watched, look(watched), strict=True):
        (alone,) = look([each])
        assert together.version == alone.version
        assert together.sittings == alone.sittings
        for watcher in each.watchers:
            seen, own = json.loads(together.frames[watcher]), json.loads(alone.frames[watcher])
            assert seen | {"now": "", "clock": {}} == own | {"now": "", "clock": {}}
    assert len({frame for each in look(watched) for frame in each.frames.values()}) == 12


@pytest.mark.django_db
def test_more_tables_take_no_more_statements() -> None:
    watched = [watch(table) for table in make_tables(4)]
    look(watched)  # the process knows the boards then
    assert statements(watched[:1]) == statements(watched)
    known = [
        Watched(each.table_id, each.watchers, seen.around)
        for each, seen in zip(watched, look(watched), strict=True)
    ]
    assert statements(known) == statements(watched) - 4
    knocks = [
        Knock(watcher.session, uuid4(), directing=False) for each in watched for watcher in each.watchers
    ]
    with CaptureQueriesContext(connection) as captured:
        admit(knocks)
    assert len(captured) == 2


@pytest.mark.django_db
def test_who_has_the_newest_version_is_made_no_view() -> None:
    (table,) = make_tables(1)
    (seen,) = look([watch(table)])
    assert len(seen.frames) == 4
    (again,) = look([watch(table, has=seen.version, look=seen)])
    assert (again.frames, len(again.sittings)) == ({}, 4)
    do(table, who_acts(table), MakeCall(PASS))
    (newer,) = look([watch(table, has=seen.version, look=seen)])
    assert (newer.version, len(newer.frames)) == (seen.version + 1, 4)


@pytest.mark.django_db
def test_the_right_of_each_watcher_is_looked_at_wherever_the_others_are() -> None:
    tables = make_tables(2)
    one, two = [watch(table) for table in tables]
    nora, *others = one.watchers
    stranger = Browser(make_member("Vera"), tables[0])
    (vera,) = admit([Knock(session_of(stranger), tables[0].uuid, directing=False)])
    assert isinstance(vera, Watcher)
    user = user_of(tables[0].sittings.select_related("player__user").get(seat="N").player)
    user.set_password("another one")
    user.save()
    first, second = look([Watched(tables[0].pk, {**one.watchers, vera: 0}), two])
    assert first.refused == {nora: SIGNED_OUT, vera: NOT_YOURS}
    assert first.frames.keys() == set(others)
    assert not second.refused


@pytest.mark.django_db(transaction=True)
def test_a_table_that_cannot_be_looked_at_is_not_the_trouble_of_the_others(stand: Stand) -> None:
    tables = make_tables(3)
    lines = [stand.connect(browser_of(table, "N"), table) for table in tables]
    versions = [line.view()["v"] for line in lines]
    broken = tables[1]
    TableEvent.objects.create(
        table=broken,
        table_board_id=broken.current_id or 0,
        sequence=broken.sequence + 1,
        version=broken.version + 1,
        command=uuid4(),
        at=broken.opened_at,
        action={"do": "play", "card": "SA"},  # before the auction is over
    )
    Table.objects.filter(pk=broken.pk).update(version=broken.version + 1, sequence=broken.sequence + 1)
    for _ in range(2):
        for place in (0, 2):
            do(tables[place], who_acts(tables[place]), MakeCall(PASS))
            versions[place] += 1
            assert lines[place].view(versions[place])["v"] == versions[place]
