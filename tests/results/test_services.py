import threading
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from apps.clock.time import now
from apps.pairs.models import Event
from apps.pairs.services.publishing import discard_event, publish_event
from apps.results.models import Comparison, Field, FieldBoard, Penalty, Result, ResultChange
from apps.results.selectors import stale_fields
from apps.results.services import Play, change_result, compare_field, move_result, record_results
from apps.results.tasks import compare_field as compare_field_later
from apps.users.models import Player
from bridge.awards import Grade, Ruling
from bridge.comparison import Method, Rules
from bridge.contracts import read_contract
from bridge.errors import BridgeError
from tests.factories import make_event, make_play, make_user

ROWS = [[450, 420, -800, -50, 420, 420], [0, 50, 50, 50, -100, 50]]


def points(event: Event, board: int = 1) -> list[Fraction]:
    comparison = Comparison.objects.get(field_board__field=event.field, field_board__board__number=board)
    return [Fraction(each, comparison.denominator) for each in comparison.ns_points]


def digest(event: Event) -> list[tuple[object, ...]]:
    rows = Comparison.objects.filter(field_board__field=event.field).order_by("field_board")
    return list(
        rows.values_list(
            "field_board", "results", "ns_points", "ew_points", "dropped", "denominator", "datum"
        )
    )


@pytest.mark.django_db
def test_a_board_is_scored_against_its_trimmed_datum() -> None:
    event = make_event(ROWS)
    assert compare_field(field_id=event.field_id) == 2
    assert points(event) == [4, 3, -15, -8, 3, 3]
    comparison = Comparison.objects.get(field_board__board__number=1)
    assert (comparison.datum, comparison.dropped) == (300, [True, False, True, False, False, False])


@pytest.mark.django_db
def test_moments_that_are_put_in_order_are_the_databases_whatever_clock_the_web_server_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: datetime(2001, 2, 3, tzinfo=UTC))
    began = now()
    event = make_event(ROWS)
    publish_event(event_id=event.pk, by=None)
    result = Result.objects.earliest("pk")
    change_result(result_id=result.pk, by=None, reason="misread", score=50)
    Penalty.objects.create(contestant=result.ns, points=1, reason="slow")
    ended = now()
    for model, column in (
        (Event, "created_at"),
        (Event, "published_at"),
        (Result, "recorded_at"),
        (Comparison, "compared_at"),
        (ResultChange, "at"),
        (Penalty, "given_at"),
    ):
        moments = list(model._default_manager.values_list(column, flat=True))
        assert moments, column
        assert all(began <= moment <= ended for moment in moments), column


@pytest.mark.django_db
def test_comparing_twice_changes_nothing() -> None:
    event = make_event(ROWS)
    compare_field(field_id=event.field_id)
    first, version = digest(event), Event.objects.get().field.version
    assert compare_field(field_id=event.field_id) == 0
    assert (digest(event), Event.objects.get().field.version) == (first, version)
    assert compare_field(field_id=event.field_id, everything=True) == 2
    assert digest(event) == first


@pytest.mark.django_db
def test_the_sweep_finds_what_nobody_compared() -> None:
    event = make_event(ROWS)
    assert stale_fields() == [event.field_id]
    compare_field(field_id=event.field_id)
    assert stale_fields() == []


@pytest.mark.django_db(transaction=True)
def test_a_message_about_a_board_whose_field_was_discarded_is_no_error() -> None:
    event = make_event(ROWS)
    field = event.field_id
    assert discard_event(event_id=event.pk)
    compare_field_later(field)
    assert not Comparison.objects.exists()
    with pytest.raises(Field.DoesNotExist):
        compare_field(field_id=field)


@pytest.mark.django_db
def test_a_ruling_is_a_change_with_its_history() -> None:
    event = make_event(ROWS)
    compare_field(field_id=event.field_id)
    director, result = make_user(director=True), Result.objects.earliest("pk")
    changed = change_result(
        result_id=result.pk, by=director, reason="unfinished", ruling=Ruling.assigned(420)
    )
    assert stale_fields() == [event.field_id]
    compare_field(field_id=event.field_id)
    assert points(event)[0] == points(event)[1]
    change = ResultChange.objects.get()
    assert (change.by, change.reason, change.before["ns_score"]) == (director, "unfinished", 450)
    assert changed.kind == Result.Kind.RULED


@pytest.mark.django_db
def test_saving_the_same_result_again_changes_nothing() -> None:
    make_event([["4S N +1", 420], [50, 50]])
    result = Result.objects.earliest("pk")
    version = result.field_board.results_version
    contract, tricks = read_contract("4S N +1")
    change_result(result_id=result.pk, by=None, reason="again", contract=contract, tricks=tricks)
    assert not ResultChange.objects.exists()
    assert FieldBoard.objects.get(pk=result.field_board_id).results_version == version


@pytest.mark.django_db
def test_a_result_entered_under_the_wrong_number_moves_and_is_scored_there() -> None:
    """The other board has another vulnerability."""
    event = make_event([["4S N =", 420], [None, 50]])
    wrong = Result.objects.earliest("pk")
    Result.objects.filter(field_board__board__number=2, kind="not played").delete()
    to = FieldBoard.objects.get(board__number=2)
    moved = move_result(result_id=wrong.pk, to=to, by=None, reason="wrong number")
    assert moved.ns_score == 620
    compare_field(field_id=event.field_id)
    assert len(points(event, 1)) == 1
    assert len(points(event, 2)) == 2


