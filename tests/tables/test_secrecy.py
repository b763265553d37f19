"""Nobody is told a card too many by any way out of the site: page, view, socket, refusal, header, log, hint.

The same table is shown in two worlds that differ in hidden things alone, and what leaves the site for a viewer must be
the same, byte for byte. Each seeded leak below is a way of telling too much, and the same comparison finds it.
"""

import ast
import hashlib
import json
import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.db.models import DateTimeField, Value
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse
from django.views.debug import ExceptionReporter

from apps.boards.models import Board, BoardSet
from apps.boards.services import seal_deals
from apps.clock.time import Moment
from apps.tables import hands, hints, protocol, selectors, views, watching
from apps.tables.models import Sitting, Table, TableBoard, TableEvent
from apps.tables.protocol import view_to_json
from apps.tables.selectors import Snapshot, Surroundings
from apps.tables.services import playing
from apps.tables.services.boards import written
from apps.tables.services.locks import lock_table, touch
from apps.users.models import Player
from bridge.cards import Card, Hand
from bridge.errors import IllegalAction
from bridge.seats import Seat
from bridge.table import View, Viewer, action_to_data
from tests.faults.thorough import Tell, often
from tests.secrecy import Story, Watcher, twins
from tests.tables.stand import session_of
from tests.tables.tables import Browser, make_cast, make_member, user_of

pytestmark = pytest.mark.django_db

PAIRS = often(3000, usual=40)
VIEWS = often(20_000, usual=2000)
A_LEAK = 30  # pairs within which a seeded leak is found
TABLE = UUID("11111111-2222-4333-8444-555555555555")
BEGAN = datetime(2026, 11, 30, 12, tzinfo=UTC)
PK = 900_001
COMMAND = "7d4b2a4e-1c3f-4c55-8f57-0a8f5e3f0b11"

Leaving = dict[str, bytes]
"""What leaves the site for a viewer, by the way it takes."""


