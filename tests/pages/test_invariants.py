"""Every promise of the database is broken on purpose, past the constraints that keep it, and found."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from apps.pages.invariants import PROMISES, broken
from apps.pairs.models import Swiss
from apps.pairs.services.publishing import publish_event
from apps.results.models import Contestant
from apps.tables.models import Sitting, Table
from apps.tables.services import oversight, presence
from bridge.awards import Grade, Ruling
from bridge.comparison import Method
from tests.factories import Entry, make_event, make_user
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, start
from tests.tables.tables import play_board, whole

pytestmark = pytest.mark.django_db
FINISHED, RUNNING, BY_VPS = "Finished evening", "Evening in its pause", "Evening in victory points"
IN_VPS = f"(SELECT id FROM pairs_event WHERE title = '{BY_VPS}')"
OVER = f"(SELECT id FROM pairs_event WHERE title = '{FINISHED}')"
GOING_ON = f"(SELECT id FROM pairs_event WHERE title = '{RUNNING}')"
BOARDS_ALONE = "Afternoon out of a file"
BY_BOARDS = f"(SELECT id FROM pairs_event WHERE title = '{BOARDS_ALONE}')"
FIRST_ROUND = f"(SELECT id FROM pairs_round WHERE swiss_id = {OVER} AND number = 1)"
SECOND_ROUND = f"(SELECT id FROM pairs_round WHERE swiss_id = {OVER} AND number = 2)"
AT_TABLES = "Evening at tables"
BOARDS_OF_TABLES = f"""(SELECT board.id FROM results_fieldboard board JOIN pairs_event event
                        ON event.field_id = board.field_id WHERE event.title = '{AT_TABLES}')"""
NO_GUARD = "ALTER TABLE tables_tableevent DISABLE TRIGGER USER"
PLAYED_OUT = "how IN ('played', 'passed out')"
NO_OFFSET = "DELETE FROM clock_clockoffset"  # what is late is asked by the true time

IN_TABLES = f"(SELECT id FROM pairs_event WHERE title = '{AT_TABLES}')"
ASKED = f"""INSERT INTO tables_directorcall (table_id, table_board_id, command, at, seat, text, afterwards, verdict, answer)
            SELECT table_id, id, gen_random_uuid(), now(), 'N', 'a revoke?', true, '', ''
            FROM tables_tableboard WHERE {PLAYED_OUT}"""

# promise: what breaks it, each time by a statement or several
CORRUPTIONS: dict[str, list[str]] = {
    "every board at every table of a closed round has exactly one result": [
        "DELETE FROM results_result WHERE id = (SELECT min(id) FROM results_result)",
        """ALTER TABLE results_result DROP CONSTRAINT result_ns_plays_a_board_once;
           ALTER TABLE results_result DROP CONSTRAINT result_ew_plays_a_board_once;
           INSERT INTO results_result (field_board_id, ns_id, ew_id, "table", kind, source, strain, doubling, declarer,
                                       lead, ns_score, level, recorded_at)
           SELECT field_board_id, ns_id, ew_id, "table", 'played', source, '', 0, '', '', 0, 0, recorded_at
           FROM results_result LIMIT 1""",
    ],
    "every board that was finished at a table of an event is one result": [
        "DELETE FROM results_result WHERE source = 'played'",
        f"""UPDATE tables_tableboard SET taken_at = NULL WHERE how = 'cut';
            UPDATE tables_tableboard SET how = 'played', ns_score = 0 WHERE how = 'cut';
            DELETE FROM results_result WHERE kind = 'cut' AND field_board_id IN {BOARDS_OF_TABLES}""",
        """ALTER TABLE results_result DROP CONSTRAINT result_ns_plays_a_board_once;
           ALTER TABLE results_result DROP CONSTRAINT result_ew_plays_a_board_once;
           INSERT INTO results_result (field_board_id, ns_id, ew_id, "table", kind, source, strain, doubling, declarer,
                                       lead, ns_score, level, recorded_at)
           SELECT field_board_id, ns_id, ew_id, "table", 'played', source, '', 0, '', '', 0, 0, recorded_at
           FROM results_result WHERE source = 'played'""",
    ],
    "when a round of an event is over nothing is left to take from its tables": [
        "UPDATE tables_tableboard SET taken_at = NULL WHERE how = 'cut'",
        "UPDATE tables_tableboard SET taken_at = NULL",
    ],
    "the log of a table is numbered from 1 without a gap": [
        "UPDATE tables_table SET sequence = sequence + 1, version = version + 1",
        f"{NO_GUARD}; DELETE FROM tables_tableevent WHERE sequence = 2",
        f"""{NO_GUARD}; ALTER TABLE tables_tableevent DROP CONSTRAINT table_event_once_a_sequence;
            UPDATE tables_tableevent SET sequence = 1 WHERE sequence = 2""",
    ],
    "a command has done one thing at its table": [
        f"""{NO_GUARD}; ALTER TABLE tables_tableevent DROP CONSTRAINT table_event_command_has_one_effect;
            UPDATE tables_tableevent SET command = (SELECT command FROM tables_tableevent WHERE sequence = 1 LIMIT 1)""",
    ],
    "nothing is done on a board before it lies on its table, after it has ended, or after the table was closed": [
        f"{NO_GUARD}; UPDATE tables_tableevent SET at = at - interval '1 day' WHERE sequence = 1",
        f"UPDATE tables_tableboard SET ended_at = opened_at WHERE {PLAYED_OUT}",
        "UPDATE tables_table SET closed_at = opened_at WHERE closed_at IS NOT NULL",
        f"{NO_GUARD}; UPDATE tables_tableevent SET version = version + 1000 WHERE sequence = 1",
    ],
    "a board that is over at a table says what it came to, and a table that is over has none left": [
        f"UPDATE tables_tableboard SET ns_score = NULL WHERE {PLAYED_OUT}",
        "UPDATE tables_tableboard SET ns_score = 0 WHERE how = 'cut'",
        "UPDATE tables_tableboard SET players = '{}' WHERE how = 'cut'",
        """UPDATE tables_tableboard SET state = 'waiting', opened_at = NULL, ended_at = NULL, how = '', taken_at = NULL
           WHERE how = 'cut'""",
    ],
    "nobody has played a board after looking at all its hands": [
        f"""INSERT INTO clock_auditentry (at, actor_id, actor_name, action, subject_kind, subject_id, after, reason)
            SELECT opened_at, (SELECT user_id FROM users_player WHERE id = players[1]), '', 'tables.looked',
                   'tables.table', table_id, jsonb_build_object('board', id), ''
            FROM tables_tableboard WHERE {PLAYED_OUT}""",
    ],
    "a closed round is scored once for every entry, and a round to come not at all": [
        f"DELETE FROM pairs_roundscore WHERE id = (SELECT min(id) FROM pairs_roundscore WHERE round_id = {FIRST_ROUND})",
        """ALTER TABLE pairs_roundscore DROP CONSTRAINT round_score_once_a_pair;
           INSERT INTO pairs_roundscore (round_id, contestant_id, kind, numerator, denominator, completed)
           SELECT round_id, contestant_id, kind, 0, 1, completed FROM pairs_roundscore LIMIT 1""",
        f"""INSERT INTO pairs_roundscore (round_id, contestant_id, kind, numerator, denominator, completed)
            SELECT round.id, entry.contestant_id, 'played', 0, 1, 0 FROM pairs_round round
            JOIN pairs_entry entry ON entry.swiss_id = round.swiss_id
            WHERE round.swiss_id = {GOING_ON} AND round.state = 'pending' LIMIT 1""",
    ],
    "a pair's total is the sum of its rounds less its penalties": [
        "UPDATE pairs_standing SET total_numerator = total_numerator + 1 WHERE position = 1",
        f"UPDATE pairs_roundscore SET numerator = numerator - 1 WHERE round_id = {FIRST_ROUND}",
        """INSERT INTO results_penalty (contestant_id, session, points, reason, given_at)
           SELECT contestant_id, 1, 0.5, 'late', now() FROM pairs_entry LIMIT 1""",
        f"""UPDATE pairs_standing SET total_numerator = total_numerator + total_denominator
            WHERE event_id = {IN_VPS} AND position = 2""",
    ],
    "what a round brought is what its boards sum to, or the victory points for that": [
        """UPDATE results_comparison SET ns_points[1] = ns_points[1] + 1, ew_points[1] = ew_points[1] - 1
           WHERE top IS NULL""",
        """UPDATE results_comparison SET ns_points[1] = ns_points[1] + 1, ew_points[1] = ew_points[1] - 1
           WHERE top IS NOT NULL""",
        f"UPDATE pairs_roundscore SET numerator = numerator + 1 WHERE round_id = {FIRST_ROUND}",
        f"""UPDATE pairs_roundscore SET numerator = 10 * numerator + 1, denominator = 10 * denominator
            WHERE round_id IN (SELECT id FROM pairs_round WHERE swiss_id = {IN_VPS})""",
        f"""UPDATE results_comparison SET ns_points[1] = ns_points[1] + 5 * denominator
            WHERE field_board_id IN (SELECT board.id FROM results_fieldboard board JOIN pairs_event event
                                     ON event.field_id = board.field_id WHERE event.id = {IN_VPS})""",
    ],
    "where no rounds are added up a pair's total is the sum of its boards less its penalties": [
        f"UPDATE pairs_standing SET total_numerator = total_numerator + 1 WHERE event_id = {BY_BOARDS} AND position = 1",
        f"UPDATE pairs_standing SET score_numerator = score_numerator + 1 WHERE event_id = {BY_BOARDS} AND position = 2",
        f"""INSERT INTO results_penalty (contestant_id, session, points, reason, given_at)
            SELECT contestant_id, 1, 0.5, 'late', now() FROM pairs_standing WHERE event_id = {BY_BOARDS} LIMIT 1""",
        f"""UPDATE results_comparison SET top = top + 1 WHERE field_board_id IN
            (SELECT board.id FROM results_fieldboard board JOIN pairs_event event ON event.field_id = board.field_id
             WHERE event.id = {BY_BOARDS})""",
    ],
    "the matchpoints of a board without rulings sum to the same for every board of its size": [
        "UPDATE results_comparison SET ns_points[1] = ns_points[1] + 1 WHERE top IS NOT NULL",
        "UPDATE results_comparison SET top = top + 1 WHERE top IS NOT NULL",
    ],
    "the IMPs of a board without rulings sum to nothing": [
        "UPDATE results_comparison SET ew_points[2] = ew_points[2] - 1 WHERE top IS NULL",
    ],
    "no player is in two pairs of an event that take part": [
        """ALTER TABLE pairs_entrant DROP CONSTRAINT entrant_enters_once;
           INSERT INTO pairs_entrant (swiss_id, entry_id, player_id)
           SELECT one.swiss_id, other.entry_id, one.player_id FROM pairs_entrant one
           JOIN pairs_entrant other ON other.swiss_id = one.swiss_id AND other.entry_id <> one.entry_id LIMIT 1""",
    ],
    "nobody sits at two tables at the same time, in whatever events": [
        f"""UPDATE pairs_round SET state = 'open', closed_at = NULL
            WHERE number = 1 AND swiss_id IN ({OVER}, {GOING_ON});
            UPDATE pairs_entrant
            SET player_id = (SELECT min(player_id) FROM pairs_entrant WHERE swiss_id = {GOING_ON})
            WHERE id = (SELECT min(id) FROM pairs_entrant WHERE swiss_id = {OVER})""",
    ],
    "no pair sits twice in a round": [
        """ALTER TABLE pairs_seat DROP CONSTRAINT seat_one_a_pair_and_round;
           INSERT INTO pairs_seat (round_id, contestant_id, "table", side, missing)
           SELECT round_id, contestant_id, NULL, '', false FROM pairs_seat LIMIT 1""",
    ],
    "a seat has an opponent": [
        f"DELETE FROM pairs_seat WHERE id = (SELECT min(id) FROM pairs_seat WHERE round_id = {FIRST_ROUND})",
        """ALTER TABLE pairs_seat DROP CONSTRAINT seat_holds_one_pair;
           ALTER TABLE pairs_seat DROP CONSTRAINT seat_one_a_pair_and_round;
           INSERT INTO pairs_seat (round_id, contestant_id, "table", side, missing)
           SELECT round_id, contestant_id, "table", side, missing FROM pairs_seat WHERE "table" = 1 LIMIT 1""",
    ],
    "nobody meets the same pair twice unless the certificate of the round says that it could not be avoided": [
        f"""DELETE FROM pairs_seat WHERE round_id = {SECOND_ROUND};
            INSERT INTO pairs_seat (round_id, contestant_id, "table", side, missing)
            SELECT {SECOND_ROUND}, contestant_id, "table", side, missing FROM pairs_seat
            WHERE round_id = {FIRST_ROUND}""",
        f"""DELETE FROM pairs_seat WHERE round_id = {SECOND_ROUND};
            INSERT INTO pairs_seat (round_id, contestant_id, "table", side, missing)
            SELECT {SECOND_ROUND}, contestant_id, "table" + 7, CASE side WHEN 'NS' THEN 'EW' ELSE 'NS' END, missing
            FROM pairs_seat WHERE round_id = {FIRST_ROUND}""",
    ],
    "rounds are numbered from 1 without a gap and follow one another in time": [
        f"UPDATE pairs_round SET number = 5 WHERE id = {SECOND_ROUND}",
        f"UPDATE pairs_round SET number = number + 1 WHERE swiss_id = {GOING_ON} AND number = 2",
        f"UPDATE pairs_round SET opened_at = opened_at - interval '1 hour' WHERE id = {SECOND_ROUND}",
        f"""UPDATE pairs_round SET state = 'pending', opened_at = NULL, closed_at = NULL WHERE id = {FIRST_ROUND}""",
    ],
    "an event that is played knows its one next step": [
        f"DELETE FROM clock_duework WHERE subject = {GOING_ON} AND state = 'planned'",
        f"UPDATE clock_duework SET state = 'dropped' WHERE subject = {OVER} AND state = 'planned'",
        f"""INSERT INTO clock_duework (kind, subject, number, due_at, state, attempts, last_error)
            VALUES ('pairs.close_round', {GOING_ON}, 77, now(), 'planned', 0, '')""",
    ],
    "due work is done within half a minute, or it has failed and says so": [
        f"{NO_OFFSET}; UPDATE clock_duework SET due_at = clock_timestamp() - interval '31 s' WHERE state = 'planned'",
    ],
    "an event that ran itself to its end is published": [
        f"UPDATE pairs_event SET state = 'announced', published_at = NULL WHERE title = '{FINISHED}'",
    ],
    "nothing is still asked about the boards of an event that is final or was cancelled": [
        f"{ASKED}; UPDATE pairs_swiss SET state = '{state}' WHERE event_id = {IN_TABLES}"
        for state in ("official", "cancelled")
    ],
    "final ranks are 1 to N": [
        f"UPDATE pairs_standing SET rank = rank + 1 WHERE event_id = {OVER}",
        f"UPDATE pairs_standing SET rank = 2 WHERE event_id = {OVER} AND rank = 3",
        f"UPDATE pairs_standing SET rank = 9 WHERE event_id = {OVER} AND rank = 2",
    ],
    "the ledger of master points holds what the standings of a finished event award": [
        f"UPDATE pairs_standing SET masterpoints = masterpoints + 1 WHERE event_id = {OVER} AND rank = 1",
        f"""INSERT INTO masterpoints_award (player_id, event_id, entry, points, reason, awarded_at)
            SELECT player_id, event_id, 2, 0.25, '', now() FROM masterpoints_award WHERE event_id = {OVER} LIMIT 1""",
        f"""INSERT INTO masterpoints_award (player_id, event_id, entry, points, reason, awarded_at)
            SELECT max(id), {OVER}, 1, 4, '', now() FROM users_player""",
    ],
    "a player's master points are the sum of the ledger": [
        "UPDATE masterpoints_total SET points = points + 0.01",
        "DELETE FROM masterpoints_total",
        """INSERT INTO masterpoints_total (player_id, points)
           SELECT max(id), 3 FROM users_player""",
    ],
    "every message of the outbox left within a minute, or says why not": [
        f"""{NO_OFFSET};
            INSERT INTO clock_outgoing (key, kind, body, created_at, last_error)
            VALUES ('lost', 'users.mail', '{{}}', clock_timestamp() - interval '61 s', '')""",
    ],
    "every change of a recorded result says who, when and why": [
        """INSERT INTO results_resultchange (result_id, at, reason, before, after)
           SELECT id, now(), '', '{}', '{}' FROM results_result LIMIT 1""",
    ],
    "a board that is compared is compared as its results are": [
        """ALTER TABLE results_fieldboard DROP CONSTRAINT field_board_compared_follows_results;
           UPDATE results_fieldboard SET compared_version = results_version + 1""",
    ],
    "each deal is fifty-two cards, thirteen to a hand": [
        "UPDATE boards_board SET deal = regexp_replace(deal, '^N:.', 'N:X')",
        "UPDATE boards_board SET deal = regexp_replace(deal, '([AKQJT2-9])([. ].*)$', '\\2')",
        "UPDATE boards_board SET deal = regexp_replace(deal, '^N:(.)(.)', 'N:\\1\\1') WHERE deal ~ '^N:[^.][^.]'",
        "UPDATE boards_board SET deal = regexp_replace(deal, ' ([^ ]*)([^ .])( |$)', '\\2 \\1\\3')",
    ],
    "a result scores what its contract and tricks are worth at its vulnerability": [
        "UPDATE results_result SET ns_score = ns_score + 10 WHERE level > 0 AND declarer = 'W'",
        "UPDATE results_result SET tricks = 13 - tricks WHERE level > 0 AND declarer = 'N'",
        "UPDATE results_result SET doubling = 2 WHERE level > 0 AND doubling = 0",
        "UPDATE results_result SET ns_score = 50 WHERE level = 0",
        "UPDATE boards_board SET vulnerable = CASE vulnerable WHEN 'None' THEN 'Both' ELSE 'None' END",
    ],
    "the points of a board are those that comparing its results gives": [
        "UPDATE results_comparison SET ns_points[1] = ns_points[1] + 1, ew_points[1] = ew_points[1] - 1",
        "UPDATE results_comparison SET datum = datum + 10 WHERE datum IS NOT NULL",
        "UPDATE results_comparison SET dropped[1] = NOT dropped[1]",
        "DELETE FROM results_comparison WHERE id = (SELECT min(id) FROM results_comparison)",
        "UPDATE results_result SET ns_score = 100 - ns_score WHERE ruling IS NULL",
    ],
    "a board that ended at a table came to what its log says, by the rules of the game": [
        f"UPDATE tables_tableboard SET ns_score = ns_score + 10 WHERE {PLAYED_OUT}",
        f"UPDATE tables_tableboard SET ns_seconds = ns_seconds + 60 WHERE {PLAYED_OUT}",
        f"""{NO_GUARD}; UPDATE tables_tableevent SET seat = CASE seat WHEN 'N' THEN 'S' ELSE 'N' END
            WHERE sequence = 1""",
        f"{NO_GUARD}; DELETE FROM tables_tableevent WHERE action ->> 'do' = 'cut'",
    ],
}
CASES = [
    pytest.param(promise, statements, id=f"{promise[:60]} {number}")
    for promise, corruptions in CORRUPTIONS.items()
    for number, statements in enumerate(corruptions, 1)
]


@pytest.fixture(scope="module", autouse=True)
def evenings(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """One event finished, one in its pause, one in victory points, one played at tables, one that is no event of rounds.

    Every test is undone to here.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        play_at_tables()
        add_up_boards()
        rng = random.Random(4)
        for title, method in ((BY_VPS, Method.BUTLER), (FINISHED, Method.MP), (RUNNING, Method.BUTLER)):
            swiss = make_swiss(method=method, title=title, by_vps=title == BY_VPS, correction_minutes=600)
            enter_pairs(swiss, 6, title)
            start(swiss)
            play_round(swiss, rng)
            pass_time(minutes=20, seconds=30)
            if title != RUNNING:
                pass_time(seconds=60)
                play_round(swiss, rng)
                pass_time(minutes=21)
        yield
        transaction.set_rollback(True)