@pytest.mark.django_db
def test_all_that_is_known_of_a_play_is_recorded() -> None:
    event = make_event([[None, None, None, None, None]])
    rows = list(Result.objects.order_by("pk"))
    Result.objects.all().delete()
    contract, tricks = read_contract("3NTX W -4")
    seats = tuple(Player.objects.order_by("pk")[:4])
    ruling = Ruling.weighted(((Fraction(1, 3), -620), (Fraction(2, 3), 100)))
    facts: list[dict[str, Any]] = [
        {
            "contract": contract,
            "tricks": tricks,
            "lead": "HK",
            "round": 7,
            "table": 'A\t"é\\',
            "seats": seats,
        },
        {"passed_out": True, "round": 0},
        {"score": -7600},
        {"contract": contract, "tricks": tricks, "ruling": ruling},
        {},
    ]
    plays = [Play(row.field_board, row.ns, row.ew, **known) for row, known in zip(rows, facts, strict=True)]
    assert record_results(field=event.field, plays=plays, source="imported") == 5

    places = Result.objects.order_by("pk").values_list("field_board", "ns", "ew", "source")
    assert list(places) == [(row.field_board_id, row.ns_id, row.ew_id, "imported") for row in rows]
    happened = ("kind", "level", "strain", "doubling", "declarer", "tricks", "ns_score", "ruling")
    played = 3, "NT", 1, "W", 5, 800
    assert list(Result.objects.order_by("pk").values_list(*happened)) == [
        ("played", *played, None),
        ("played", 0, "", 0, "", None, 0, None),
        ("played", None, "", 0, "", None, -7600, None),
        ("ruled", *played, ruling.to_json()),
        ("not played", None, "", 0, "", None, None, None),
    ]
    first, second, *_ = Result.objects.order_by("pk")
    assert (first.lead, first.round, first.table) == ("HK", 7, 'A\t"é\\')
    assert (first.north, first.east, first.south, first.west) == seats
    assert (second.lead, second.round, second.table, second.north) == ("", 0, "", None)
    assert first.recorded_at == second.recorded_at


@pytest.mark.django_db
@pytest.mark.parametrize("entry", [425, 7610])
def test_a_score_that_cannot_be_is_refused_and_nothing_is_recorded(entry: int) -> None:
    event = make_event([[420, None], [50, 50]])
    row = Result.objects.get(kind="not played")
    row.delete()
    board = FieldBoard.objects.get(board__number=1)
    number = Result.objects.count()
    with pytest.raises(BridgeError):
        record_results(field=event.field, plays=[make_play(entry, board, row.ns, row.ew)], source="entered")
    assert Result.objects.count() == number


@pytest.mark.django_db(transaction=True)
def test_a_pair_has_one_result_on_a_board() -> None:
    event = make_event([[420, 450]])
    row = Result.objects.earliest("pk")
    with pytest.raises(IntegrityError), transaction.atomic():
        record_results(
            field=event.field, plays=[make_play(400, row.field_board, row.ns, row.ew)], source="entered"
        )
    assert Result.objects.count() == 2


@pytest.mark.django_db
def test_average_plus_follows_the_pairs_own_percentage() -> None:
    graded = Ruling(Grade.PLUS, Grade.MINUS)
    event = make_event(
        [[graded, 100, 100, 90], [500, 100, 100, 90], [500, 100, 100, 90]], rules=Rules(Method.MP)
    )
    compare_field(field_id=event.field_id)
    comparison = Comparison.objects.get(field_board__board__number=1)
    assert comparison.top is not None
    assert comparison.ns_points[0] == comparison.top
    assert comparison.ew_points[0] == 0
    assert Fraction(comparison.top, comparison.denominator) == 6


def at_once(*works: object) -> list[BaseException]:
    errors: list[BaseException] = []
    start = threading.Barrier(len(works))

    def run(work: object) -> None:
        try:
            start.wait()
            assert callable(work)
            work()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return errors


@pytest.mark.django_db(transaction=True)
def test_workers_that_compare_one_field_at_once_agree() -> None:
    event = make_event(ROWS * 4)
    field = event.field_id
    assert not at_once(*[lambda: compare_field(field_id=field, everything=True) for _ in range(4)])
    first = digest(event)
    compare_field(field_id=field, everything=True)
    assert digest(event) == first


@pytest.mark.django_db(transaction=True)
def test_a_result_recorded_while_its_board_is_compared_is_not_lost() -> None:
    for _ in range(5):
        event = make_event([[420, 450, None], [50, 50, 50]])
        row = Result.objects.get(field_board__field=event.field, kind="not played")
        row.delete()
        field = event.field
        play = make_play(400, row.field_board, row.ns, row.ew)
        errors = at_once(
            lambda field=field: compare_field(field_id=field.pk, everything=True),
            lambda field=field, play=play: record_results(field=field, plays=[play], source="entered"),
        )
        assert not errors
        compare_field(field_id=field.pk)
        assert len(points(event)) == 3
