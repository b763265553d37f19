"""While a round is played, no address of the whole site tells anybody a card too many, nor what another table did.

An event is shown in two worlds that differ in hidden things alone: the hands that a viewer may not see, what can be made
of them double dummy, what partner has told the opponents. Everybody asks for every address of the site in both worlds,
and must be answered the same, byte for byte. The addresses come from the urlconf: a new one is asked for by itself.
"""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import cycle, islice
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django import shortcuts
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.test import Client
from django.urls import get_resolver

from apps.boards.models import Board, DoubleDummy
from apps.clock.models import AuditEntry
from apps.clock.time import now
from apps.pairs.models import Event, Round, Swiss
from apps.pairs.selectors import oversight
from apps.pairs.selectors.tables import PURPOSE, occasion_of
from apps.pairs.services.tables import take_results
from apps.tables import hands, selectors, views, watching
from apps.tables.models import DirectorCall, Table, TableBoard, TableEvent, TableWord
from apps.tables.protocol import view_of
from apps.tables.selectors import Snapshot
from apps.tables.services.boards import written
from apps.users.models import Notice, User
from bridge.seats import Seat, Vulnerability
from bridge.table import How, Viewer, action_to_data
from tests.config.test_every_address import routes
from tests.faults.thorough import THOROUGH, Tell, often
from tests.pairs.evening import enter_pairs, make_swiss, reload, start
from tests.secrecy import WATCHERS, Story, Watcher, random_story, twins
from tests.tables.tables import make_member, user_of
from tests.tables.test_secrecy import plain, taken

pytestmark = pytest.mark.django_db

PAIRS = often(1000, usual=20)
STORIES = often(100, usual=4)  # pairs of them, at another table
SHARES = 1 if THOROUGH else 8  # of a world, one share of the addresses is asked for
A_LEAK = 24  # pairs within which a seeded leak is found, for those who learn by it
PK = 900_001
SEARCHES = (
    "/players/?q=Player",
    "/events/?q=Swiss",
    "/masterpoints/?q=Player",
    "/events/{event}/names/?name=Player",
)
OF_WHO_RUNS_THE_SITE = (
    *(
        f"/admin/{model}/{page}"
        for model in ("tables/table", "tables/tableword", "tables/directorcall", "clock/auditentry")
        for page in ("", f"{PK}/change/")
    ),
    "/tables/calls/",
    "/events/{event}/setup/",
    "/events/{event}/direct/",
    "/events/{event}/direct/log/",
)

OF_NO_WORLD = re.compile(
    rb'"(?:disk_free|stale_board_age)": \d+'  # of the machine
    rb'|name="(?:key|command)" value="[0-9a-f-]{36}"'  # of a form, anew each time
)


Leaving = dict[str, bytes]
"""What leaves the site, by who asked for what."""