def play_at_tables() -> None:
    """An event of one round, of which one table finishes a board while a director looks on; the bell ends the rest."""
    swiss = make_swiss(title=AT_TABLES, rounds=1, play=Swiss.Play.TABLES, correction_minutes=600)
    enter_pairs(swiss, 4, "Table")
    start(swiss)
    tables = Table.objects.order_by("pk")
    oversight.look(table=tables[0], by=make_user("dora", director=True))
    play_board(tables[0], until=whole)
    presence.see(sittings=list(Sitting.objects.values_list("pk", flat=True)))
    pass_time(minutes=21)


def add_up_boards() -> None:
    """Matchpoints, with a board passed out, an adjusted one, an uneven one, a penalty, and points carried over."""
    ruled = Ruling(Grade.PLUS, Grade.MINUS)
    boards: list[list[Entry]] = [
        ["4S N =", "4S W +1", "Pass"],
        ["3NT S -1", "2SX N +2", ruled],
        ["1C E =", "1NT W +1", None],
    ]
    event = make_event(boards, method=Method.MP, winners=1, title=BOARDS_ALONE)
    late, ahead = Contestant.objects.filter(field=event.field, label__in=["2 EW", "3 NS"])
    late.penalties.create(points="1.5", reason="Late")
    ahead.penalties.create(points="-4", session=0, reason="Carried over")
    publish_event(event_id=event.pk, by=None)


