"""Events that other programs scored: a file becomes a draft, scored by our own sums under the rule it was scored by."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from bridge.doubts import doubts, odd_ones_out
from bridge.errors import BridgeError
from bridge.formats import pbn, published, usebio
from bridge.formats.records import (
    BoardRecord,
    EventRecord,
    PairRecord,
    PlayerRecord,
    RecordError,
    RowRecord,
)

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


def read_event(data: bytes, *, encoding: str | None = None, method: Method | None = None) -> EventRecord:
    """The event in a file. What kind of file it is shows in its content, not in its name.

    Args:
        data: USEBIO XML, or PBN with score tables.
        encoding: The encoding of the letters, when the file does not declare it or declares a wrong one.
        method: How the event is scored, when the file does not say.

    Raises:
        RecordError: What is wrong, worded for the person who gave the file, with the line.
    """
    record = _read(data, encoding)
    if record.method is None:
        if method is None:
            raise RecordError("The file does not say how the event is scored. Choose the scoring.")
        chosen = RecordError("The file does not say how the event was scored; whoever imported it chose.")
        record = replace(record, method=method, warnings=(*record.warnings, chosen))
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


def add_hands(record: EventRecord, data: bytes, *, encoding: str | None = None) -> EventRecord:
    """The event with the cards out of a PBN file; they join the boards by number.

    Boards that got no cards, and cards that found no board, are among the warnings.

    Raises:
        RecordError: The file holds no cards, or only cards of boards that the event did not play; with the line.
    """
    check_size(len(data))
    if len(record.sessions) > 1:
        raise RecordError("Cards can be added to an event of one session only.")
    dealt = {board.number: board for board in pbn.read_boards(data, encoding) if board.deal}
    if not dealt:
        raise RecordError("The file of hand records holds no cards.")
    (session,) = record.sessions
    numbers = {board.number for board in session.boards}
    if numbers.isdisjoint(dealt):
        raise RecordError(
            "The hand records are of boards %(theirs)s; the event played boards %(ours)s.",
            theirs=_listed(dealt),
            ours=_listed(numbers),
        )
    boards = tuple(
        replace(board, deal=board.deal or dealt[board.number].deal) if board.number in dealt else board
        for board in session.boards
    )
    return replace(
        record,
        sessions=(replace(session, boards=boards),),
        warnings=(*record.warnings, *_about_hands(boards, dealt)),
    )


def _about_hands(boards: Sequence[BoardRecord], dealt: Mapping[int, BoardRecord]) -> Iterator[RecordError]:
    if bare := [board.number for board in boards if board.deal is None]:
        yield RecordError("The hand records hold no cards of boards %(boards)s.", boards=_listed(bare))
    if spare := dealt.keys() - {board.number for board in boards}:
        yield RecordError(
            "The hand records hold boards that the event did not play: %(boards)s.", boards=_listed(spare)
        )
    differing = [
        board.number
        for board in boards
        if board.number in dealt
        and (board.dealer, board.vulnerability)
        != (dealt[board.number].dealer, dealt[board.number].vulnerability)
    ]
    if differing:
        yield RecordError(
            "The hand records give boards %(boards)s another dealer or vulnerability than the event, whose own is"
            " followed.",
            boards=_listed(differing),
        )


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def digest_of(data: bytes) -> str:
    """What tells that two files are one: their content without white space at the ends of lines."""
    return sha256(b"\n".join(line.strip() for line in data.splitlines())).hexdigest()


def all_in_words(error: BridgeError) -> list[str]:
    """Everything that is wrong with a file, a sentence each."""
    return [in_words(each) for each in (error, *getattr(error, "others", ()))]


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
    conditions_checked: bool = False,
) -> Imported:
    """Make a draft of what a file says, compared and ranked; `publish` shows it to everybody at once.

    The same file again finds the event that is there and changes nothing. Imports follow one another, so two at the
    same time make one event and each player once. When anything fails, nothing is stored.

    Args:
        record: What the file says.
        filename, digest: Its name, and what tells that it was imported already.
        by: Who imports it.
        awards_masterpoints: Whether its pairs get master points.
        publish: Show the event at once.
        conditions_checked: Somebody looked at the boards whose dealer or vulnerability is not that of their number.

    Raises:
        BridgeError: The record cannot be an event, or such boards keep it from being published.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_IMPORTING])
    if event := Event.objects.filter(source_key=digest).first():
        return Imported(event, created=False)
    found = published.explain(record)
    record = found.record
    event = _create_event(record, found, digest, by, awards_masterpoints)
    field_boards = _add_sessions(event, record)
    people = [_player_facts(player, record) for pair in record.pairs for player in pair.players]
    contestants = _add_pairs(event, record, people)
    _add_adjustments(found, contestants)
    plays = list(_plays(record, field_boards, contestants))
    record_results(field=event.field, plays=plays, source=Result.Source.IMPORTED)
    event.source = _source(found, filename, people) | {"conditions_checked": conditions_checked}
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
        doubts: Results that may have been written down wrong, with `what` in the reader's language; `checked` by a
            director where one has asked.
        handicaps: Whether the file gives any.
        unusual_boards: Boards whose dealer or vulnerability is not that of their number.
        lists: For each ranking list its side and its rows: our standing, and what the file says of the pair.
    """

    pairs: int
    boards: int
    rows: int
    rule: str
    warnings: list[str]
    differences: list[dict[str, Any]]
    doubts: list[dict[str, Any]]
    handicaps: bool
    unusual_boards: str
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
        doubts=[{**each, "what": gettext(each["what"])} for each in source.get("doubts", [])],
        handicaps=any(each.get("handicap") for each in said.values()),
        unusual_boards=_listed(source.get("unusual_boards", [])),
        lists=[(side, [row for row in rows if row[0].contestant.direction == side]) for side in sides],
    )


def rule_in_words(source: Mapping[str, Any]) -> str:
    """The rule that reproduces a file's figures, in sentences; empty when the event came from no file."""
    return " ".join(gettext(each["message"]) % each["params"] for each in source.get("rule", []))