class Scene:
    """The cast and whoever looks on, before a table that can be in either of two worlds."""

    def __init__(self) -> None:
        self.cast = make_cast()
        self.vera = make_member("Vera")
        self.staff = make_member("Stan")
        user = user_of(self.staff)
        user.is_staff = user.is_superuser = True
        user.save()
        self.seal = seal_deals(name="secret")
        self.table = Table(uuid=TABLE)
        self.browsers = {player: Browser(player, self.table) for player in self.people()}

    def people(self) -> list[Player]:
        return [*self.cast.values(), self.vera, self.staff]

    def leaving(self, story: Story, watcher: Watcher) -> Leaving:
        """Everything that one viewer gets of the table in this world."""
        with transaction.atomic():
            try:
                self.build(story)
                return self.ask(watcher)
            finally:
                transaction.set_rollback(True)

    def build(self, story: Story) -> None:
        """The table, with the board and its log, under the same ids in every world."""
        hands._kept.clear()  # it goes by ids, and no two boards have the same but here
        board = story.opening.board
        row = Board.objects.create(
            pk=PK,
            board_set=BoardSet.objects.create(pk=PK, name="secret", seal=self.seal, round_number=1),
            number=board.number,
            dealer=board.dealer.letter,
            vulnerable=board.vulnerability.value,
            deal=board.deal.pbn,
        )
        size = len(story.log)
        table = Table.objects.create(
            pk=PK,
            uuid=TABLE,
            purpose="test",
            occasion="1",
            subject="1",
            title="Table",
            casual=True,
            version=size + 1,
            sequence=size,
            rules=hands.rules_to_data(board.rules),
            opened_at=BEGAN,
        )
        lying = TableBoard.objects.create(
            pk=PK, table=table, position=1, board=row, state="playing", opened_at=BEGAN, opened_version=1
        )
        table.current, table.state = lying, Table.State.PLAYING
        table.save()
        Sitting.objects.bulk_create(
            Sitting(pk=PK + place, table=table, seat=seat, player=player, sat_at=BEGAN, last_seen=Moment())
            for place, (seat, player) in enumerate(self.cast.items())
        )
        TableEvent.objects.bulk_create(
            TableEvent(
                pk=PK + number,
                table=table,
                table_board=lying,
                sequence=number,
                version=number + 1,
                command=UUID(int=number),
                at=BEGAN + timedelta(seconds=number),
                seat="" if seat is None else seat.letter,
                action=action_to_data(action),
            )
            for number, (seat, action) in enumerate(story.log, 1)
        )
        folded, _done = hands.read_board(table)
        if folded and folded.state.is_over:
            players = [self.cast[seat].pk for seat in "NESW"]
            facts = written(folded, BEGAN + timedelta(hours=1)) | {"players": players}
            TableBoard.objects.filter(pk=PK).update(**facts)

    def ask(self, watcher: Watcher) -> Leaving:
        player = self.cast[watcher.letter] if isinstance(watcher, Seat) else self.vera
        browser = self.browsers[player]
        client, address = browser.client, reverse("tables:table", args=[TABLE])
        pages = {
            "page": client.get(address),
            "view": client.get(f"{address}view"),
            "as a director": client.get(address, {"as": "director"}),
            "lobby": client.get(reverse("tables:lobby")),
            "board": client.get(reverse("tables:board", args=[TABLE, 1])),
            "a card that is not there": self.send(browser, {"act": "play", "card": "SA"}),
            "a call": self.send(browser, {"act": "call", "call": "7NT"}),
            "a claim": self.send(browser, {"act": "claim", "tricks": 13}),
            "stale": self.send(browser, {"act": "play", "card": "SA"}, expect=0),
        }
        if watcher is Viewer.PUBLIC and TableBoard.objects.get(pk=PK).state == TableBoard.State.OVER:
            del pages["board"]  # at a casual table nobody can play it any more: it is open to everybody
        staff = self.browsers[self.staff].client
        if player is self.vera:  # whoever runs the site sees no more in its administration
            for name in (
                "tables/table",
                "tables/tableword",
                "boards/boardset",
                "boards/doubledummy",
                "clock/auditentry",
            ):
                pages[f"admin {name}"] = staff.get(f"/admin/{name}/")
        leaving = {way: taken(answer) for way, answer in pages.items()}
        leaving["socket"] = self.pushed(player)
        return leaving

    def view(self, story: Story, watcher: Watcher) -> bytes:
        """The view of a table that is in no database."""
        size = len(story.log)
        table = Table(
            pk=PK, uuid=TABLE, version=size + 1, sequence=size, state="playing", current_id=PK, casual=True
        )
        board = TableBoard(pk=PK, table=table, position=1, state="playing", board=Board(number=1))
        at = BEGAN + timedelta(seconds=size)
        folded = hands.Folded(story.states[-1], size, at, at, at, size, size)
        sittings = tuple(
            Sitting(seat=seat, player=player, sat_at=BEGAN, last_seen=BEGAN)
            for seat, player in self.cast.items()
        )
        shown = Snapshot(table, at, Surroundings(0, sittings, (board,), (), None), folded)
        return plain(view_to_json(shown, watcher).encode())

    def send(self, browser: Browser, act: dict[str, Any], expect: int = 10_000) -> Any:
        """A command that changes nothing in the end: whatever it does is rolled back."""
        version = Table.objects.values_list("version", flat=True).get(pk=PK)
        body = {"command": COMMAND, "expect": min(expect, version), "do": act}
        with transaction.atomic():
            answer = browser.post(json.dumps(body))
            if answer.status_code == 200:  # it was allowed, as its maker knows: the answer is a number
                assert set(answer.json()) == {"v", "dup"}
            transaction.set_rollback(True)
        return answer

    def pushed(self, player: Player) -> bytes:
        """What comes through the player's socket."""
        session = session_of(self.browsers[player])
        (watcher,) = watching.admit([watching.Knock(session, TABLE, directing=False)])
        if isinstance(watcher, int):
            return str(watcher).encode()
        (look,) = watching.look([watching.Watched(PK, {watcher: 0})])
        return plain(look.frames[watcher].encode())


