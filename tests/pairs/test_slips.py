"""Results at real tables: entered, confirmed, disputed, corrected by consent, decided, and ended by the bell."""

import random
from fractions import Fraction
from functools import partial
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.clock.models import AuditEntry
from apps.pairs.models import Round, RoundScore, Seat, Slip, SlipEntry, Standing, Swiss
from apps.pairs.services.direction import reopen_corrections, report_missing
from apps.pairs.services.ranking import rank_event
from apps.pairs.services.registration import Refused, say_present, withdraw_pair
from apps.pairs.services.rounds import call_off, close_round
from apps.pairs.services.slips import Said, confirm_result, decide_result, say_result
from apps.results.models import Comparison, Result, ResultChange
from apps.results.selectors import points_of
from apps.results.services import compare_field
from apps.users.models import Notice, Player
from bridge.comparison import Method, Rules, compare_board
from bridge.errors import BridgeError
from bridge.round_scores import Cut, cut_ruling
from tests.factories import make_user
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db
GAME, DOWN = Said.read("4S N =", "HK"), Said.read("4S N -1")


def seated(swiss: Swiss, table: int, side: str) -> Player:
    seat = Seat.objects.get(round__swiss=swiss, round__state=Round.State.OPEN, table=table, side=side)
    return Player.objects.filter(entrants__entry=seat.contestant_id).order_by("pk")[0]


def say(swiss: Swiss, side: str, said: Said, *, board: int = 1, table: int = 1) -> Slip:
    player = seated(swiss, table, side)
    assert player.user
    return say_result(
        event_id=swiss.pk, board=board, said=said, by=player.user, player=player, command=uuid4()
    )


@pytest.fixture
def playing() -> Swiss:
    swiss = make_swiss(rounds=1, boards=2)
    enter_pairs(swiss, 4)
    start(swiss)
    return swiss


def test_a_result_counts_when_the_other_side_says_the_same(playing: Swiss) -> None:
    assert say(playing, "NS", GAME).state == Slip.State.ENTERED
    assert not Result.objects.exists()
    assert say(playing, "EW", Said.read("4s n =")).state == Slip.State.CONFIRMED
    result = Result.objects.get()
    assert (result.level, result.strain, result.declarer, result.tricks, result.lead) == (
        4,
        "S",
        "N",
        10,
        "HK",
    )
    assert all((result.north_id, result.east_id, result.south_id, result.west_id))


def test_east_west_may_enter_first(playing: Swiss) -> None:
    assert say(playing, "EW", GAME).state == Slip.State.ENTERED
    assert say(playing, "NS", GAME).state == Slip.State.CONFIRMED


def test_two_words_are_a_dispute_until_they_are_one(playing: Swiss) -> None:
    say(playing, "NS", GAME)
    assert say(playing, "EW", DOWN).state == Slip.State.DISPUTED
    assert not Result.objects.exists()
    assert say(playing, "NS", DOWN).state == Slip.State.CONFIRMED
    assert Result.objects.get().tricks == 9


def test_both_sides_correct_a_result_by_consent(playing: Swiss) -> None:
    say(playing, "NS", GAME)
    say(playing, "EW", GAME)
    assert say(playing, "EW", DOWN).state == Slip.State.DISPUTED
    assert Result.objects.get().tricks == 10
    assert say(playing, "NS", DOWN).state == Slip.State.CONFIRMED
    assert Result.objects.get().tricks == 9
    assert ResultChange.objects.get().reason == ResultChange.AGREED


def test_a_command_that_comes_twice_has_one_effect(playing: Swiss) -> None:
    player, command = seated(playing, 1, "NS"), uuid4()
    assert player.user
    answers = [
        say_result(
            event_id=playing.pk, board=1, said=GAME, by=player.user, player=player, command=command
        ).version
        for _ in range(2)
    ]
    assert answers == [1, 1]
    assert SlipEntry.objects.count() == 1


