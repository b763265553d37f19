"""Events that other programs scored: a file becomes a draft, scored by our own sums under the rule it was scored by."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from hashlib import sha256
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.boards.services import BoardFacts, create_board_set
from apps.pairs.models import Event, Session, Standing
from apps.pairs.selectors import ranking
from apps.pairs.services.publishing import publish_event
from apps.pairs.services.ranking import rank_event
from apps.results.models import Contestant, FieldBoard, Penalty, Result
from apps.results.services import (
    ContestantFacts,
    Play,
    add_boards,
    add_contestants,
    compare_field,
    create_field,
    record_results,
)
from apps.users.models import Player, User, name_key
from apps.users.services import PlayerFacts, ambiguous_numbers, find_or_create_players
from bridge.comparison import Method
from bridge.errors import BridgeError
from bridge.formats import pbn, published, usebio
from bridge.formats.records import EventRecord, PairRecord, PlayerRecord, RecordError, RowRecord

WHAT = {
    "score": _("score"),
    "datum": _("datum"),
    "matchpoints": _("matchpoints"),
    "IMPs": _("IMPs"),
    "total": _("total"),
    "percentage": _("percentage"),
    "rank": _("rank"),
}
"""What a figure may be that differs, in the reader's language."""

_IMPORTING = 0x496D7074  # the advisory lock of `import_record`


def read_event(
    data: bytes, *, deals: bytes | None = None, encoding: str | None = None, method: Method | None = None
) -> EventRecord:
    """The event in a file. What kind of file it is shows in its content, not in its name.

    Args:
        data: USEBIO XML, or PBN with score tables.
        deals: PBN with the cards, for an event that came without them; they join the boards by number.
        encoding: The encoding of the letters, when the file does not declare it or declares a wrong one.
        method: How the event is scored, when the file does not say.

    Raises:
        RecordError: What is wrong, worded for the person who gave the file, with the line.
    """
    record = _read(data, encoding)
    if deals is not None:
        record = _with_deals(record, deals, encoding)
    if record.method is None:
        if method is None:
            raise RecordError("The file does not say how the event is scored. Choose the scoring.")
        record = replace(record, method=method)
    if not any(row.played for _, board in record.boards() for row in board.rows):
        raise RecordError("No board of this file has a result, and boards without results make no event.")
    return record


def _read(data: bytes, encoding: str | None) -> EventRecord:
    check_size(len(data))
    if not data.strip():
        raise RecordError("The file is empty.")
    if usebio.looks_like_usebio(data):
        return usebio.read(data, encoding)
    if pbn.looks_like_pbn(data):
        return pbn.read(data, encoding)
    raise RecordError("This is neither USEBIO nor PBN.", 1)