class Evening:
    """A round of an event, played at two tables with the same boards: the first of them can be in any world."""

    def __init__(self) -> None:
        swiss = make_swiss(rounds=2, boards=2, play=Swiss.Play.TABLES)
        enter_pairs(swiss, 4)
        start(swiss)
        self.swiss = reload(swiss)
        self.round = Round.objects.get(swiss=swiss, state=Round.State.OPEN)
        self.table, self.other = Table.objects.filter(
            purpose=PURPOSE, occasion=occasion_of(self.round)
        ).order_by("pk")
        self.lying = self.table.boards.get(position=1)
        self.play_the_other_way_round()
        sittings = self.table.sittings.select_related("player__user")
        self.players = {each.seat: each.player for each in sittings}
        there = self.other.sittings.select_related("player__user")
        self.elsewhere = there.get(seat="N").player
        self.administrator = user_of(there.get(seat="E").player)
        User.objects.filter(pk=self.administrator.pk).update(is_staff=True, is_superuser=True)
        self.stranger, self.gone = make_member("Vera"), make_member("Greta")
        self.director = make_member("Dora", director=True)
        self.clients: dict[User | None, Client] = {None: Client()}
        others = (self.elsewhere, self.stranger, self.gone, self.director)
        for user in (*map(user_of, (*self.players.values(), *others)), self.administrator):
            self.clients[user] = Client()
            self.clients[user].force_login(user)
        User.objects.filter(pk=user_of(self.gone).pk).update(is_active=False)  # past what ends its sessions

    def play_the_other_way_round(self) -> None:
        """At the other table the same board is still to come."""
        one, two = self.other.boards.order_by("position")
        first = two.board_id
        two.delete()
        TableBoard.objects.filter(pk=one.pk).update(board=first)
        TableBoard.objects.create(table=self.other, position=2, board_id=one.board_id)

    def leaving(self, story: Story, watcher: Watcher, share: int, secret: str) -> Leaving:
        """What whoever may see no more than this watcher gets of the site in this world."""
        with transaction.atomic():
            try:
                self.build(story, watcher, secret)
                return {
                    f"{who}: {address}": OF_NO_WORLD.sub(b"", taken(self.clients[user].get(address)))
                    for who, user in self.viewers(story, watcher)
                    for address in self.addresses(user, share)
                } | self.pushed(watcher)
            finally:
                transaction.set_rollback(True)

    def build(self, story: Story, watcher: Watcher, secret: str) -> None:
        """The first board of the table, with its log and all that is known of its cards."""
        hands._kept.clear()
        board, size = story.opening.board, len(story.log)
        number = int(sha256(board.deal.pbn.encode()).hexdigest(), 16)
        Board.objects.filter(pk=self.lying.board_id).update(
            deal=board.deal.pbn,
            dealer=board.dealer.letter,
            vulnerable=board.vulnerability.value,
            par_score=10 * (number % 100),
            par_contracts=f"{number % 7 + 1}NT N",
        )
        DoubleDummy.objects.create(
            deal=board.deal.pbn,
            tricks="".join("0123456789abcd"[number >> 4 * place & 7] for place in range(20)),
        )
        Table.objects.filter(pk=self.table.pk).update(
            rules=hands.rules_to_data(board.rules), version=size + 1, sequence=size
        )
        TableEvent.objects.bulk_create(
            TableEvent(
                pk=PK + place,
                table=self.table,
                table_board=self.lying,
                sequence=place,
                version=place + 1,
                command=UUID(int=place),
                at=self.moment + timedelta(seconds=place),
                seat="" if seat is None else seat.letter,
                action=action_to_data(action),
            )
            for place, (seat, action) in enumerate(story.log, 1)
        )
        speaker = watcher.partner if isinstance(watcher, Seat) else Seat.NORTH
        TableWord.objects.create(
            pk=PK,
            table=self.table,
            command=UUID(int=PK),
            at=self.moment,
            seat=speaker.letter,
            to=TableWord.To.OPPONENTS,
            text=secret,
        )
        self.table.refresh_from_db()
        folded, _done = hands.read_board(self.table)
        assert folded
        if folded.state.is_over:
            players = [self.players[letter].pk for letter in "NESW"]
            facts = written(folded, self.moment) | {"players": players}
            TableBoard.objects.filter(pk=self.lying.pk).update(**facts)
            if not isinstance(
                watcher, Seat
            ):  # those who have played the board read what the others ask about it
                self.ask_the_director(secret)
            take_results(round_id=self.round.pk)

    def ask_the_director(self, text: str) -> None:
        """The table is closed, a side asks about the board that is over, and the log tells it."""
        Table.objects.filter(pk=self.table.pk).update(
            state=Table.State.OVER, why=Table.Why.LEFT, closed_at=self.moment
        )
        AuditEntry.objects.create(
            pk=PK,
            at=self.moment,
            action="pairs.asked afterwards",
            subject_kind="pairs.event",
            subject_id=self.swiss.pk,
            reason=text,
        )
        DirectorCall.objects.create(
            pk=PK,
            table=self.table,
            table_board=self.lying,
            command=UUID(int=PK),
            at=self.moment,
            seat="N",
            text=text or "nothing",
            afterwards=True,
        )

    @property
    def moment(self) -> datetime:
        assert self.round.opened_at
        return self.round.opened_at

    def viewers(self, story: Story, watcher: Watcher) -> Iterator[tuple[str, User | None]]:
        if isinstance(watcher, Seat):
            yield watcher.name, user_of(self.players[watcher.letter])
            return
        yield "nobody", None
        yield "a stranger", user_of(self.stranger)
        yield "whose account was closed", user_of(self.gone)
        yield "a player at another table", user_of(self.elsewhere)
        yield "who runs the site and plays at another table", self.administrator
        if not story.states[-1].is_over:  # a board that is over is open to directors
            yield "a director", user_of(self.director)

    def addresses(self, user: User | None, share: int) -> list[str]:
        """Every address of ours, as far as it concerns this evening; of those of tables all, of the others a share."""
        notice = Notice.objects.filter(user=user).order_by("pk").first() if user else None
        said = {
            "event_id": self.swiss.pk,
            "player_id": self.players["N"].pk,
            "notice_id": notice.pk if notice else 1,
            "name": "withdraw",
            "text": "2026-11",
            "token": "x",
        }
        if user == self.administrator:  # the others are asked for by those who do not run it
            return [address.format(event=self.swiss.pk) for address in OF_WHO_RUNS_THE_SITE]
        found = [search.format(event=self.swiss.pk) for search in SEARCHES]
        for route, _name in routes(get_resolver()):
            if route.startswith("/accounts/") and "preferences" not in route:
                continue  # another's, about signing in
            tables = (self.table, self.other) if "<uuid:table>" in route else (self.table,)
            for filled in (route.replace("<uuid:table>", str(table.uuid)) for table in tables):
                found += [re.sub(r"<(?:\w+:)?(\w+)>", lambda name: str(said.get(name[1], 1)), filled)]
        ours = [address for address in found if address.startswith(("/tables/", "/notices/"))]
        others = [address for address in found if address not in ours]
        return ours + others[share % SHARES :: SHARES]

    def pushed(self, watcher: Watcher) -> Leaving:
        """What comes through the sockets of this table and of the other one, when both are looked at together."""
        here = self.players[watcher.letter] if isinstance(watcher, Seat) else self.elsewhere
        knocks = [
            watching.Knock(self.clients[user_of(player)].cookies["sessionid"].value, table.uuid, directing)
            for player, table, directing in (
                (here, self.table, False),
                (here, self.table, True),
                (self.elsewhere, self.other, False),
            )
        ]
        watchers = [each for each in watching.admit(knocks) if isinstance(each, watching.Watcher)]
        watched = {
            pk: {each: 0 for each in watchers if each.table_id == pk} for pk in (self.table.pk, self.other.pk)
        }
        looks = watching.look([watching.Watched(pk, each) for pk, each in watched.items()])
        assert looks[1].frames
        told = [each for look in looks for each in (*look.frames.values(), *look.refused.values())]
        return {"sockets": plain("\n".join(map(str, told)).encode())}