def test_the_same_result_said_again_changes_nothing(playing: Swiss) -> None:
    say(playing, "NS", GAME)
    say(playing, "EW", GAME)
    version = Result.objects.get().field_board.results_version
    for side in ("NS", "EW"):
        assert say(playing, side, GAME).state == Slip.State.CONFIRMED
    director = make_user(director=True)
    told = Notice.objects.filter(user=seated(playing, 1, "NS").user)
    for said in (DOWN, DOWN, GAME, GAME, GAME):
        decide_result(
            event_id=playing.pk,
            number=1,
            table=1,
            board=1,
            said=said,
            by=director,
            reason="as played",
            command=uuid4(),
        )
    assert ResultChange.objects.count() == AuditEntry.objects.filter(action="pairs.decided").count() == 2
    assert told.filter(key__contains="ruled").count() == 2
    assert Result.objects.get().field_board.results_version == version + 2


def test_nobody_confirms_what_he_has_not_read(playing: Swiss) -> None:
    seen = say(playing, "NS", GAME).version
    say(playing, "NS", DOWN)
    east = seated(playing, 1, "EW")
    assert east.user
    with pytest.raises(Refused, match="has changed meanwhile"):
        confirm_result(event_id=playing.pk, board=1, version=seen, by=east.user, player=east, command=uuid4())


def test_what_cannot_be_is_refused_with_the_reason(playing: Swiss) -> None:
    for text in ("8S N =", "4S N +9", "4S =", "4S N", "nonsense"):
        with pytest.raises(BridgeError):
            Said.read(text)
    with pytest.raises(BridgeError):
        Said.read("4S N =", "1H")
    with pytest.raises(Refused, match="not played in round 1"):
        say(playing, "NS", GAME, board=9)
    stranger = Player.objects.create(name="Vera", user=make_user("vera"))
    assert stranger.user
    with pytest.raises(Refused, match="No round is being played"):
        say_result(
            event_id=playing.pk, board=1, said=GAME, by=stranger.user, player=stranger, command=uuid4()
        )


def test_a_word_that_nobody_contradicted_counts_at_the_bell(playing: Swiss) -> None:
    say(playing, "NS", GAME)
    pass_time(minutes=20)
    assert Slip.objects.get().state == Slip.State.UNCONFIRMED
    assert Result.objects.get(kind=Result.Kind.PLAYED).tricks == 10


def test_the_bell_asks_the_database_no_more_for_many_words_than_for_one() -> None:
    statements = []
    for words in (1, 12):
        swiss = make_swiss(rounds=1, boards=4)
        enter_pairs(swiss, 6, f"Words{words}")
        start(swiss)
        places = [(table, board) for board in range(1, 5) for table in range(1, 4)]
        for table, board in places[:words]:
            say(swiss, "NS", GAME, table=table, board=board)
        with CaptureQueriesContext(connection) as queries:
            close_round(event_id=swiss.pk, number=1)
        results = Result.objects.filter(field_board__field=swiss.event.field_id)
        assert results.filter(kind=Result.Kind.PLAYED).count() == words
        assert results.filter(kind=Result.Kind.CUT).count() == 12 - words
        statements.append(len(queries))
    cutting = 2  # with every board played nothing is cut
    assert statements[0] - cutting <= statements[1] <= statements[0], statements


def test_a_dispute_at_the_bell_is_cut_until_the_director_decides(playing: Swiss) -> None:
    say(playing, "NS", GAME)
    say(playing, "EW", DOWN)
    pairs = Slip.objects.get().ns_id
    pass_time(minutes=21)
    cut = Result.objects.get(ns=pairs, field_board__board__number=1)
    assert cut.kind == Result.Kind.CUT
    director = make_user(director=True)
    for _ in range(2):
        decide_result(
            event_id=playing.pk,
            number=1,
            table=1,
            board=1,
            said=GAME,
            by=director,
            reason="both agree now",
            command=uuid4(),
        )
    cut.refresh_from_db()
    assert (cut.kind, cut.tricks) == (Result.Kind.PLAYED, 10)
    assert cut.changes.count() == 1