def taken(answer: Any) -> bytes:
    """An answer as it goes over the line: status, headers, body."""
    content = answer.getvalue()
    headers = "\n".join(f"{name}: {value}" for name, value in sorted(answer.headers.items()))
    cookies = sorted(answer.cookies)
    return plain(f"{answer.status_code}\n{headers}\n{cookies}\n".encode() + content)


VARYING = re.compile(
    rb"|".join(
        (
            rb'(?<="now":")[^"]+|(?<="now": ")[^"]+',  # the moment
            rb'(?<=name="csrfmiddlewaretoken" value=")\w+',  # salted anew each time
            rb"(?<=Expires: )[^\n]+",
        )
    )
)


def plain(raw: bytes) -> bytes:
    """Without what differs from one moment to the next, whatever the cards."""
    return VARYING.sub(b"-", raw)


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    """At a moment that stands still: it may not be what tells two worlds apart, nor what hides that something does."""
    moment = Value(BEGAN + timedelta(hours=1), DateTimeField())
    monkeypatch.setattr(f"{selectors.__name__}.Moment", lambda: moment)
    return Scene()


def difference(scene: Scene, chance: Random, pairs: int) -> tuple[str, bytes, bytes] | None:
    """The first way by which a viewer can tell two worlds apart, and what came that way."""
    for (story, other, watcher), _ in zip(twins(chance, a_story=3), range(pairs), strict=False):
        one, two = scene.leaving(story, watcher), scene.leaving(other, watcher)
        for way in one:
            if one[way] != two[way]:
                place = next(
                    at
                    for at, (here, there) in enumerate(zip(one[way], two[way], strict=False))
                    if here != there
                )
                around = slice(max(0, place - 60), place + 60)
                return f"{way} of {watcher}", one[way][around], two[way][around]
    return None


def test_no_way_out_of_the_site_tells_two_worlds_apart(scene: Scene, record_property: Tell) -> None:
    assert difference(scene, Random(1), PAIRS) is None
    record_property("pairs of deals by every way out", PAIRS)


def test_views_of_many_worlds_are_the_same(scene: Scene, record_property: Tell) -> None:
    """Many more worlds, without pages around them: what the views add to what the engine tells."""
    for (story, other, watcher), _ in zip(twins(Random(5)), range(VIEWS), strict=False):
        assert scene.view(story, watcher) == scene.view(other, watcher)
    record_property("pairs of deals by their views", VIEWS)


# ---- seeded leaks


Seed = Callable[[pytest.MonkeyPatch], None]
original_view_of = protocol.view_of
original_seen_by = Snapshot.seen_by


def leak_in_view(add: Callable[[Snapshot], Any]) -> Seed:
    """A leak that is added to what every view says."""

    def seed(patch: pytest.MonkeyPatch) -> None:
        def view_of(snapshot: Snapshot, viewer: Any) -> dict[str, Any]:
            return original_view_of(snapshot, viewer) | {"leak": add(snapshot)}

        patch.setattr(protocol, "view_of", view_of)
        patch.setattr(views, "view_of", view_of)

    return seed


def hands_of(snapshot: Snapshot) -> tuple[Hand, ...]:
    assert snapshot.folded
    state = snapshot.folded.state
    return state.play.hands if state.play else tuple(hand for hand in state.board.deal.hands if hand)


def announced(snapshot: Snapshot) -> list[str]:
    """What was said of calls that were not alerted."""
    assert snapshot.folded
    meanings = snapshot.folded.state.meanings
    return [meaning.text for meaning in meanings if meaning.text and not meaning.alert]