@pytest.fixture
def evening(monkeypatch: pytest.MonkeyPatch) -> Evening:
    """At a moment that stands still: it may not be what tells two worlds apart, nor what hides that something does."""
    evening = Evening()
    moment = (now() + timedelta(minutes=5)).isoformat()
    monkeypatch.setattr("apps.clock.time._moment", lambda: f"SELECT timestamptz '{moment}'")
    return evening


def difference(
    evening: Evening, chance: Random, pairs: int, watchers: Collection[Watcher] = WATCHERS
) -> tuple[str, bytes, bytes] | None:
    """The first answer by which one of these can tell two worlds apart."""
    those = (each for each in twins(chance, a_story=3) if each[2] in watchers)
    for place, (story, other, watcher) in enumerate(islice(those, pairs)):
        one = evening.leaving(story, watcher, place, "sorry, a slip")
        two = evening.leaving(other, watcher, place, "I thought for no reason")
        if found := first_difference(one, two):
            return found
    return None


def first_difference(one: Leaving, two: Leaving) -> tuple[str, bytes, bytes] | None:
    assert one.keys() == two.keys()
    for way, here in one.items():
        if here != (there := two[way]):
            place = next(
                (at for at, each in enumerate(zip(here, there, strict=False)) if each[0] != each[1]), 0
            )
            around = slice(max(0, place - 80), place + 80)
            return way, here[around], there[around]
    return None