def cut_off(swiss: Swiss) -> Result:
    """The bell of a round of two boards at three tables, and the board that the third did not finish."""
    enter_pairs(swiss, 6)
    start(swiss)
    for table, said in ((1, GAME), (2, DOWN)):
        for board in (1, 2):
            say(swiss, "NS", said, table=table, board=board)
            say(swiss, "EW", said, table=table, board=board)
    say(swiss, "NS", GAME, table=3, board=2)
    say(swiss, "EW", GAME, table=3, board=2)
    pass_time(minutes=21)
    return Result.objects.get(kind=Result.Kind.CUT)


@pytest.mark.parametrize("cut", list(Cut))
@pytest.mark.parametrize("method", list(Method))
def test_a_board_cut_off_gives_both_what_the_event_says_and_is_marked(
    client: Client, method: Method, cut: Cut
) -> None:
    swiss = make_swiss(method=method, cut=cut, rounds=1, boards=2)
    result = cut_off(swiss)
    points = points_of([result.pk])[result.pk]
    share = {Cut.MINUS: Fraction(2, 5), Cut.AVERAGE: Fraction(1, 2), Cut.NOTHING: Fraction(0)}[cut]
    assert points.ns == points.ew == (share * 4 if method is Method.MP else 0)
    others = Result.objects.filter(field_board=result.field_board, kind=Result.Kind.PLAYED).order_by("pk")
    alone = compare_board([420, -50, cut_ruling(method, cut)], Rules(method))
    of_others = points_of([other.pk for other in others])
    assert [of_others[other.pk].ns for other in others] == list(alone.ns[:2])

    completed = dict(RoundScore.objects.values_list("contestant_id", "completed"))
    assert (completed[result.ns_id], completed[result.ew_id], sum(completed.values())) == (1, 1, 10)
    for name, arguments in (
        ("board", [swiss.pk, 1, 1]),
        ("scorecard", [swiss.pk, result.ns.order]),
        ("scorecard", [swiss.pk, result.ew.order]),
    ):
        assert "not finished in time" in client.get(reverse(f"pairs:{name}", args=arguments)).text


@pytest.mark.parametrize("minutes", [0, 31])
def test_a_board_cut_off_that_the_director_decides_counts_as_any_other_however_late(
    client: Client, minutes: int
) -> None:
    """Players are refused from the bell on, the director only until he opens a final result again: the log has why."""
    swiss = make_swiss(rounds=1, boards=2)
    result = cut_off(swiss)
    pass_time(minutes=minutes)
    assert reload(swiss).state == (Swiss.State.OFFICIAL if minutes else Swiss.State.FINISHED)
    before = {each.contestant_id: each for each in Standing.objects.filter(event=swiss.event)}
    player, director = result.ns.players.earliest("pk"), make_user(director=True)
    assert player.user
    with pytest.raises(Refused, match="No round is being played"):
        say_result(event_id=swiss.pk, board=1, said=GAME, by=player.user, player=player, command=uuid4())
    decide = partial(
        decide_result,
        event_id=swiss.pk,
        number=1,
        table=3,
        board=1,
        said=GAME,
        by=director,
        reason="ten tricks were on the table",
        command=uuid4(),
    )
    if minutes:
        with pytest.raises(Refused, match="is final"):
            decide()
        version = reload(swiss).schedule_version
        reopen_corrections(event_id=swiss.pk, expected=version, by=director, reason="it was forgotten")
    decide()
    compare_field(field_id=swiss.event.field_id)
    rank_event(event_id=swiss.pk)

    result.refresh_from_db()
    assert (result.kind, result.ns_score) == (Result.Kind.PLAYED, 420)
    mine = points_of([result.pk])[result.pk]
    assert mine.ns == 3 and mine.ew == 1  # beside one other 420 and one −50
    after = {each.contestant_id: each for each in Standing.objects.filter(event=swiss.event)}
    assert after[result.ns_id].score - before[result.ns_id].score == Fraction(100 * 3, 8) - 20
    assert after[result.ew_id].score - before[result.ew_id].score == Fraction(100 * 1, 8) - 20
    assert (before[result.ns_id].boards, after[result.ns_id].boards) == (1, 2)
    entry = AuditEntry.objects.get(action="pairs.decided")
    assert (entry.actor_id, entry.reason) == (director.pk, "ten tricks were on the table")
    assert result.changes.get().by == director
    about = client.get(reverse("pairs:about", args=[swiss.pk])).text
    assert about.index("not finished in time: 40 %") < about.index("ten tricks were on the table")
    assert "director: 40 %" not in about