def the_mask_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    def seen_by(self: Snapshot, viewer: Any) -> View | None:
        return original_seen_by(self, Viewer.DIRECTOR)

    patch.setattr(Snapshot, "seen_by", seen_by)


def the_mask_is_forgotten_at_the_socket(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        f"{watching.__name__}.view_to_json", lambda snapshot, _viewer: view_to_json(snapshot, Viewer.DIRECTOR)
    )


def onlookers_are_taken_for_directors(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        selectors.Place,
        "viewer",
        property(lambda self: Seat.from_letter(self.sitting.seat) if self.sitting else Viewer.DIRECTOR),
    )


def a_neighbours_view_is_kept_for_all(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        f"{watching.__name__}.view_to_json", lambda snapshot, _viewer: view_to_json(snapshot, Seat.SOUTH)
    )


def anybody_directs(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        views,
        "_seen_from",
        lambda request, table: (selectors.place_at(user=request.user, uuid=table), Viewer.DIRECTOR),
    )


def a_board_is_shown_before_it_is_over(patch: pytest.MonkeyPatch) -> None:
    def finished_board(**_: object) -> TableBoard:
        board = TableBoard.objects.select_related("table", "board").get(pk=PK)
        board.state, board.players = TableBoard.State.OVER, [0, 0, 0, 0]
        return board

    patch.setattr(selectors, "finished_board", finished_board)


def header(name: str, value: Callable[[Snapshot], object]) -> Seed:
    """A leak in a header of every view."""

    def seed(patch: pytest.MonkeyPatch) -> None:
        original = selectors.snapshot
        shown: list[Snapshot] = []

        def snapshot(*, table_id: int) -> Snapshot:
            shown.append(original(table_id=table_id))
            return shown[-1]

        def response(*given: Any, **more: Any) -> HttpResponse:
            answer = HttpResponse(*given, **more)
            answer[name] = str(value(shown[-1])) if shown else ""
            return answer

        patch.setattr(selectors, "snapshot", snapshot)
        patch.setattr(views, "HttpResponse", response)

    return seed


def a_refusal_tells_who_holds_the_card(patch: pytest.MonkeyPatch) -> None:
    original = playing.act

    def act(*, table_id: UUID, **given: Any) -> Any:
        try:
            return original(table_id=table_id, **given)
        except IllegalAction as error:
            held = hands_of(selectors.snapshot(table_id=PK))
            holder = next((seat.name for seat in Seat if Card.from_text("SA") in held[seat].cards), "")
            raise IllegalAction(f"{error.message} {holder}", **error.params) from error

    patch.setattr(playing, "act", act)


def the_title_tells(patch: pytest.MonkeyPatch) -> None:
    original = selectors.snapshot

    def snapshot(*, table_id: int) -> Snapshot:
        shown = original(table_id=table_id)
        shown.table.title = hands_of(shown)[Seat.NORTH].pbn
        return shown

    patch.setattr(selectors, "snapshot", snapshot)