def check_size(size: int) -> None:
    """Refuse a file of so many bytes when it is too large, before it is read."""
    if size > settings.IMPORT_MAX_BYTES:
        raise RecordError(
            "The file has %(size)s MB; events are not larger than %(limit)s MB.",
            size=-(-size // 2**20),
            limit=settings.IMPORT_MAX_BYTES // 2**20,
        )


def _with_deals(record: EventRecord, data: bytes, encoding: str | None) -> EventRecord:
    check_size(len(data))
    if len(record.sessions) > 1:
        raise RecordError("Cards can be added to an event of one session only.")
    dealt = {board.number: board for board in pbn.read_boards(data, encoding) if board.deal}
    session = record.sessions[0]
    boards = tuple(
        replace(board, deal=dealt[board.number].deal)
        if board.deal is None and board.number in dealt
        else board
        for board in session.boards
    )
    return replace(record, sessions=(replace(session, boards=boards),))


def digest_of(data: bytes) -> str:
    """What tells that two files are one: their content without white space at the ends of lines."""
    return sha256(b"\n".join(line.strip() for line in data.splitlines())).hexdigest()


def in_words(error: BridgeError) -> str:
    """The error in the reader's language, with its line."""
    said = gettext(error.message) % error.params if error.params else gettext(error.message)
    line = getattr(error, "line", None)
    return gettext("Line %(line)s: %(said)s") % {"line": line, "said": said} if line else said


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file: its event, and whether this call made it or found it there."""

    event: Event
    created: bool


@transaction.atomic
def import_record(
    *,
    record: EventRecord,
    filename: str,
    digest: str,
    by: User | None,
    awards_masterpoints: bool = True,
    publish: bool = False,
) -> Imported:
    """Make a draft of what a file says, compared and ranked; `publish` shows it to everybody at once.

    The same file again finds the event that is there and changes nothing. Imports follow one another, so two at the
    same time make one event and each player once. When anything fails, nothing is stored.

    Raises:
        BridgeError: The record cannot be an event.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_IMPORTING])
    if event := Event.objects.filter(source_key=digest).first():
        return Imported(event, created=False)
    found = published.explain(record)
    event = _create_event(record, found, digest, by, awards_masterpoints)
    field_boards = _add_sessions(event, record)
    people = [_player_facts(player, record) for pair in record.pairs for player in pair.players]
    contestants = _add_pairs(event, record, people)
    plays = list(_plays(record, field_boards, contestants))
    record_results(field=event.field, plays=plays, source=Result.Source.IMPORTED)
    event.source = _source(record, found, filename, people)
    event.save(update_fields=["source"])
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)
    if publish:
        publish_event(event_id=event.pk, by=by)
    event.refresh_from_db()
    return Imported(event, created=True)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a director sees before an imported event is published.

    Attributes:
        rule: The rule that was found, in sentences.
        warnings: What the file says that cannot be right.
        differences: Where our figures and the file's differ, with `what` in the reader's language.
        lists: For each ranking list its side and its rows: our standing, and what the file says of the pair.
    """

    pairs: int
    boards: int
    rows: int
    rule: str
    warnings: list[str]
    differences: list[dict[str, Any]]
    lists: list[tuple[str, list[tuple[Standing, dict[str, Any]]]]]


def preview_of(event: Event) -> Preview:
    """What is shown of a draft, in the reader's language."""
    source = event.source
    said = {each["pair"]: each for each in source.get("standings", []) if not each["session"]}
    rows = [(standing, said.get(standing.contestant.label, {})) for standing in ranking(event)]
    sides = ["NS", "EW"] if event.winners == 2 else [""]
    return Preview(
        pairs=event.field.contestants.count(),
        boards=event.field.field_boards.count(),
        rows=Result.objects.filter(field_board__field=event.field_id).count(),
        rule=rule_in_words(source),
        warnings=[
            in_words(RecordError(warning["message"], warning["line"], **warning["params"]))
            for warning in source.get("warnings", [])
        ],
        differences=[{**each, "what": WHAT[each["what"]]} for each in source.get("differences", [])],
        lists=[(side, [row for row in rows if row[0].contestant.direction == side]) for side in sides],
    )


def rule_in_words(source: Mapping[str, Any]) -> str:
    """The rule that reproduces a file's figures, in sentences; empty when the event came from no file."""
    return " ".join(gettext(each["message"]) % each["params"] for each in source.get("rule", []))


@transaction.atomic
def publish_import(*, event_id: int, by: User, title: str, played_on: date | None, organisation: str) -> bool:
    """Publish a draft under the title, date and organisation that a director settled on; returns whether this did it."""
    draft = Event.objects.select_for_update(of=["self"]).filter(pk=event_id, state=Event.State.DRAFT)
    if not draft:
        return False
    Event.objects.filter(pk=event_id).update(title=title, played_on=played_on, organisation=organisation)
    return publish_event(event_id=event_id, by=by)


def _create_event(
    record: EventRecord, found: published.Explanation, digest: str, by: User | None, awards_masterpoints: bool
) -> Event:
    sided = all(pair.direction for pair in record.pairs)
    return Event.objects.create(
        title=record.title[:200],
        organisation=(record.organisation or "")[:200],
        venue=(record.venue or "")[:200],
        played_on=record.date or record.sessions[0].date,
        field=create_field(rules=found.rules),
        finish_percent=found.finish_percent,
        winners=2 if sided and record.winners != 1 else 1,
        awards_masterpoints=awards_masterpoints,
        created_by=by,
        source_key=digest,
    )


def _add_sessions(event: Event, record: EventRecord) -> dict[tuple[int, int], FieldBoard]:
    """Sessions with their boards, cards, dealer and vulnerability as the file says; by session and number."""
    field_boards: dict[tuple[int, int], FieldBoard] = {}
    for session in record.sessions:
        board_set = create_board_set(
            name=f"{event.title} {session.number}" if len(record.sessions) > 1 else event.title,
            boards=[
                BoardFacts(
                    board.number,
                    board.deal.pbn if board.deal else "",
                    board.dealer.letter,
                    board.vulnerability.value,
                )
                for board in session.boards
            ],
        )
        Session.objects.create(
            event=event,
            number=session.number,
            title=(session.title or "")[:200],
            played_on=session.date,
            board_set=board_set,
        )
        added = add_boards(field=event.field, board_set=board_set, session=session.number)
        field_boards |= {(session.number, number): field_board for number, field_board in added.items()}
    return field_boards