def test_nothing_is_decided_in_an_event_that_was_cancelled(playing: Swiss) -> None:
    say(playing, "NS", GAME)
    call_off(reload(playing), why="The roof leaks.")
    with pytest.raises(Refused, match="was cancelled"):
        decide_result(
            event_id=playing.pk,
            number=1,
            table=1,
            board=1,
            said=GAME,
            by=make_user(director=True),
            reason="as played",
            command=uuid4(),
        )
    assert not Result.objects.exists()
    assert Slip.objects.get().state == Slip.State.ENTERED


def test_after_the_bell_players_are_refused(playing: Swiss) -> None:
    player = seated(playing, 1, "NS")
    pass_time(minutes=20)
    assert player.user
    with pytest.raises(Refused, match="No round is being played"):
        say_result(event_id=playing.pk, board=1, said=GAME, by=player.user, player=player, command=uuid4())


def test_what_was_said_and_confirmed_before_the_bell_was_done_also_when_it_is_sent_again_after_it(
    playing: Swiss,
) -> None:
    north, east = seated(playing, 1, "NS"), seated(playing, 1, "EW")
    assert north.user and east.user
    place = {"event_id": playing.pk, "board": 1}
    said = partial(say_result, **place, said=GAME, by=north.user, player=north, command=uuid4())
    agreed = partial(confirm_result, **place, version=1, by=east.user, player=east, command=uuid4())
    slips = said(), agreed()
    pass_time(minutes=21)
    assert (said(), agreed()) == slips
    assert SlipEntry.objects.count() == 2


def test_opponents_who_are_not_there_give_a_walkover(playing: Swiss) -> None:
    north = seated(playing, 1, "NS")
    gone = Seat.objects.get(table=1, side="EW").contestant_id
    assert north.user
    assert report_missing(event_id=playing.pk, player=north, by=north.user)
    assert not report_missing(event_id=playing.pk, player=north, by=north.user)
    play_round(playing, random.Random(1), skip={(1, 1), (1, 2)})
    pass_time(minutes=21)
    kinds = dict(reload(playing).all_rounds.get().scores.values_list("contestant_id", "kind"))
    assert kinds[gone] == "absent"
    assert sorted(kinds.values()) == ["absent", "played", "played", "walkover"]
    assert not Result.objects.filter(ew=gone).exists()


def leave(swiss: Swiss, side: str, how: str) -> int:
    """A pair is gone from table 1: its opponents say so, or it withdraws. The pair."""
    pair = Seat.objects.get(round__swiss=swiss, table=1, side=side).contestant
    if how == "reported":
        opponent = seated(swiss, 1, "EW" if side == "NS" else "NS")
        assert opponent.user
        report_missing(event_id=swiss.pk, player=opponent, by=opponent.user)
    else:
        withdraw_pair(event_id=swiss.pk, order=pair.order, by=None)
    return pair.pk


@pytest.mark.parametrize("how", ["reported", "withdrawn"])
@pytest.mark.parametrize("contradicted", [True, False])
def test_a_pair_that_said_anything_was_there(playing: Swiss, how: str, contradicted: bool) -> None:
    say(playing, "EW", DOWN)
    if contradicted:
        say(playing, "NS", GAME)
    pair = leave(playing, "EW", how)
    pass_time(minutes=21)

    assert RoundScore.objects.get(contestant=pair).kind == RoundScore.Kind.PLAYED
    assert not Seat.objects.filter(missing=True).exists()
    kinds = (
        Result.objects.filter(ew=pair).order_by("field_board__board__number").values_list("kind", flat=True)
    )
    assert list(kinds) == [Result.Kind.CUT if contradicted else Result.Kind.PLAYED, Result.Kind.CUT]


