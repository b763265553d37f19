"""What must hold in the database at any moment, each as a query that finds what breaks it, or a question to the rules.

The numbers are not in the names, the promises are. `manage.py check_invariants` asks them all; tests break each of
them on purpose and see it found.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import islice, product

from django.db import connection

from apps.clock.time import now
from apps.results.models import Comparison
from apps.results.services import boards_compared_wrongly
from apps.tables.hands import Folded, replay_boards
from apps.tables.models import TableBoard
from apps.tables.services.boards import written
from bridge.contracts import Contract, Doubling, Strain
from bridge.scoring import duplicate_score


@dataclass(frozen=True, slots=True)
class Broken:
    """A promise that does not hold, and the first places where."""

    promise: str
    places: tuple[str, ...]


INVARIANTS = {
    "every board at every table of a closed round has exactly one result": """
        SELECT format('event %s round %s table %s: %s results on %s of %s boards', round.swiss_id, round.number, ns.table,
                      coalesce(had.results, 0), coalesce(had.boards, 0), boards.number)
        FROM pairs_round round
        JOIN pairs_swiss swiss ON swiss.event_id = round.swiss_id AND swiss.state <> 'cancelled'
        JOIN pairs_event event ON event.id = round.swiss_id
        JOIN pairs_seat ns ON ns.round_id = round.id AND ns.side = 'NS' AND NOT ns.missing
        JOIN pairs_seat ew ON ew.round_id = round.id AND ew.table = ns.table AND ew.side = 'EW' AND NOT ew.missing
        JOIN (SELECT field_id, session, count(*) AS number FROM results_fieldboard GROUP BY field_id, session) AS boards
             ON boards.field_id = event.field_id AND boards.session = round.number
        LEFT JOIN (SELECT board.session, result.ns_id, result.ew_id, count(*) AS results,
                          count(DISTINCT board.id) AS boards
                   FROM results_result result JOIN results_fieldboard board ON board.id = result.field_board_id
                   GROUP BY board.session, result.ns_id, result.ew_id) AS had
             ON had.session = round.number AND had.ns_id = ns.contestant_id AND had.ew_id = ew.contestant_id
        WHERE round.state = 'closed'
          AND (had.results IS NULL OR had.results <> boards.number OR had.boards <> boards.number)""",
    "every board that was finished at a table of an event is one result": """
        SELECT format('event %s round %s table %s board %s: %s results', round.swiss_id, round.number,
                      split_part(place.subject, '/', 2), board.position, count(result.id))
        FROM tables_tableboard board
        JOIN tables_table place ON place.id = board.table_id AND place.purpose = 'pairs'
        JOIN pairs_round round ON round.id::text = place.occasion
        JOIN pairs_event event ON event.id = round.swiss_id
        LEFT JOIN results_fieldboard field_board
             ON field_board.field_id = event.field_id AND field_board.board_id = board.board_id
        LEFT JOIN results_result result
             ON result.field_board_id = field_board.id AND result."table" = split_part(place.subject, '/', 2)
        WHERE board.how IN ('passed out', 'played', 'claimed', 'ruled')
        GROUP BY round.id, place.id, board.id
        HAVING count(result.id) > 1 OR count(result.id) = 0 AND (
            board.taken_at IS NOT NULL OR round.state <> 'open'
            OR board.ended_at < clock_timestamp() - interval '60 seconds' AND NOT EXISTS (SELECT FROM clock_clockoffset))""",
    "when a round of an event is over nothing is left to take from its tables": """
        SELECT format('event %s round %s table %s board %s', round.swiss_id, round.number, place.id, board.position)
        FROM tables_tableboard board
        JOIN tables_table place ON place.id = board.table_id AND place.purpose = 'pairs'
        JOIN pairs_round round ON round.id::text = place.occasion AND round.state = 'closed'
        WHERE board.taken_at IS NULL""",
    "the log of a table is numbered from 1 without a gap": """
        SELECT format('table %s: %s events up to %s, and %s by its own count', place.id, count(event.id),
                      coalesce(max(event.sequence), 0), place.sequence)
        FROM tables_table place LEFT JOIN tables_tableevent event ON event.table_id = place.id
        GROUP BY place.id
        HAVING count(event.id) <> place.sequence OR count(DISTINCT event.sequence) <> count(event.id)
            OR coalesce(max(event.sequence), 0) <> place.sequence""",
    "a command has done one thing at its table": """
        SELECT format('table %s command %s', table_id, command) FROM tables_tableevent
        GROUP BY table_id, command HAVING count(*) > 1""",
    "nothing is done on a board before it lies on its table, after it has ended, or after the table was closed": """
        SELECT format('table %s event %s', event.table_id, event.sequence)
        FROM tables_tableevent event
        JOIN tables_tableboard board ON board.id = event.table_board_id
        JOIN tables_table place ON place.id = event.table_id
        WHERE board.table_id <> place.id OR event.version > place.version OR board.opened_at IS NULL
           OR event.action ->> 'do' <> 'resumed'
              AND (event.at < board.opened_at OR event.at > board.ended_at OR event.at > place.closed_at)""",
    "a board that is over at a table says what it came to, and a table that is over has none left": """
        SELECT format('table %s board %s: %s', board.table_id, board.position, coalesce(nullif(board.how, ''), board.state))
        FROM tables_tableboard board JOIN tables_table place ON place.id = board.table_id
        WHERE place.state = 'over' AND (board.state = 'playing' OR board.state = 'waiting' AND NOT place.casual)
           OR board.state = 'over' AND cardinality(board.players) <> 4
           OR board.how IN ('played', 'claimed') AND (board.contract = '' OR board.ns_score IS NULL)
           OR board.how = 'passed out' AND (board.contract <> '' OR board.ns_score IS DISTINCT FROM 0)
           OR board.how IN ('cut', 'abandoned', 'void') AND (board.contract <> '' OR board.ns_score IS NOT NULL)""",
    "nobody has played a board after looking at all its hands": """
        SELECT format('table %s board %s player %s', played.table_id, played.position, player.id)
        FROM clock_auditentry look
        JOIN tables_tableboard seen ON seen.id = (look.after ->> 'board')::bigint
        JOIN users_player player ON player.user_id = look.actor_id
        JOIN tables_tableboard played ON played.board_id = seen.board_id AND player.id = ANY(played.players)
             AND played.ended_at > look.at
        WHERE look.subject_kind = 'tables.table' AND look.action = 'tables.looked'""",
    "a closed round is scored once for every entry, and a round to come not at all": """
        SELECT format('event %s round %s pair %s', round.swiss_id, round.number, entry.contestant_id)
        FROM pairs_round round JOIN pairs_entry entry ON entry.swiss_id = round.swiss_id
        JOIN pairs_swiss swiss ON swiss.event_id = round.swiss_id AND swiss.state <> 'cancelled'
        LEFT JOIN pairs_roundscore score ON score.round_id = round.id AND score.contestant_id = entry.contestant_id
        WHERE round.state IN ('closed', 'pending')
        GROUP BY round.swiss_id, round.number, round.state, entry.contestant_id
        HAVING count(score.id) <> CASE round.state WHEN 'closed' THEN 1 ELSE 0 END""",
    "a pair's total is the sum of its rounds less its penalties": """
        SELECT format('event %s pair %s', standing.event_id, standing.contestant_id)
        FROM pairs_standing standing JOIN pairs_entry entry ON entry.contestant_id = standing.contestant_id
        WHERE standing.session = 0 AND standing.total_numerator::numeric / standing.total_denominator
            - coalesce((SELECT sum(score.numerator::numeric / score.denominator) FROM pairs_roundscore score
                        WHERE score.contestant_id = standing.contestant_id), 0)
            + coalesce((SELECT sum(points) FROM results_penalty penalty
                        WHERE penalty.contestant_id = standing.contestant_id), 0) NOT BETWEEN -1e-9 AND 1e-9""",
    "what a round brought is what its boards sum to, or the victory points for that": """
        SELECT format('event %s round %s pair %s', round.swiss_id, round.number, score.contestant_id)
        FROM pairs_roundscore score JOIN pairs_round round ON round.id = score.round_id AND round.state = 'closed'
        JOIN pairs_swiss swiss ON swiss.event_id = round.swiss_id AND swiss.state <> 'cancelled'
        JOIN pairs_event event ON event.id = round.swiss_id
        JOIN results_field field ON field.id = event.field_id AND field.version = event.ranked_version
        LEFT JOIN (SELECT event.id AS event_id, board.session, side.contestant_id,
                          sum(CASE WHEN comparison.top IS NULL THEN side.points::numeric / comparison.denominator
                                   ELSE 100 * side.points::numeric / greatest(comparison.top, 1) END) AS points
                   FROM pairs_swiss swiss JOIN pairs_event event ON event.id = swiss.event_id
                   JOIN results_fieldboard board ON board.field_id = event.field_id
                   JOIN results_comparison comparison ON comparison.field_board_id = board.id
                   CROSS JOIN unnest(comparison.results, comparison.ns_points, comparison.ew_points) AS row(id, ns, ew)
                   JOIN results_result result ON result.id = row.id
                   CROSS JOIN LATERAL (VALUES (result.ns_id, row.ns), (result.ew_id, row.ew))
                       AS side(contestant_id, points)
                   GROUP BY event.id, board.session, side.contestant_id) AS won
             ON won.event_id = round.swiss_id AND won.session = round.number
             AND won.contestant_id = score.contestant_id
        WHERE score.kind = 'played'
          AND NOT EXISTS (SELECT FROM results_fieldboard board
                          WHERE board.field_id = field.id AND board.compared_version < board.results_version)
          AND CASE WHEN swiss.by_vps THEN  -- the formula of the scale, whose table is rounded and made concave
                  abs(score.numerator::float / score.denominator - 10 - sign(coalesce(won.points, 0)) * 10
                      * (1 - power(sqrt(5::float) - 2, least(abs(coalesce(won.points, 0)) / (15 * sqrt(swiss.boards)), 1)))
                      / (3 - sqrt(5::float))) > 0.05
              ELSE score.numerator::numeric / score.denominator - coalesce(won.points, 0) NOT BETWEEN -1e-9 AND 1e-9
              END""",
    "where no rounds are added up a pair's total is the sum of its boards less its penalties": """
        WITH won AS (
            SELECT side.contestant_id, board.session, comparison.denominator AS of,
                   sum(side.points) AS points, sum(coalesce(comparison.top, 0)) AS top
            FROM pairs_event event
            JOIN results_fieldboard board ON board.field_id = event.field_id
            JOIN results_comparison comparison ON comparison.field_board_id = board.id
            CROSS JOIN unnest(comparison.results, comparison.ns_points, comparison.ew_points) AS row(id, ns, ew)
            JOIN results_result result ON result.id = row.id
            CROSS JOIN LATERAL (VALUES (result.ns_id, row.ns), (result.ew_id, row.ew)) AS side(contestant_id, points)
            WHERE NOT EXISTS (SELECT FROM pairs_swiss WHERE event_id = event.id)
            GROUP BY side.contestant_id, board.session, comparison.denominator)
        SELECT format('event %s session %s pair %s', standing.event_id, standing.session, standing.contestant_id)
        FROM pairs_standing standing
        JOIN pairs_event event ON event.id = standing.event_id
        JOIN results_field field ON field.id = event.field_id AND field.version = event.ranked_version
        LEFT JOIN (SELECT contestant_id, session, sum(points / of) AS points, sum(top / of) AS top FROM won
                   GROUP BY GROUPING SETS ((contestant_id, session), (contestant_id))) AS own
             ON own.contestant_id = standing.contestant_id AND coalesce(own.session, 0) = standing.session
        CROSS JOIN LATERAL (SELECT coalesce(own.points, 0) - coalesce(sum(penalty.points), 0) AS total
                            FROM results_penalty penalty
                            WHERE penalty.contestant_id = standing.contestant_id
                              AND standing.session IN (0, penalty.session)) AS ours
        WHERE NOT EXISTS (SELECT FROM pairs_swiss WHERE event_id = event.id)
          AND NOT EXISTS (SELECT FROM results_fieldboard board
                          WHERE board.field_id = field.id AND board.compared_version < board.results_version)
          AND (standing.total_numerator::numeric / standing.total_denominator - ours.total NOT BETWEEN -1e-9 AND 1e-9
               OR standing.score_numerator::numeric / standing.score_denominator
                  - CASE WHEN field.method <> 'MP' THEN ours.total
                         ELSE coalesce(100 * ours.total / nullif(own.top, 0), 0) END NOT BETWEEN -1e-9 AND 1e-9)""",
    "the matchpoints of a board without rulings sum to the same for every board of its size": """
        SELECT format('field board %s', comparison.field_board_id)
        FROM results_comparison comparison JOIN results_fieldboard board ON board.id = comparison.field_board_id
        WHERE comparison.top IS NOT NULL AND comparison.top > 0
          AND NOT EXISTS (SELECT FROM results_result result
                          WHERE result.field_board_id = board.id AND result.ruling IS NOT NULL)
          AND (SELECT coalesce(sum(ns + ew), 0) FROM unnest(comparison.ns_points, comparison.ew_points) AS p(ns, ew))
              <> comparison.top * cardinality(comparison.results)""",
    "the IMPs of a board without rulings sum to nothing": """
        SELECT format('field board %s', comparison.field_board_id)
        FROM results_comparison comparison JOIN results_fieldboard board ON board.id = comparison.field_board_id
        WHERE comparison.top IS NULL
          AND NOT EXISTS (SELECT FROM results_result result
                          WHERE result.field_board_id = board.id AND result.ruling IS NOT NULL)
          AND (SELECT coalesce(sum(ns + ew), 0) FROM unnest(comparison.ns_points, comparison.ew_points) AS p(ns, ew))
              <> 0""",
    "no player is in two pairs of an event that take part": """
        SELECT format('event %s player %s', entrant.swiss_id, entrant.player_id) FROM pairs_entrant entrant
        GROUP BY entrant.swiss_id, entrant.player_id HAVING count(*) > 1""",
    "nobody sits at two tables at the same time, in whatever events": """
        SELECT format('player %s at tables of events %s', entrant.player_id,
                      string_agg(round.swiss_id::text, ', ' ORDER BY round.swiss_id))
        FROM pairs_round round JOIN pairs_seat seat ON seat.round_id = round.id
        JOIN pairs_entrant entrant ON entrant.entry_id = seat.contestant_id
        WHERE round.state = 'open' AND seat."table" IS NOT NULL AND NOT seat.missing
        GROUP BY entrant.player_id HAVING count(*) > 1""",
    "no pair sits twice in a round": """
        SELECT format('event %s round %s pair %s', round.swiss_id, round.number, seat.contestant_id)
        FROM pairs_seat seat JOIN pairs_round round ON round.id = seat.round_id
        GROUP BY round.swiss_id, round.number, seat.contestant_id HAVING count(*) > 1""",
    "a seat has an opponent": """
        SELECT format('event %s round %s table %s', round.swiss_id, round.number, seat.table)
        FROM pairs_seat seat JOIN pairs_round round ON round.id = seat.round_id
        WHERE seat.table IS NOT NULL GROUP BY round.swiss_id, round.number, seat.table HAVING count(*) <> 2""",
    "nobody meets the same pair twice unless the certificate of the round says that it could not be avoided": """
        SELECT format('event %s round %s: %s meets %s again', swiss_id, number, one, other)
        FROM (SELECT round.swiss_id, round.number, least(ns.contestant_id, ew.contestant_id) AS one,
                     greatest(ns.contestant_id, ew.contestant_id) AS other,
                     (round.certificate -> 'certificate' ->> 'rematches')::int AS rematches,
                     count(*) FILTER (WHERE NOT ns.missing AND NOT ew.missing) OVER (
                         PARTITION BY round.swiss_id, least(ns.contestant_id, ew.contestant_id),
                                      greatest(ns.contestant_id, ew.contestant_id)
                         ORDER BY round.number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS met
              FROM pairs_round round
              JOIN pairs_seat ns ON ns.round_id = round.id AND ns.side = 'NS'
              JOIN pairs_seat ew ON ew.round_id = round.id AND ew.table = ns.table AND ew.side = 'EW') AS meeting
        WHERE met > 0 AND rematches = 0""",
    "rounds are numbered from 1 without a gap and follow one another in time": """
        SELECT format('event %s round %s', round.swiss_id, round.number)
        FROM pairs_round round LEFT JOIN pairs_round before
             ON before.swiss_id = round.swiss_id AND before.number = round.number - 1
        WHERE round.number > 1 AND (before.id IS NULL OR (round.state <> 'pending' AND before.state <> 'closed')
              OR round.opened_at < before.closed_at)""",
    "an event that is played knows its one next step": """
        SELECT format('event %s: %s steps', swiss.event_id, count(work.id))
        FROM pairs_swiss swiss LEFT JOIN clock_duework work ON work.subject = swiss.event_id
             AND work.state IN ('planned', 'stuck')
             AND work.kind IN ('pairs.start', 'pairs.open_round', 'pairs.close_round', 'pairs.finish',
                               'pairs.official', 'pairs.unanswered')
        JOIN pairs_event event ON event.id = swiss.event_id
        WHERE (swiss.state IN ('running', 'finished') OR (swiss.state = 'announced' AND event.state = 'announced'))
        GROUP BY swiss.event_id HAVING count(work.id) <> 1""",
    "due work is done within half a minute, or it has failed and says so": """
        SELECT format('%s %s/%s, due %s', kind, subject, number, due_at) FROM clock_duework
        WHERE state = 'planned' AND attempts = 0 AND due_at < clock_timestamp() - interval '30 seconds'
          AND NOT EXISTS (SELECT FROM clock_clockoffset)""",
    "an event that ran itself to its end is published": """
        SELECT format('event %s: %s', event.id, event.state)
        FROM pairs_swiss swiss JOIN pairs_event event ON event.id = swiss.event_id
        WHERE swiss.state IN ('finished', 'official') AND event.state <> 'published'""",
    "nothing is still asked about the boards of an event that is final or was cancelled": """
        SELECT format('event %s table %s call %s', swiss.event_id, place.id, call.id)
        FROM tables_directorcall call
        JOIN tables_table place ON place.id = call.table_id AND place.purpose = 'pairs'
        JOIN pairs_round round ON round.id::text = place.occasion
        JOIN pairs_swiss swiss ON swiss.event_id = round.swiss_id AND swiss.state IN ('official', 'cancelled')
        WHERE call.afterwards AND call.settled_at IS NULL""",
    "final ranks are 1 to N": """
        SELECT format('event %s', standing.event_id)
        FROM pairs_standing standing JOIN pairs_swiss swiss ON swiss.event_id = standing.event_id
        WHERE standing.session = 0 AND swiss.state IN ('finished', 'official') AND standing.rank IS NOT NULL
        GROUP BY standing.event_id HAVING count(*) <> max(standing.rank) OR count(DISTINCT standing.rank) <> count(*)""",
    "the ledger of master points holds what the standings of a finished event award": """
        SELECT format('event %s player %s', event_id, player_id)
        FROM (SELECT standing.event_id, member.player_id, sum(standing.masterpoints) AS points
              FROM pairs_standing standing JOIN results_member member ON member.contestant_id = standing.contestant_id
              WHERE standing.session = 0 GROUP BY standing.event_id, member.player_id) AS deserved
        FULL JOIN (SELECT event_id, player_id, sum(points) AS points FROM masterpoints_award
                   GROUP BY event_id, player_id) AS ledger USING (event_id, player_id)
        JOIN pairs_swiss swiss USING (event_id)
        WHERE swiss.state IN ('finished', 'official') AND coalesce(deserved.points, 0) <> coalesce(ledger.points, 0)
          AND NOT EXISTS (SELECT FROM clock_duework work WHERE work.kind = 'masterpoints.award'
                                                           AND work.state = 'planned' AND work.subject = event_id)""",
    "a player's master points are the sum of the ledger": """
        SELECT format('player %s', coalesce(total.player_id, ledger.player_id))
        FROM masterpoints_total total
        FULL JOIN (SELECT player_id, sum(points) AS points FROM masterpoints_award GROUP BY player_id) AS ledger
             ON ledger.player_id = total.player_id
        WHERE coalesce(total.points, 0) <> coalesce(ledger.points, 0)""",
    "every message of the outbox left within a minute, or says why not": """
        SELECT format('%s %s', kind, key) FROM clock_outgoing
        WHERE sent_at IS NULL AND claimed_at IS NULL AND last_error = '' AND created_at < clock_timestamp() - interval '60 seconds'
          AND NOT EXISTS (SELECT FROM clock_clockoffset)""",
    "every change of a recorded result says who, when and why": """
        SELECT format('result %s', result_id) FROM results_resultchange WHERE reason = ''""",
    "a board that is compared is compared as its results are": """
        SELECT format('field board %s', id) FROM results_fieldboard WHERE compared_version > results_version""",
    "each deal is fifty-two cards, thirteen to a hand": """
        SELECT format('board %s', id) FROM boards_board
        WHERE deal <> '' AND deal NOT LIKE '%-%' AND (
            deal !~ '^N:([AKQJT2-9.]{16} ){3}[AKQJT2-9.]{16}$'
            OR deal !~ '^N:[^. ]*([.][^. ]*){3}( [^. ]*([.][^. ]*){3}){3}$'
            OR EXISTS (SELECT FROM generate_series(1, 4) AS suit,
                       LATERAL (SELECT string_agg(split_part(hand, '.', suit), '') AS cards
                                FROM string_to_table(substr(deal, 3), ' ') AS hand) AS of_suit
                       WHERE length(cards) <> 13 OR translate('AKQJT98765432', cards, '') <> ''))""",
}

PLACES = 5
LATELY = timedelta(days=1)
AT_ONCE = 500  # boards


def unlike_their_logs() -> Iterator[str]:
    """Boards of the last day whose log, judged again by the rules of the game, does not come to what is written of them."""
    ended = TableBoard.objects.filter(ended_at__gt=now() - LATELY, opened_at__isnull=False).exclude(
        how="void"
    )
    boards = list(ended.order_by("pk"))
    for start in range(0, len(boards), AT_ONCE):
        some = boards[start : start + AT_ONCE]
        judged = replay_boards([board.pk for board in some])
        for board in some:
            folded = judged[board.pk]
            if folded is None or not folded.state.is_over or not _is_written(board, folded):
                yield f"table {board.table_id} board {board.position}"


def _is_written(board: TableBoard, folded: Folded) -> bool:
    assert board.ended_at  # noqa: S101 - it was chosen by that
    return all(getattr(board, name) == value for name, value in written(folded, board.ended_at).items())


@cache
def _scores_of_contracts() -> tuple[list[object], ...]:
    """What every contract scores, column by column: level, strain, doubling, tricks, vulnerable or not, score."""
    made = (
        (
            level,
            strain.text,
            int(doubling),
            tricks,
            vulnerable,
            duplicate_score(contract, tricks, vulnerable=vulnerable),
        )
        for level, strain, doubling in product(range(1, 8), Strain, Doubling)
        for contract in [Contract(level, strain, doubling)]
        for tricks, vulnerable in product(range(14), (False, True))
    )
    return tuple(map(list, zip(*made, strict=True)))


def unlike_their_contracts() -> Iterator[str]:
    """Results whose score is not that of their contract and tricks at the board's vulnerability."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT format('result %%s', result.id) FROM results_result result
               JOIN results_fieldboard place ON place.id = result.field_board_id
               JOIN boards_board board ON board.id = place.board_id
               CROSS JOIN LATERAL (SELECT CASE WHEN result.declarer IN ('N', 'S') THEN 'NS' ELSE 'EW' END AS side) AS won
               LEFT JOIN unnest(%s::int[], %s::text[], %s::int[], %s::int[], %s::bool[], %s::int[])
                    AS made(level, strain, doubling, tricks, vulnerable, score)
                 ON made.level = result.level AND made.strain = result.strain AND made.doubling = result.doubling
                    AND made.tricks = result.tricks AND made.vulnerable = (board.vulnerable IN (won.side, 'Both'))
               WHERE result.level = 0 AND result.ns_score IS DISTINCT FROM 0
                  OR result.level > 0 AND result.ns_score
                     IS DISTINCT FROM CASE won.side WHEN 'NS' THEN made.score ELSE -made.score END""",
            _scores_of_contracts(),
        )
        for (place,) in cursor.fetchmany(PLACES):
            yield place


def unlike_their_results() -> Iterator[str]:
    """Boards of the fields that were compared in the last day, whose points are not those that their results make."""
    lately = Comparison.objects.filter(compared_at__gt=now() - LATELY)
    for field in lately.order_by().values_list("field_board__field", flat=True).distinct():
        for board in boards_compared_wrongly(field_id=field):
            yield f"field board {board}"


REPLAYED: dict[str, Callable[[], Iterator[str]]] = {
    "a result scores what its contract and tricks are worth at its vulnerability": unlike_their_contracts,
    "the points of a board are those that comparing its results gives": unlike_their_results,
    "a board that ended at a table came to what its log says, by the rules of the game": unlike_their_logs,
}
"""What takes more than a query: who is asked for the places where it does not hold."""

PROMISES = (*INVARIANTS, *REPLAYED)


def broken() -> list[Broken]:
    """All promises that do not hold now; empty when everything is as it must be."""
    found: dict[str, tuple[str, ...]] = {}
    with connection.cursor() as cursor:
        for promise, query in INVARIANTS.items():
            cursor.execute(query)
            found[promise] = tuple(place for (place,) in cursor.fetchmany(PLACES))
    for promise, places in REPLAYED.items():
        found[promise] = tuple(islice(places(), PLACES))
    return [Broken(promise, places) for promise, places in found.items() if places]
