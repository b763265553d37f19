"""A pair asks the director about a board when its table is closed, and gets an answer that both sides read."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from apps.clock.models import AuditEntry
from apps.pages.invariants import broken
from apps.pairs.models import Swiss
from apps.pairs.selectors.tables import PURPOSE
from apps.pairs.services.corrections import tell_of_correction
from apps.pairs.services.direction import reopen_corrections
from apps.pairs.tasks import sweep
from apps.results.models import Result, ResultChange
from apps.results.services import change_result
from apps.tables.models import DirectorCall, Table, TableBoard, TableWord
from apps.tables.selectors import calls_for_director
from apps.tables.services.afterwards import ask_afterwards, let_stand
from apps.tables.services.opening import House
from apps.tables.services.talk import say_as_director
from apps.users.models import Player, User
from bridge.errors import BridgeError
from tests.faults.threads import at_once
from tests.pairs.evening import pass_time, reload
from tests.pairs.test_tables import event_at_tables, open_round, tables_of
from tests.tables.tables import make_member, make_table, play_board, user_of

pytestmark = pytest.mark.django_db

WORDS = "East hesitated before he passed"


def finished(**settings: Any) -> tuple[Swiss, TableBoard]:
    """An event of one round that is over and can be corrected, and a board of its first table."""
    swiss = event_at_tables(rounds=1, **settings)
    tables = tables_of(open_round(swiss))
    for board in range(swiss.boards):
        for table in tables:
            play_board(table, seed=board)
        pass_time(seconds=16)
    pass_time(minutes=25)
    swiss = reload(swiss)
    assert swiss.state == Swiss.State.FINISHED
    table = Table.objects.filter(purpose=PURPOSE).order_by("pk")[0]
    return swiss, table.boards.select_related("table", "board").get(position=1)


def player_of(board: TableBoard, seat: str) -> Player:
    return Player.objects.get(pk=board.players["NESW".index(seat)])


def client_of(player: Player) -> Client:
    client = Client()
    client.force_login(user_of(player))
    return client


def director(name: str = "Dora") -> User:
    return user_of(make_member(name, director=True))


def ask(board: TableBoard, seat: str, *, command: UUID | None = None, text: str = WORDS) -> DirectorCall:
    return ask_afterwards(
        table_board_id=board.pk,
        user=user_of(player_of(board, seat)),
        command=command or uuid4(),
        text=text,
    )


def result_of(board: TableBoard) -> Result:
    return Result.objects.get(field_board__board=board.board_id, ns__members__player=player_of(board, "N"))


def told(player: Player) -> list[str]:
    return [str(notice) for notice in user_of(player).notices.order_by("pk")]


def test_a_pair_asks_on_the_page_of_its_board_and_the_director_lets_it_stand() -> None:
    _swiss, board = finished()
    dora, west = director(), client_of(player_of(board, "W"))
    page = west.get(board.get_absolute_url()).content.decode()
    assert "Ask the director about this board" in page
    question = {"command": uuid4(), "text": WORDS}
    for _ in range(2):  # sent twice
        answer = west.post(reverse("tables:ask", args=[board.table.uuid, board.position]), question)
        assert answer["Location"] == board.get_absolute_url()
    (call,) = calls_for_director(dora)
    directing = Client()
    directing.force_login(dora)
    queue = directing.get(reverse("tables:calls")).content.decode()
    assert WORDS in queue
    assert f'href="{board.get_absolute_url()}#questions"' in queue
    assert [str(notice) for notice in dora.notices.all()] == [
        "Swiss evening: table 1 asks the director about board 1 of round 1."
    ]
    shown = directing.get(board.get_absolute_url()).content.decode()
    assert WORDS in shown
    assert reverse("results:correct", args=[result_of(board).pk]) in shown
    decision = {"call": call.pk, "reason": "no damage was done"}
    for _ in range(2):
        directing.post(reverse("tables:answer", args=[board.table.uuid, board.position]), decision)
    for seat in "NESW":
        page = client_of(player_of(board, seat)).get(board.get_absolute_url()).content.decode()
        assert WORDS in page
        assert "no damage was done" in page
        assert (
            told(player_of(board, seat))[-1]
            == "Swiss evening: the result of board 1 stands. Reason: no damage was done"
        )
    assert calls_for_director(dora) == []
    assert not dora.notices.filter(read_at=None).exists()
    assert AuditEntry.objects.filter(action="tables.let stand", actor_id=dora.pk).count() == 1


def test_a_correction_answers_what_was_asked() -> None:
    _swiss, board = finished()
    dora = director()
    call = ask(board, "N")
    other = ask(board.table.boards.get(position=2), "N")
    result = result_of(board)
    change_result(result_id=result.pk, passed_out=True, by=dora, reason="a revoke")
    tell_of_correction(change_id=ResultChange.objects.get().pk)
    call.refresh_from_db()
    assert (call.verdict, call.answer, call.settled_by) == ("corrected", "a revoke", dora)
    assert calls_for_director(dora) == [other]
    page = client_of(player_of(board, "E")).get(board.get_absolute_url()).content.decode()
    assert "a revoke" in page
    assert "the result was corrected" in page
    assert any("a revoke" in each for each in told(player_of(board, "E")))
    assert not any("stands" in each for each in told(player_of(board, "E")))
    tell_of_correction(change_id=ResultChange.objects.get().pk)
    later = ask(board, "N", text="and the lead?")
    tell_of_correction(change_id=ResultChange.objects.get().pk)  # it came before the question
    later.refresh_from_db()
    assert later.settled_at is None


def test_a_table_that_has_finished_may_ask_while_its_round_is_still_played() -> None:
    swiss = event_at_tables()
    table, _other = tables_of(open_round(swiss))
    play_board(table, seed=1)
    board = table.boards.select_related("table").get(position=1)
    with pytest.raises(BridgeError, match="At the table"):
        ask(board, "N")
    pass_time(seconds=16)
    play_board(table, seed=2)
    assert ask(board, "N").afterwards
    stranger = client_of(tables_of(open_round(swiss))[1].sittings.get(seat="N").player)
    assert stranger.get(board.get_absolute_url()).status_code == 404


def test_each_side_asks_twice_about_a_board_and_once_at_a_time() -> None:
    _swiss, board = finished()
    dora = director()
    first = ask(board, "N")
    with pytest.raises(BridgeError, match="has asked about"):
        ask(board, "S")
    ask(board, "E")  # the other side is not kept from it
    assert let_stand(call_id=first.pk, by=dora, reason="no damage")
    second = ask(board, "S")
    assert let_stand(call_id=second.pk, by=dora, reason="no damage")
    with pytest.raises(BridgeError, match="enough"):
        ask(board, "N")
    page = client_of(player_of(board, "N")).get(board.get_absolute_url()).content.decode()
    assert "Ask the director about this board" not in page


def test_the_own_score_card_leads_to_the_boards_that_can_be_asked_about() -> None:
    swiss, board = finished()
    pair = player_of(board, "N").memberships.get().contestant
    card = reverse("pairs:scorecard", args=[swiss.pk, pair.order])
    link = f'href="{board.get_absolute_url()}#questions"'
    assert link in client_of(player_of(board, "S")).get(card).content.decode()
    assert link not in client_of(player_of(board, "E")).get(card).content.decode()
    assert link not in Client().get(card).content.decode()
    pass_time(minutes=40)
    assert link not in client_of(player_of(board, "N")).get(card).content.decode()


def test_nobody_asks_who_has_not_played_it_and_nobody_without_words() -> None:
    _swiss, board = finished()
    elsewhere = Table.objects.filter(purpose=PURPOSE).order_by("pk")[1].boards.get(position=1)
    outsider = player_of(elsewhere, "N")
    with pytest.raises(BridgeError, match="have not played"):
        ask_afterwards(table_board_id=board.pk, user=user_of(outsider), command=uuid4(), text=WORDS)
    with pytest.raises(BridgeError, match="nothing to say"):
        ask(board, "N", text="  ")
    with pytest.raises(BridgeError, match="at the most"):
        ask(board, "N", text="x" * 301)
    ask(board, "N")
    for client in (client_of(outsider), client_of(make_member("Vera")), Client()):
        page = client.get(board.get_absolute_url())
        assert page.status_code == 200  # the round is over
        assert WORDS not in page.content.decode()
        assert "Ask the director about this board" not in page.content.decode()
    refused = client_of(player_of(board, "N")).post(
        reverse("tables:answer", args=[board.table.uuid, board.position]), {"call": 1, "reason": "mine"}
    )
    assert refused.status_code == 403
    assert DirectorCall.objects.filter(settled_at=None).count() == 1


def test_a_result_is_final_only_when_what_was_asked_is_answered_and_directors_are_told_once() -> None:
    swiss, board = finished()
    dora = director()
    directing = Client()
    directing.force_login(dora)
    page = reverse("pairs:direct", args=[swiss.pk])
    sentence = "What was asked has no answer yet."
    call = ask(board, "N")
    assert sentence not in directing.get(page).text
    pass_time(minutes=30)
    for _ in range(2):
        pass_time(minutes=10)
        sweep()
    assert reload(swiss).state == Swiss.State.FINISHED
    assert sentence in directing.get(page).text
    reminders = [str(notice) for notice in dora.notices.filter(read_at=None) if "no answer" in str(notice)]
    assert len(reminders) == 1
    assert broken() == []
    assert let_stand(call_id=call.pk, by=dora, reason="no damage")
    sweep()
    assert reload(swiss).state == Swiss.State.OFFICIAL
    assert not dora.notices.filter(read_at=None).exists()
    pass_time(minutes=60)
    assert AuditEntry.objects.filter(action="pairs.official").count() == 1
    assert broken() == []


def test_what_nobody_answers_holds_a_result_open_for_as_long_again_and_its_askers_are_told() -> None:
    swiss, board = finished()
    dora = director()
    call = ask(board, "N")
    for _ in range(2):
        assert reload(swiss).state == Swiss.State.FINISHED
        pass_time(minutes=31)
    swiss = reload(swiss)
    assert swiss.state == Swiss.State.OFFICIAL
    call.refresh_from_db()
    assert (call.verdict, call.settled_by) == ("no answer", None)
    assert calls_for_director(dora) == []
    assert not dora.notices.filter(read_at=None).exists()
    said = (
        "Swiss evening: nobody answered what your side asked about board 1. Its result stands, and is final."
    )
    assert [said in told(player_of(board, seat)) for seat in "NESW"] == [True, False, True, False]
    with pytest.raises(BridgeError, match="final"):
        ask(board, "E")
    page = client_of(player_of(board, "E")).get(board.get_absolute_url()).text
    assert "nobody answered in time" in page
    assert "Ask the director about this board" not in page
    assert broken() == []
    reopen_corrections(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="an appeal")
    assert ask(board, "E").settled_at is None


def test_a_result_that_is_final_at_once_waits_for_nobody() -> None:
    swiss, board = finished()
    ask(board, "N")
    Swiss.objects.update(correction_minutes=0)
    pass_time(minutes=31)
    assert reload(swiss).state == Swiss.State.OFFICIAL


def test_what_was_asked_and_answered_stands_in_the_log_of_the_event_and_is_no_decision_of_who_asked() -> None:
    swiss, board = finished()
    dora = director()
    for seat, reason in (("N", "no damage was done"), ("E", "the play was not affected")):
        assert let_stand(call_id=ask(board, seat).pk, by=dora, reason=reason)
    ask(board.table.boards.get(position=2), "N", text="They revoked")
    other = Result.objects.get(
        field_board__board=board.table.boards.get(position=2).board_id,
        ns__members__player=player_of(board, "N"),
    )
    change_result(result_id=other.pk, passed_out=True, by=dora, reason="a revoke")
    tell_of_correction(change_id=ResultChange.objects.get().pk)

    directing = Client()
    directing.force_login(dora)
    log, decisions = (
        directing.get(reverse("pairs:direct_log", args=[swiss.pk]) + query).text for query in ("?all=1", "")
    )

    asked = "the director was asked about a board"
    assert log.count(asked) == 3
    assert log.count(WORDS) == 2
    assert log.count("asked about a board, the director lets its result stand") == 2
    assert log.count("asked about a board, the director corrected its result") == 1
    for said in ("They revoked", "no damage was done", "the play was not affected", "a revoke"):
        assert said in log
    assert asked not in decisions
    assert decisions.count("asked about a board, the director lets its result stand") == 2
    entry = AuditEntry.objects.filter(action="pairs.asked afterwards").earliest("pk")
    assert entry.actor_id == user_of(player_of(board, "N")).pk
    assert entry.after == {"round": 1, "table": 1, "board": 1}


def test_at_a_casual_table_there_is_nobody_to_ask() -> None:
    table = make_table(house=House(casual=True))
    play_board(table)
    board = table.boards.select_related("table").get(position=1)
    with pytest.raises(BridgeError, match="At the table"):
        ask(board, "N")


def test_a_director_who_plays_in_the_event_does_not_answer_it() -> None:
    _swiss, board = finished()
    call = ask(board, "N")
    player = player_of(board, "E")
    User.objects.filter(pk=user_of(player).pk).update(is_director=True)
    player = Player.objects.select_related("user").get(pk=player.pk)
    assert calls_for_director(user_of(player)) == []
    answer = client_of(player).post(
        reverse("tables:answer", args=[board.table.uuid, board.position]),
        {"call": call.pk, "reason": "we were right"},
    )
    assert answer.status_code == 403


def test_an_open_question_neither_hides_nor_is_a_call_at_a_table() -> None:
    """Another table of the event calls its director as ever."""
    swiss = event_at_tables()
    table, other = tables_of(open_round(swiss))
    play_board(table, seed=1)
    pass_time(seconds=16)
    play_board(table, seed=2)
    board = table.boards.select_related("table").get(position=1)
    ask(board, "N")
    view = client_of(player_of(board, "N")).get(f"{table.get_absolute_url()}view").json()
    assert view["director"] is None
    assert len(calls_for_director(director())) == 1
    assert not other.director_calls.exists()


def asked_in_the_open_round() -> tuple[Swiss, Table, TableBoard, DirectorCall]:
    """A table has finished and asks about its first board, which still lies at the other table."""
    swiss = event_at_tables()
    table, other = tables_of(open_round(swiss))
    play_board(table, seed=1)
    pass_time(seconds=16)
    play_board(table, seed=2)
    board = table.boards.select_related("table").get(position=1)
    return swiss, other, board, ask(board, "N")


def test_who_directs_the_event_is_led_to_the_question_and_not_to_the_table() -> None:
    swiss, _other, board, call = asked_in_the_open_round()
    dora = director()
    directing = Client()
    directing.force_login(dora)
    page = directing.get(reverse("pairs:direct", args=[swiss.pk])).text
    assert "calls the director" not in page
    assert "Round 1, table 1 asks about board 1," in page
    assert f'href="{board.get_absolute_url()}#questions"' in page
    let_stand(call_id=call.pk, by=dora, reason="no damage")
    assert "asks about board" not in directing.get(reverse("pairs:direct", args=[swiss.pk])).text


SECRET = "the king of spades"


def administration(call: DirectorCall, event: int) -> list[str]:
    """Where whoever runs the site could read what was said about a board."""
    entries = AuditEntry.objects.filter(reason__contains=SECRET)
    word = TableWord.objects.get(text=SECRET)
    return [
        "/admin/tables/directorcall/",
        f"/admin/tables/directorcall/{call.pk}/change/",
        "/admin/tables/tableword/",
        f"/admin/tables/tableword/{word.pk}/change/",
        "/admin/clock/auditentry/",
        *(f"/admin/clock/auditentry/{entry.pk}/change/" for entry in entries),
        reverse("pairs:setup", args=[event]),
        reverse("pairs:direct_log", args=[event]),
    ]


def test_who_runs_the_site_and_plays_reads_nothing_about_a_board_until_the_result_is_final() -> None:
    swiss, other, board, _call = asked_in_the_open_round()
    dora = director()
    call = ask(board, "E", text=SECRET)
    let_stand(call_id=call.pk, by=dora, reason=SECRET)
    say_as_director(table_id=board.table_id, by=dora, command=uuid4(), text=SECRET)
    player = other.sittings.get(seat="N").player
    User.objects.filter(player=player).update(is_staff=True, is_superuser=True)
    plays = client_of(Player.objects.get(pk=player.pk))
    User.objects.filter(pk=dora.pk).update(is_staff=True, is_superuser=True)
    directs = Client()
    directs.force_login(User.objects.get(pk=dora.pk))
    shown = administration(call, swiss.pk)
    assert not [address for address in shown if SECRET in plays.get(address).content.decode()]
    assert not [address for address in shown if SECRET not in directs.get(address).content.decode()]
    Swiss.objects.filter(pk=swiss.pk).update(state=Swiss.State.OFFICIAL)
    assert not [address for address in shown if SECRET not in plays.get(address).content.decode()]


def test_the_database_keeps_no_answer_without_its_reason() -> None:
    _swiss, board = finished()
    call = ask(board, "N")
    for wrong in ({"verdict": "stands"}, {"answer": "no"}, {"text": ""}, {"table_board": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            DirectorCall.objects.filter(pk=call.pk).update(**wrong)


@pytest.mark.django_db(transaction=True)
def test_partners_who_ask_at_the_same_moment_ask_once() -> None:
    _swiss, board = finished()
    answers = at_once(lambda: ask(board, "N"), lambda: ask(board, "S"))
    assert sorted(isinstance(answer, BridgeError) for answer in answers) == [False, True]
    assert DirectorCall.objects.filter(afterwards=True).count() == 1