@pytest.mark.parametrize("how", ["reported", "withdrawn"])
@pytest.mark.parametrize("side", ["NS", "EW"])
def test_words_against_a_pair_that_was_never_there_make_no_results(
    playing: Swiss, how: str, side: str
) -> None:
    opponents = "EW" if side == "NS" else "NS"
    for board in (1, 2):
        say(playing, opponents, GAME, board=board)
    say(playing, "NS", GAME, table=2)
    pair = leave(playing, side, how)
    pass_time(minutes=21)

    kinds = dict(RoundScore.objects.values_list("contestant", "kind"))
    there = Seat.objects.get(table=1, side=opponents).contestant_id
    assert (kinds[pair], kinds[there]) == (RoundScore.Kind.ABSENT, RoundScore.Kind.WALKOVER)
    assert not Result.objects.filter(ns__in=[pair, there]).exists()
    assert not Result.objects.filter(ew__in=[pair, there]).exists()
    assert not Slip.objects.filter(table=1).exclude(state=Slip.State.ENTERED, agreed=None).exists()
    assert Slip.objects.get(table=2).state == Slip.State.UNCONFIRMED  # nobody was missing there


def test_who_is_there_after_all_says_so(playing: Swiss) -> None:
    north = seated(playing, 1, "NS")
    assert north.user
    report_missing(event_id=playing.pk, player=north, by=north.user)
    accused = Seat.objects.get(table=1, side="EW")
    say_present(event_id=playing.pk, order=accused.contestant.order, by=None)
    accused.refresh_from_db()
    assert not accused.missing


def test_results_of_an_open_round_count_for_nobody_before_the_bell(playing: Swiss) -> None:
    play_round(playing, random.Random(2))
    scores = reload(playing).all_rounds.get().scores
    assert not scores.exists()
    pass_time(minutes=20)
    assert scores.count() == 4
    assert Comparison.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_both_sides_at_once_leave_one_result_or_one_dispute() -> None:
    swiss = make_swiss(rounds=1, boards=30)
    enter_pairs(swiss, 2)
    start(swiss)
    for board in range(1, 31):
        west = GAME if board % 2 else DOWN
        at_once(
            lambda board=board: say(swiss, "NS", GAME, board=board),  # type: ignore[misc]
            lambda board=board, west=west: say(swiss, "EW", west, board=board),  # type: ignore[misc]
        )
    assert Slip.objects.filter(state=Slip.State.CONFIRMED).count() == 15
    assert Slip.objects.filter(state=Slip.State.DISPUTED).count() == 15
    assert Result.objects.count() == 15


@pytest.mark.django_db(transaction=True)
def test_a_command_that_comes_twice_at_once_has_one_effect() -> None:
    swiss = make_swiss(rounds=1, boards=30)
    enter_pairs(swiss, 2)
    start(swiss)
    player = seated(swiss, 1, "NS")

    def press(board: int, command: UUID) -> int:
        assert player.user
        return say_result(
            event_id=swiss.pk, board=board, said=GAME, by=player.user, player=player, command=command
        ).version

    for board in range(1, 31):
        assert at_once(*[partial(press, board, uuid4())] * 2) == [1, 1]
    assert SlipEntry.objects.count() == 30


@pytest.mark.django_db(transaction=True)
def test_a_result_and_the_bell_at_once_agree_on_what_counts() -> None:
    for _ in range(8):
        swiss = make_swiss(rounds=1, boards=1)
        enter_pairs(swiss, 2, f"Bell{swiss.pk}x")
        start(swiss)
        say(swiss, "NS", GAME)
        answers = at_once(
            lambda swiss=swiss: say(swiss, "EW", DOWN),  # type: ignore[misc]
            lambda swiss=swiss: close_round(event_id=swiss.pk, number=1),  # type: ignore[misc]
        )
        result = Result.objects.get(field_board__field=swiss.event.field_id)
        if isinstance(answers[0], Slip):
            assert result.kind == Result.Kind.CUT
        else:
            assert isinstance(answers[0], Refused | Seat.DoesNotExist | Round.DoesNotExist)
            assert result.tricks == 10