def _add_pairs(event: Event, record: EventRecord, people: Sequence[PlayerFacts]) -> dict[str, Contestant]:
    players = iter(find_or_create_players(people=people, namesakes=_namesakes(event.organisation, people)))
    entries = []
    for pair in record.pairs:
        members = [next(players) for _ in pair.players]
        if len(set(members)) < len(members):
            raise RecordError("Pair %(pair)s names one player twice.", pair=pair.label)
        direction = pair.direction.value if event.winners == 2 and pair.direction else ""
        entries.append(ContestantFacts(_label(pair), members, direction))
    contestants = add_contestants(field=event.field, contestants=entries)
    Penalty.objects.bulk_create(
        Penalty(
            contestant=contestants[pair.label], points=-pair.adjustment, reason=gettext("As the file says.")
        )
        for pair in record.pairs
        if pair.adjustment
    )
    return contestants


def _label(pair: PairRecord) -> str:
    if len(pair.label) > 12:
        raise RecordError("“%(pair)s” is too long for the number of a pair.", pair=pair.label)
    return pair.label


def _namesakes(organisation: str, people: Sequence[PlayerFacts]) -> dict[str, list[Player]]:
    """Players without a number of the same name whom this organisation's events know: they may be meant by a name."""
    keys = {name_key(facts.name) for facts in people if not facts.numbers}
    if not organisation or not keys:
        return {}
    known = (
        Player.objects.filter(
            name_key__in=keys, numbers=None, contestants__field__event__organisation=organisation
        )
        .distinct()
        .order_by("pk")
    )
    namesakes: dict[str, list[Player]] = {}
    for player in known:
        namesakes.setdefault(player.name_key, []).append(player)
    return namesakes


def _player_facts(player: PlayerRecord, record: EventRecord) -> PlayerFacts:
    """National numbers name a player everywhere, a club's only within the club; zeros stand for no number."""
    club = record.club_id or record.organisation
    schemes = {
        f"national {player.country or ''}".strip()[:80]: player.national_id,
        f"club {club}"[:80]: player.club_id if club else None,
    }
    return PlayerFacts(
        player.name or "?",
        tuple((scheme, number[:40]) for scheme, number in schemes.items() if number and number.strip("0")),
    )


def _plays(
    record: EventRecord,
    field_boards: Mapping[tuple[int, int], FieldBoard],
    contestants: Mapping[str, Contestant],
) -> Iterator[Play]:
    for session, board in record.boards():
        met: set[str] = set()
        for row in board.rows:
            pairs = [_contestant(label, contestants, row) for label in (row.ns, row.ew)]
            for label in (row.ns, row.ew):
                if label in met:
                    raise RecordError(
                        "Pair %(pair)s has a second result on board %(board)s.",
                        row.line,
                        pair=label,
                        board=board.number,
                    )
                met.add(label)
            known = row.contract is not None and row.contract.declarer is not None and row.tricks is not None
            yield Play(
                field_board=field_boards[session.number, board.number],
                ns=pairs[0],
                ew=pairs[1],
                contract=row.contract if known else None,
                passed_out=row.passed_out,
                tricks=row.tricks if known else None,
                score=row.ns_score,
                ruling=row.ruling,
                lead=row.lead.text if row.lead else "",
                round=row.round,
                table=" ".join(filter(None, (row.section, row.table)))[:8],
            )


def _contestant(label: str, contestants: Mapping[str, Contestant], row: RowRecord) -> Contestant:
    if label not in contestants:
        raise RecordError("Pair “%(pair)s” is not among the pairs of the event.", row.line, pair=label)
    return contestants[label]


def _source(
    record: EventRecord, found: published.Explanation, filename: str, people: Sequence[PlayerFacts]
) -> dict[str, Any]:
    """What is kept of the file beside the event: shown in the preview and on the page about the event."""
    shared = [
        RecordError(
            "The number %(number)s stands with different names and is not used: %(names)s.",
            number=number,
            names=", ".join(names),
        )
        for (_, number), names in ambiguous_numbers(people).items()
    ]
    return {
        "file": PurePath(filename).name,
        "program": record.program or "",
        "rows": record.rows,
        "rule": [{"message": each.message, "params": _plain(each.params)} for each in found.sentences],
        "differences": [asdict(difference) for difference in found.differences],
        "warnings": [
            {"message": warning.message, "params": _plain(warning.params), "line": warning.line}
            for warning in (*record.warnings, *shared)
        ],
        "standings": [
            {
                "pair": standing.pair,
                "session": standing.session or 0,
                "place": standing.place or "",
                "total": "" if standing.total is None else str(standing.total),
                "percent": "" if standing.percent is None else str(standing.percent),
            }
            for standing in record.standings
        ],
    }


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, int) else str(value) for name, value in params.items()}