def test_good_evenings_break_no_promise() -> None:
    assert broken() == []
    with connection.cursor() as cursor:
        cursor.execute("SELECT state FROM pairs_swiss ORDER BY event_id")
        assert cursor.fetchall() == [("finished",), ("finished",), ("finished",), ("running",)]
        cursor.execute("SELECT count(*) FROM masterpoints_award")
        assert cursor.fetchone()[0] > 0
        cursor.execute(NO_OFFSET)
    assert broken() == []


def test_every_promise_is_broken_here() -> None:
    assert list(PROMISES) == list(CORRUPTIONS)


@pytest.mark.parametrize(("promise", "statements"), CASES)
def test_a_promise_that_is_broken_is_found(promise: str, statements: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for statement in statements.split(";"):
            cursor.execute(statement)
        assert cursor.rowcount > 0  # the last one found something to break
    found = {each.promise: each.places for each in broken()}
    assert promise in found
    assert all(place for place in found[promise])


def test_the_command_names_what_is_broken_and_where(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("check_invariants")
    assert f"All {len(PROMISES)} promises hold." in capsys.readouterr().out
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE pairs_standing SET rank = 2 WHERE event_id = {OVER} AND rank = 3")
    with pytest.raises(CommandError, match="1 of"):
        call_command("check_invariants")
    assert "Not so: final ranks are 1 to N\n    event " in capsys.readouterr().out