LEAKS: dict[str, Seed] = {
    "the mask is forgotten": the_mask_is_forgotten,
    "the mask is forgotten at the socket": the_mask_is_forgotten_at_the_socket,
    "onlookers are taken for directors": onlookers_are_taken_for_directors,
    "a neighbour's view is kept for all": a_neighbours_view_is_kept_for_all,
    "anybody directs": anybody_directs,
    "a board is shown before it is over": a_board_is_shown_before_it_is_over,
    "a refusal tells who holds the card": a_refusal_tells_who_holds_the_card,
    "the title tells": the_title_tells,
    "an ETag of the whole state": header(
        "ETag",
        lambda shown: hashlib.sha256(repr([hand.pbn for hand in hands_of(shown)]).encode()).hexdigest(),
    ),
    "a header with points": header(
        "X-Points", lambda shown: [hand.high_card_points for hand in hands_of(shown)]
    ),
    "a length that depends on hands": header(
        "X-Length", lambda shown: "x" * len(hands_of(shown)[1].pbn.split(".")[0])
    ),
    "points of all hands": leak_in_view(lambda shown: [hand.high_card_points for hand in hands_of(shown)]),
    "a checksum of the deal": leak_in_view(
        lambda shown: hashlib.sha256(repr([hand.pbn for hand in hands_of(shown)]).encode()).hexdigest()
    ),
    "the lowest card of a hand": leak_in_view(lambda shown: [hand.pbn[-1] for hand in hands_of(shown)]),
    "the words of announcements": leak_in_view(announced),
    "the order of keys": leak_in_view(
        lambda shown: dict.fromkeys(sorted("NESW", key=lambda seat: hands_of(shown)["NESW".index(seat)].pbn))
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_seeded_leak_is_found(
    leak: str, scene: Scene, monkeypatch: pytest.MonkeyPatch, record_property: Tell
) -> None:
    LEAKS[leak](monkeypatch)
    assert difference(scene, Random(2), A_LEAK) is not None
    record_property("seeded leaks found", 1)


# ---- what nobody asks for


def test_the_cards_of_a_board_are_read_in_one_module() -> None:
    """What looks at a finished board again reads the hands of a view, which `seen_by` has made, and no deal."""
    tables = Path(hands.__file__).parent
    readers = {
        (path.name, node.attr)
        for path in tables.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in ("deal", "hands")
    }
    assert readers == {("hands.py", "deal"), ("analysis.py", "hands")}


CARDS = re.compile(r"[AKQJT98765432]{2,}\.[AKQJT98765432]*\.")
"""The beginning of a hand as text."""


def test_hints_and_logs_know_nothing_of_cards(
    scene: Scene,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: Any,
) -> None:
    published: list[str] = []
    monkeypatch.setattr(hints.hints.client, "publish", lambda _channel, body: published.append(body))
    monkeypatch.setattr(hints.hints.rest, "until", 0.0)
    story = next(twins(Random(3)))[0]
    with caplog.at_level(logging.DEBUG), transaction.atomic():
        scene.build(story)
        with django_capture_on_commit_callbacks(execute=True):
            touch(lock_table(PK))
        scene.ask(Seat.NORTH)
        transaction.set_rollback(True)
    (hint,) = published
    assert json.loads(hint) == [[PK, len(story.log) + 2]]
    said = "\n".join(
        record.getMessage() for record in caplog.records if not record.name.startswith("django.db")
    )
    assert not CARDS.search(said)
    assert CARDS.search(story.opening.board.deal.pbn)


def test_a_report_of_an_error_shows_no_hand(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """What goes to whoever looks after the site when a page falls over."""
    reports: list[str] = []

    def fall(*_: object, **__: object) -> None:
        raise RuntimeError("the page fell over")

    monkeypatch.setattr(protocol, "_clock", fall)
    story = next(twins(Random(4)))[0]
    request = RequestFactory().get("/")
    with transaction.atomic():
        scene.build(story)
        client: Client = scene.browsers[scene.cast["N"]].client
        for address in (reverse("tables:table", args=[TABLE]), reverse("tables:view", args=[TABLE])):
            with pytest.raises(RuntimeError) as fallen:
                client.get(address)
            reporter = ExceptionReporter(request, fallen.type, fallen.value, fallen.tb)
            monkeypatch.setattr(reporter.filter, "is_active", lambda _request: True)
            reports.append(our_frames(reporter))
        transaction.set_rollback(True)
    assert not any(CARDS.search(report) or "rank=" in report for report in reports)
    assert all("the page fell over" in report or "********" in report for report in reports)


def our_frames(reporter: ExceptionReporter) -> str:
    """The variables of our own frames, as a report lists them."""
    frames = reporter.get_traceback_data()["frames"]
    ours = [frame for frame in frames if "/apps/tables/" in frame["filename"]]
    assert ours
    return "\n".join(f"{name} = {value}" for frame in ours for name, value in frame["vars"])