@transaction.atomic
def check_doubt(*, event_id: int, place: int, by: User) -> bool:
    """A director has asked about a doubtful result of a draft, by its place in the list; returns whether this did it.

    The mark stays whatever is compared or ranked again.
    """
    draft = Event.objects.select_for_update(of=["self"]).filter(pk=event_id, state=Event.State.DRAFT).first()
    listed = draft.source.get("doubts", []) if draft else []
    if draft is None or not 0 <= place < len(listed) or "checked" in listed[place]:
        return False
    listed[place]["checked"] = by.get_username()
    draft.save(update_fields=["source"])
    return True


@transaction.atomic
def publish_import(
    *,
    event_id: int,
    by: User,
    title: str,
    played_on: date | None,
    organisation: str,
    conditions_checked: bool = False,
) -> bool:
    """Publish a draft under the title, date and organisation that a director settled on; returns whether this did it.

    Raises:
        BridgeError: Boards with an unusual dealer or vulnerability, which nobody checked.
    """
    draft = Event.objects.select_for_update(of=["self"]).filter(pk=event_id, state=Event.State.DRAFT).first()
    if draft is None:
        return False
    draft.title, draft.played_on, draft.organisation = title, played_on, organisation
    if conditions_checked:
        draft.source["conditions_checked"] = True
    draft.save(update_fields=["title", "played_on", "organisation", "source"])
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
        field=create_field(rules=found.rules, by_session=record.by_rounds),
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
            raise RecordError("Pair %(pair)s names one player twice.", pair.line, pair=pair.label)
        direction = pair.direction.value if event.winners == 2 and pair.direction else ""
        entries.append(ContestantFacts(_label(pair), members, direction))
    return add_contestants(field=event.field, contestants=entries)


def _add_adjustments(found: published.Explanation, contestants: Mapping[str, Contestant]) -> None:
    """What the director gave or took, in a pair's first session; what it carried over, in no session but the total."""
    first: dict[str, int] = {}
    for session, board in found.record.boards():
        for row in board.rows:
            first.setdefault(row.ns, session.number)
            first.setdefault(row.ew, session.number)
    terms = []
    for pair in found.record.pairs:
        if pair.adjustment:
            terms.append((pair, first.get(pair.label, 1), pair.adjustment, gettext("As the file says.")))
        if pair.carry_over and found.carried:
            terms.append((pair, 0, pair.carry_over, gettext("Carried over from an earlier stage.")))
    Penalty.objects.bulk_create(
        Penalty(contestant=contestants[pair.label], session=session, points=-points, reason=reason)
        for pair, session, points, reason in terms
    )


def _label(pair: PairRecord) -> str:
    if len(pair.label) > 12:
        raise RecordError("“%(pair)s” is too long for the number of a pair.", pair.line, pair=pair.label)
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


def _source(found: published.Explanation, filename: str, people: Sequence[PlayerFacts]) -> dict[str, Any]:
    """What is kept of the file beside the event: shown in the preview and on the page about the event."""
    record = found.record
    handicaps = {pair.label: str(pair.handicap) for pair in record.pairs if pair.handicap}
    shared = [
        RecordError(
            "The number %(number)s stands with different names and is not used: %(names)s.",
            number=number,
            names=", ".join(names),
        )
        for (_, number), names in ambiguous_numbers(people).items()
    ]
    return {
        "file": PurePath(filename).name.replace("\ufffd", "_"),
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
                "handicap": handicaps.get(standing.pair, ""),
            }
            for standing in record.standings
        ],
        "doubts": list(_doubts(record)),
        "unusual_boards": sorted({board.number for _, board in record.boards() if not board.fits_number}),
    }


def _doubts(record: EventRecord) -> Iterator[dict[str, Any]]:
    """Results that one should ask about before the event is published."""
    for session, board in record.boards():
        scored = [(row, row.score(board.vulnerability)) for row in board.rows if row.ruling is None]
        scores = [score for _, score in scored if score is not None]
        odd = odd_ones_out([(row.contract, row.tricks) for row, _ in scored])
        for (row, score), is_odd in zip(scored, odd, strict=True):
            if score is None:
                continue
            others = scores.copy()
            others.remove(score)
            for doubt in doubts(
                contract=row.contract,
                lead=row.lead,
                deal=board.deal,
                ns_score=score,
                field_scores=others,
                odd_one_out=is_odd,
            ):
                yield {
                    "what": doubt.message,
                    "session": session.number if len(record.sessions) > 1 else None,
                    "board": board.number,
                    "pair": f"{row.ns} – {row.ew}",
                    "score": score,
                    "line": row.line,
                }


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, int) else str(value) for name, value in params.items()}