def test_no_address_of_the_site_tells_two_worlds_apart(evening: Evening, record_property: Tell) -> None:
    assert difference(evening, Random(1), PAIRS) is None
    record_property("pairs of deals by every address", PAIRS)


def finished_stories(chance: Random) -> Iterator[Story]:
    """Boards that came to a result at their table, all with the same dealer and vulnerability."""
    while True:
        story = random_story(chance)
        board, ending = story.opening.board, story.states[-1].ending
        alike = board.dealer is Seat.NORTH and board.vulnerability is Vulnerability.NONE
        if alike and ending and ending.how in (How.PLAYED, How.CLAIMED, How.PASSED_OUT):
            yield story


def test_what_a_table_did_on_a_board_is_hidden_from_those_who_may_still_play_it(
    evening: Evening, record_property: Tell
) -> None:
    """Not the cards alone: the contract and the result as well, until the round is over for everybody."""
    stories = finished_stories(Random(7))
    for place in range(STORIES):
        one, two = (evening.leaving(next(stories), Viewer.PUBLIC, place, "") for _ in range(2))
        assert first_difference(one, two) is None
    record_property("pairs of results by every address", STORIES)


def test_every_part_of_the_site_is_asked_and_the_pages_of_the_table_are_really_served(
    evening: Evening,
) -> None:
    """A sweep over pages that are refused would find nothing."""
    story = next(story for story, _, _ in twins(Random(3)) if story.states[-1].play)
    found = evening.leaving(story, Seat.NORTH, 0, "")
    for share in range(1, SHARES):
        found |= evening.leaving(story, Seat.NORTH, share, "")
    served = {way.partition(": ")[2] for way, answer in found.items() if answer.startswith(b"200")}
    event = f"/events/{evening.swiss.pk}/"
    for address in (
        "",
        "live/",
        "rounds/1/",
        "deals/",
        "boards/",
        "pairs/1/",
        "about/",
        "event.pbn",
    ):
        assert event + address in served
    for address in (
        "/",
        "/players/?q=Player",
        "/notices/",
        "/tables/",
        f"/tables/{evening.table.uuid}/",
    ):
        assert address in served
    assert {answer[:3] for answer in found.values()} >= {b"200", b"302", b"403", b"404", b"405"}


def test_no_answer_has_the_seed_of_deals_to_come(evening: Evening) -> None:
    assert evening.swiss.seal
    seed = evening.swiss.seal.secret().hex().encode()

    def answers() -> bytes:
        users = (None, *map(user_of, (*evening.players.values(), evening.elsewhere, evening.director)))
        shares = zip(cycle(range(SHARES)), users, strict=False)
        return b"".join(
            taken(evening.clients[user].get(address))
            for share, user in shares
            for address in evening.addresses(user, share)
        )

    assert seed not in answers()
    Event.objects.filter(pk=evening.swiss.pk).update(title=seed.decode())
    assert seed in answers()


# ---- seeded leaks


Seed = Callable[[pytest.MonkeyPatch, Evening], None]


def holdings(evening: Evening) -> list[str]:
    """The hands of the board, as the database has them."""
    return Board.objects.get(pk=evening.lying.board_id).deal[2:].split()


