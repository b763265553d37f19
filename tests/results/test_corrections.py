"""What a director corrects, by the services and by the page."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from apps.masterpoints.models import Award
from apps.masterpoints.services import award_event
from apps.pairs.models import Event, Standing
from apps.pairs.selectors import untold_corrections
from apps.pairs.services.corrections import tell_of_correction
from apps.pairs.services.publishing import publish_event
from apps.pairs.services.ranking import rank_event
from apps.results.models import Comparison, Contestant, FieldBoard, Result, ResultChange
from apps.results.selectors import changes_of_contestant, changes_of_field, points_of
from apps.results.services import change_result, compare_field, move_result, reconsider_field
from apps.users.models import Notice, Player, User
from bridge.awards import Grade, Ruling
from bridge.comparison import Method
from bridge.contracts import read_contract
from bridge.errors import BridgeError, ImpossibleResult
from tests.factories import Entry, make_event, make_user
from tests.faults.threads import at_once

pytestmark = pytest.mark.django_db

BOARDS: list[list[Entry]] = [["4S N =", "4S N +1", "3NT S -1"], ["2H E =", "2H E -1", "Pass"]]


@pytest.fixture
def event() -> Event:
    event = make_event(BOARDS, method=Method.MP)
    publish_event(event_id=event.pk, by=None)
    return event


@pytest.fixture
def director() -> User:
    return make_user("dora", director=True)


def result_of(event: Event, board: int, table: int) -> Result:
    return Result.objects.get(
        field_board__field=event.field, field_board__board__number=board, ns__label=f"{table} NS"
    )


def result_of_any(event: Event, board: int) -> Result:
    return Result.objects.get(field_board__field=event.field, field_board__board__number=board)


def pair_of(event: Event, label: str) -> Contestant:
    return Contestant.objects.get(field=event.field, label=label)


def account_of(pair: Contestant) -> User:
    """An account for the first player of the pair."""
    player = pair.players.earliest("pk")
    player.user = make_user(f"user{player.pk}")
    player.save()
    return player.user


def follow(event: Event) -> None:
    """What the workers do after a correction."""
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)
    award_event(event_id=event.pk)
    for change in untold_corrections():
        tell_of_correction(change_id=change)


def told(user: User) -> QuerySet[Notice]:
    """What the person was told of corrections."""
    return Notice.objects.filter(user=user, key__startswith="result corrected")


def contract(text: str) -> dict[str, Any]:
    bid, tricks = read_contract(text)
    return {"contract": bid, "tricks": tricks}


def happened(result: Result) -> str:
    result.refresh_from_db()
    return f"{result.level}{result.strain} {result.declarer} {result.tricks}"


# ---- moving a result


def test_two_results_entered_under_each_others_number_change_places(event: Event, director: User) -> None:
    first, second = result_of(event, 1, 1), result_of(event, 2, 1)
    move_result(result_id=first.pk, to=second.field_board, by=director, reason="boards mixed up")
    assert (happened(first), happened(second)) == ("2H E 8", "4S N 10")
    assert (first.ns_score, second.ns_score) == (-110, 620)  # North–South are vulnerable on board 2
    changes = ResultChange.objects.order_by("result_id")
    assert [(each.result_id, each.reason) for each in changes] == [
        (first.pk, "boards mixed up"),
        (second.pk, "boards mixed up"),
    ]


def test_a_result_entered_for_the_wrong_pairs_goes_to_the_right_ones(event: Event, director: User) -> None:
    third = pair_of(event, "3 NS")
    Result.objects.filter(field_board__board__number=1, ns=third).delete()
    wrong = result_of(event, 1, 1)
    seat = third.players.earliest("pk")
    Result.objects.filter(pk=wrong.pk).update(north=seat, east=seat)
    move_result(result_id=wrong.pk, ns=third, by=director, reason="wrong pair number")
    wrong.refresh_from_db()
    assert (wrong.ns.label, wrong.ew.label, wrong.ns_score) == ("3 NS", "1 EW", 420)
    assert (wrong.north, wrong.east) == (None, seat)
    follow(event)
    lost = Standing.objects.get(event=event, session=0, contestant__label="1 NS")
    assert lost.boards == 1


def test_pairs_of_two_tables_change_places(event: Event, director: User) -> None:
    first, second = result_of(event, 1, 1), result_of(event, 1, 2)
    move_result(result_id=first.pk, ns=second.ns, ew=second.ew, by=director, reason="tables mixed up")
    assert (happened(first), happened(second)) == ("4S N 11", "4S N 10")


def test_a_result_takes_no_place_that_another_table_holds(event: Event, director: User) -> None:
    first, second = result_of(event, 1, 1), result_of(event, 1, 2)
    with pytest.raises(BridgeError, match="another result on board 1"):
        move_result(result_id=first.pk, ns=second.ns, by=director, reason="wrong pair number")
    with pytest.raises(BridgeError, match="against itself"):
        move_result(result_id=first.pk, ns=first.ew, by=director, reason="wrong pair number")
    elsewhere = make_event([[420, 450]])
    with pytest.raises(BridgeError, match="stays in its event"):
        move_result(
            result_id=first.pk, to=elsewhere.field.field_boards.get(), by=director, reason="wrong event"
        )
    assert not ResultChange.objects.exists()


def test_a_moved_result_takes_its_ruling_along(event: Event, director: User) -> None:
    first = result_of(event, 1, 1)
    ruling = Ruling(Grade.PLUS, Grade.MINUS)
    change_result(result_id=first.pk, by=director, reason="fouled", ruling=ruling, **contract("4S N ="))
    second = result_of(event, 2, 1)
    move_result(result_id=first.pk, to=second.field_board, by=director, reason="boards mixed up")
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.kind, first.ruling) == ("played", None)
    assert (second.kind, second.ruling) == ("ruled", ruling.to_json())


@pytest.mark.django_db(transaction=True)
def test_two_directors_swap_the_same_results_at_once_and_neither_waits_for_ever(director: User) -> None:
    event = make_event(BOARDS, method=Method.MP)
    first, second = result_of(event, 1, 1), result_of(event, 2, 1)
    answers = at_once(
        partial(move_result, result_id=first.pk, to=second.field_board, by=director, reason="mixed up"),
        partial(move_result, result_id=second.pk, to=first.field_board, by=director, reason="mixed up"),
        partial(change_result, result_id=first.pk, by=director, reason="revoke", **contract("4S N -1")),
    )
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    boards = set(Result.objects.filter(pk__in=[first.pk, second.pk]).values_list("field_board", flat=True))
    assert len(boards) == 2
    assert ResultChange.objects.count() == 5
    compare_field(field_id=event.field_id)
    assert len(points_of([first.pk, second.pk])) == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_corrections_that_start_from_the_same_page_one_is_refused(director: User) -> None:
    event = make_event(BOARDS, method=Method.MP)
    first = result_of(event, 1, 1)
    change = partial(change_result, result_id=first.pk, by=director, reason="revoke", seen=0)
    answers = at_once(partial(change, **contract("4S N -1")), partial(change, **contract("4S N -2")))
    assert [type(answer) for answer in answers].count(ImpossibleResult) == 1
    assert ResultChange.objects.count() == 1


@pytest.mark.parametrize("winners", [1, 2])
@pytest.mark.parametrize("method", list(Method))
def test_an_event_with_a_moved_result_is_as_if_it_had_been_entered_right(
    director: User, client: Client, method: Method, winners: int
) -> None:
    """Points, the scale of boards with fewer results, standings and travellers follow."""
    first: list[Entry] = ["4S N =", "4S N +1", "3NT S -1", "4S N -1"]
    second: list[Entry] = ["2H E =", "2H E -1", "Pass", None]
    third: list[Entry] = ["1NT W =", "1NT W +1", "1NT W -1", "1NT W ="]
    right = make_event([first, second, third], method=method, winners=winners)
    wrong = make_event([[*first[:3], None], [*second[:3], "4S N -1"], third], method=method, winners=winners)
    for event in (right, wrong):
        publish_event(event_id=event.pk, by=None)
    assert figures_of(wrong) != figures_of(right)

    moved = result_of(wrong, 2, 4)
    move_result(result_id=moved.pk, to=result_of(wrong, 1, 4).field_board, by=director, reason="wrong number")
    follow(wrong)
    assert figures_of(wrong) == figures_of(right)
    said = [
        client.get(reverse("pairs:board", args=[event.pk, 1, 2])).text.count("brought to the scale")
        for event in (right, wrong)
    ]
    assert said == [int(method is Method.MP)] * 2


def figures_of(event: Event) -> list[Any]:
    """What every pair has in the standings, and every result on its board."""
    standings = Standing.objects.filter(event=event).order_by("position", "contestant__order")
    results = Result.objects.filter(field_board__field=event.field_id).exclude(kind="not played")
    points = points_of(list(results.values_list("pk", flat=True)))
    boards = {
        (row.field_board.board.number, row.ns.label): (points[row.pk].ns, points[row.pk].ew)
        for row in results.select_related("field_board__board", "ns")
    }
    rows = [(each.contestant.label, each.rank, each.tied, each.score, each.boards) for each in standings]
    return [*rows, boards]


# ---- who is told


def test_both_pairs_are_told_of_a_moved_result_and_nobody_else(event: Event, director: User) -> None:
    first, second = result_of(event, 1, 1), result_of(event, 2, 1)
    concerned = [account_of(pair_of(event, label)) for label in ("1 NS", "1 EW")]
    other = account_of(pair_of(event, "2 NS"))
    move_result(result_id=first.pk, to=second.field_board, by=director, reason="boards mixed up")
    follow(event)
    for user in concerned:
        notices = [str(notice) for notice in told(user)]
        assert len(notices) == 2
        assert all("boards mixed up" in notice for notice in notices)
    assert not told(other).exists()


def test_the_pair_that_lost_a_result_is_told_as_is_the_pair_that_got_it(event: Event, director: User) -> None:
    third = pair_of(event, "3 NS")
    Result.objects.filter(field_board__board__number=1, ns=third).delete()
    loser, winner = account_of(pair_of(event, "1 NS")), account_of(third)
    move_result(result_id=result_of(event, 1, 1).pk, ns=third, by=director, reason="wrong pair number")
    follow(event)
    assert "was taken for yours" in str(told(loser).get())
    assert "is yours" in str(told(winner).get())
    assert told(winner).get().url == reverse("pairs:scorecard", args=[event.pk, third.order])


def test_nobody_is_told_twice_and_nobody_of_a_draft(director: User) -> None:
    event = make_event(BOARDS)
    user, result = account_of(pair_of(event, "1 NS")), result_of(event, 1, 1)
    change_result(result_id=result.pk, by=director, reason="in the draft", **contract("4S N +1"))
    follow(event)
    publish_event(event_id=event.pk, by=director)
    follow(event)
    assert not Notice.objects.exists()
    change_result(result_id=result.pk, by=director, reason="revoke", **contract("4S N -1"))
    assert untold_corrections() == [ResultChange.objects.latest("pk").pk]
    follow(event)
    tell_of_correction(change_id=ResultChange.objects.latest("pk").pk)
    assert [notice.user for notice in Notice.objects.all()] == [user]
    assert untold_corrections() == []


def test_each_pair_is_told_of_the_moves_that_concern_it(event: Event, director: User) -> None:
    second, third = pair_of(event, "2 NS"), pair_of(event, "3 NS")
    Result.objects.filter(field_board__board__number=1, ns__in=[second, third]).delete()
    users = [account_of(pair_of(event, "1 NS")), account_of(second), account_of(third)]
    for pair in (second, third):
        move_result(result_id=result_of_any(event, 1).pk, ns=pair, by=director, reason="wrong pair number")
    follow(event)
    assert [told(user).count() for user in users] == [1, 2, 1]
    assert untold_corrections() == []


def test_the_score_cards_of_all_concerned_show_the_correction(
    event: Event, director: User, client: Client
) -> None:
    third = pair_of(event, "3 NS")
    Result.objects.filter(field_board__board__number=1, ns=third).delete()
    move_result(result_id=result_of(event, 1, 1).pk, ns=third, by=director, reason="wrong pair number")
    follow(event)
    shown = {
        pair.label: "corrected: wrong pair number"
        in client.get(reverse("pairs:scorecard", args=[event.pk, pair.order])).text
        for pair in Contestant.objects.filter(field=event.field)
    }
    assert {label for label, is_shown in shown.items() if is_shown} == {"1 NS", "1 EW", "3 NS"}
    assert len(changes_of_field(event.field_id)) == 1
    assert changes_of_contestant(pair_of(event, "2 EW").pk) == []


# ---- what follows from a correction


def test_saving_without_a_change_leaves_rank_points_and_history_alone(event: Event, director: User) -> None:
    award_event(event_id=event.pk)
    result = result_of(event, 1, 1)
    rows = ("contestant", "rank", "position", "score_numerator", "score_denominator", "masterpoints")

    def everything() -> Sequence[object]:
        return [
            list(Standing.objects.order_by("pk").values_list("pk", *rows)),
            list(Award.objects.order_by("pk").values_list("pk", "points")),
            list(Comparison.objects.order_by("pk").values_list("pk", "ns_points", "compared_at")),
            list(ResultChange.objects.values_list("pk")),
            list(FieldBoard.objects.order_by("pk").values_list("results_version")),
        ]

    before = everything()
    change_result(result_id=result.pk, by=director, reason="again", **contract("4S N ="))
    move_result(result_id=result.pk, to=result.field_board, ns=result.ns, by=director, reason="again")
    compare_field(field_id=event.field_id)
    award_event(event_id=event.pk)
    assert everything() == before


def test_a_pair_passes_two_equal_ones_on_all_pages_at_once(director: User, client: Client) -> None:
    # pairs 2 and 3 share a place above pair 1 until the correction lifts pair 1 above both
    rows: list[list[Entry]] = [
        [-50, 100, 100, 50],
        [100, 50, 50, 110],
        [50, 100, 100, 110],
        [420, 50, 50, 50],
    ]
    event = make_event(rows, method=Method.MP)
    publish_event(event_id=event.pk, by=director)

    def order(address: str) -> list[str]:
        text = client.get(address).text
        labels = ["1 NS", "2 NS", "3 NS", "4 NS"]
        names = {label: pair_of(event, label).players.earliest("pk").name for label in labels}
        return sorted(labels, key=lambda label: text.index(names[label]))

    pages = [event.get_absolute_url(), reverse("pairs:standings_file", args=[event.pk])]
    standing = {each.contestant.label: each for each in Standing.objects.filter(event=event, session=0)}
    assert standing["2 NS"].score == standing["3 NS"].score > standing["1 NS"].score
    change_result(result_id=result_of(event, 1, 1).pk, by=director, reason="wrong sign", score=620)
    before = [order(page) for page in pages]
    compare_field(field_id=event.field_id)
    assert [order(page) for page in pages] == before  # numbers and order change together, with the standings
    rank_event(event_id=event.pk)
    assert all(order(page).index("1 NS") < order(page).index("2 NS") for page in pages)
    after = Standing.objects.get(event=event, session=0, contestant__label="1 NS")
    score = f"{float(after.score):.2f}"
    card = client.get(reverse("pairs:scorecard", args=[event.pk, 1])).text
    player = client.get(pair_of(event, "1 NS").players.earliest("pk").get_absolute_url()).text
    for text in (card, player, *(client.get(page).text for page in pages)):
        assert score in text


def test_an_unfinished_board_that_the_director_assigns_counts_as_any_other(director: User) -> None:
    event = make_event([[None, 450, 420, -50], [50, 50, 50, 50]], method=Method.MP)
    publish_event(event_id=event.pk, by=director)
    unfinished = result_of(event, 1, 1)
    assert points_of([unfinished.pk]) == {}
    change_result(result_id=unfinished.pk, by=director, reason="time", ruling=Ruling.assigned(420))
    follow(event)
    points = points_of(
        list(Result.objects.filter(field_board=unfinished.field_board).values_list("pk", flat=True))
    )
    assert points[unfinished.pk].ns == points[result_of(event, 1, 3).pk].ns == 3
    assert points[result_of(event, 1, 2).pk].ns == 6
    standing = Standing.objects.get(event=event, session=0, contestant__label="1 NS")
    assert standing.score == Fraction(100 * (3 + 3), 12)
    assert (ResultChange.objects.get().by, ResultChange.objects.get().reason) == (director, "time")


def test_disqualified_pairs_have_no_rank_and_the_others_move_up(client: Client) -> None:
    event = make_event([[10 * place for place in range(20, 0, -2)]], method=Method.MP)
    publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    out = Standing.objects.filter(event=event, session=0, contestant__direction="NS", rank__in=[2, 7])
    gone = list(out.values_list("contestant", flat=True))
    boards = list(Comparison.objects.values_list("ns_points", flat=True))
    Contestant.objects.filter(pk__in=gone).update(status=Contestant.Status.DISQUALIFIED)
    reconsider_field(field_id=event.field_id)
    follow(event)
    ns = Standing.objects.filter(event=event, session=0, contestant__direction="NS").order_by("position")
    assert [each.rank for each in ns] == [1, 2, 3, 4, 5, 6, 7, 8, None, None]
    assert [each.contestant_id for each in ns if each.rank is None] == gone
    assert {each.masterpoints for each in ns if each.rank is None} == {0}
    assert list(Comparison.objects.values_list("ns_points", flat=True)) == boards  # boards stay as played
    for player in Player.objects.filter(contestants__in=gone):
        assert sum(Award.objects.filter(player=player).values_list("points", flat=True)) == 0
    assert client.get(event.get_absolute_url()).text.count("disqualified") == 2


def test_equal_totals_have_the_same_rank_on_every_page(client: Client) -> None:
    rows: list[list[Entry]] = [[170, 140, 110, 110, 90]]
    event = make_event(rows, method=Method.MP)
    publish_event(event_id=event.pk, by=None)
    pairs = [pair_of(event, f"{table} NS") for table in range(1, 6)]
    ranks = ["1", "2", "3=", "3=", "5"]
    lists = client.get(event.get_absolute_url()).context["lists"]
    assert [line.place for line in lists[0].lines] == ranks
    lines = client.get(reverse("pairs:standings_file", args=[event.pk])).content.decode().splitlines()
    in_file = [line.split(",")[0].strip('"') for line in lines if ",NS," in line]
    assert in_file == ranks
    for pair, rank in zip(pairs, ranks, strict=True):
        card = client.get(reverse("pairs:scorecard", args=[event.pk, pair.order]))
        assert card.context["line"].place == rank
        player = pair.players.earliest("pk")
        assert f'<td class="n">{rank}</td>' in client.get(player.get_absolute_url()).text
        player.user = make_user(f"user{player.pk}")
        player.save()
        client.force_login(player.user)
        assert f'<td class="n">{rank}</td>' in client.get("/").text
        client.logout()