def the_round_counts_as_over(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    none = Round.objects.none().values_list("number", flat=True)
    for module in ("boards", "events"):
        patch.setattr(f"apps.pairs.selectors.{module}.being_played", lambda _event: none)


def anybody_sees_the_finished_board(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    def finished_board(**_: object) -> TableBoard:
        boards = TableBoard.objects.select_related("table", "board")
        return get_object_or_404(boards, pk=evening.lying.pk, state=TableBoard.State.OVER)

    patch.setattr(selectors, "finished_board", finished_board)


def viewer_of() -> Callable[[selectors.Place], Seat | Viewer | None]:
    """As what somebody before a table sees it, by our own rules."""
    original: property = vars(selectors.Place)["viewer"]
    assert original.fget
    return original.fget


def players_of_the_round_see_each_others_tables(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    original = viewer_of()

    def viewer(place: selectors.Place) -> Seat | Viewer | None:
        own = original(place)
        return Viewer.DIRECTOR if own is None and place.table == evening.table else own

    patch.setattr(selectors.Place, "viewer", property(viewer))


def a_director_sees_all_hands_without_asking(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    original = viewer_of()

    def viewer(place: selectors.Place) -> Seat | Viewer | None:
        return Viewer.DIRECTOR if place.user.directs else original(place)

    patch.setattr(selectors.Place, "viewer", property(viewer))


def what_can_be_made_is_shown_beside_the_table(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    def with_tricks(snapshot: Snapshot, viewer: Seat | Viewer) -> dict[str, Any]:
        tricks = DoubleDummy.objects.order_by("-pk").values_list("tricks", flat=True)[0]
        return view_of(snapshot, viewer) | {"tricks": tricks}

    patch.setattr(views, "view_of", with_tricks)


def questions_to_the_director_are_shown_in_the_lobby(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    def render(request: HttpRequest, template: str, context: dict[str, Any], **more: Any) -> HttpResponse:
        response = shortcuts.render(request, template, context, **more)
        if template == "tables/lobby.html":
            asked = DirectorCall.objects.filter(afterwards=True).values_list("text", flat=True)
            response["X-Asked"] = "; ".join(asked)
        return response

    patch.setattr(views, "render", render)


def who_runs_the_site_reads_what_was_said(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    patch.setattr(oversight, "tables_not_for", lambda _user: Table.objects.none())


def who_runs_the_site_reads_why_it_was_decided(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    patch.setattr(oversight, "entries_not_for", lambda _user: Q(pk=None))


def partner_hears_what_is_for_the_opponents(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    patch.setattr(selectors, "_is_for", lambda _word, _viewer: True)


def every_answer_has_a_mark_of_what_lies_on_the_tables(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    original = HttpResponse.__init__

    def marked(response: HttpResponse, *given: Any, **more: Any) -> None:
        original(response, *given, **more)
        response["ETag"] = f'"{sha256("".join(holdings(evening)).encode()).hexdigest()}"'

    patch.setattr(HttpResponse, "__init__", marked)


def a_notice_tells_who_has_the_ace_of_spades(patch: pytest.MonkeyPatch, evening: Evening) -> None:
    def told(notice: Notice) -> str:
        return next(letter for letter, hand in zip("NESW", holdings(evening), strict=True) if hand[0] == "A")

    patch.setattr(Notice, "__str__", told)


OUTSIDE, INSIDE = (Viewer.PUBLIC,), tuple(Seat)
LEAKS: dict[Seed, Collection[Watcher]] = {
    the_round_counts_as_over: OUTSIDE,
    anybody_sees_the_finished_board: OUTSIDE,
    players_of_the_round_see_each_others_tables: OUTSIDE,
    questions_to_the_director_are_shown_in_the_lobby: OUTSIDE,
    who_runs_the_site_reads_what_was_said: OUTSIDE,
    who_runs_the_site_reads_why_it_was_decided: OUTSIDE,
    a_director_sees_all_hands_without_asking: OUTSIDE,
    what_can_be_made_is_shown_beside_the_table: INSIDE,
    partner_hears_what_is_for_the_opponents: INSIDE,
    every_answer_has_a_mark_of_what_lies_on_the_tables: WATCHERS,
    a_notice_tells_who_has_the_ace_of_spades: WATCHERS,
}
"""With those who learn something by it."""


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_a_seeded_leak_is_found(
    leak: Seed, evening: Evening, monkeypatch: pytest.MonkeyPatch, record_property: Tell
) -> None:
    leak(monkeypatch, evening)
    assert difference(evening, Random(13), A_LEAK, LEAKS[leak]) is not None
    record_property("seeded leaks found", 1)


def test_a_result_that_is_shown_before_the_round_is_over_is_found(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    the_round_counts_as_over(monkeypatch, evening)
    stories = finished_stories(Random(7))
    found = (
        first_difference(*(evening.leaving(next(stories), Viewer.PUBLIC, place, "") for _ in range(2)))
        for place in range(STORIES)
    )
    assert any(found)
