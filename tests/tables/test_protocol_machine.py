"""The protocol as a whole, in the hands of chance: people before one table, over HTTP, with the real database.

Players call, play, claim, take back, ask, talk, leave and come back; a director decides and sends substitutes; onlookers
try what is not theirs; commands come late, twice, from the wrong hand or as rubbish; time passes, and the clock comes by.
Beside the table stands a model that is told only what was sent. It says beforehand how each command will be answered.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from apps.clock.models import DueWork
from apps.clock.services import tick
from apps.clock.time import move
from apps.tables import hands, selectors
from apps.tables.models import Table, TableBoard
from apps.tables.protocol import view_of
from apps.tables.refusals import Refused
from apps.tables.services import boards, closing, locks, playing, presence, seating
from apps.tables.services.opening import House
from apps.tables.services.playing import MOST_EXPLANATIONS, MOST_QUESTIONS, SILENCE, Done
from apps.users.models import Player
from bridge.auction import PASS
from bridge.cards import Deal
from bridge.errors import BridgeError, IllegalAction
from bridge.seats import Seat, Vulnerability
from bridge.table import (
    Action,
    AnswerClaim,
    AnswerUndo,
    AskAbout,
    Claim,
    DecidedBy,
    Explain,
    MakeCall,
    PlayerAction,
    PlayOn,
    Rule,
    TableRules,
    TableState,
    TakeBack,
    Viewer,
    action_from_data,
    action_to_data,
    apply,
    open_board,
    seats_to_act,
    waits_for_director,
)
from bridge.table import views as sight
from tests.bridge.plain_table import every_deed
from tests.faults.thorough import Tell, often
from tests.secrecy import open_hands
from tests.tables.tables import CAST, make_boards, make_member, make_table, user_of

pytestmark = pytest.mark.django_db(transaction=True)

EXAMPLES, STEPS = often(200, usual=6), 40
VIEWERS: tuple[Seat | Viewer, ...] = (*Seat, *Viewer)
BENCH, DIRECTOR, NOBODY = ("Vera", "Max"), "Dora", ""
PEOPLE = (*CAST.values(), *BENCH, DIRECTOR, NOBODY)
FLEETING = ("now", "clock")
CARD = re.compile(r'"([SHDC][2-9TJQKA])"')
RULES = st.builds(
    TableRules,
    undo=st.sampled_from(DecidedBy),
    undo_cards=st.booleans(),
    claims=st.sampled_from(DecidedBy),
    dummy_sees_declarer=st.booleans(),
)
CHOICE = st.integers(0, 2**16)
ANYBODY = st.sampled_from(PEOPLE)
WHAT_ELSE: Sequence[dict[str, Any]] = (
    {"act": "chat", "to": "table", "text": "hello"},
    {"act": "chat", "to": "opponents", "text": "hello, you two"},
    {"act": "chat", "to": "opponents", "text": " "},
    {"act": "director"},
    {"act": "director", "text": "a hesitation"},
    {"act": "take_back_call"},
    {"act": "prompt"},
    *[{"act": "ready"}] * 4,
    {"act": "leave"},
    {"act": "leave", "stay": True},
)
RUBBISH = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(
        (
            b"null",
            b'{"command": 1, "expect": 1, "do": {}}',
            b"[" * 3000,
            b"x" * 5000,
            b'{"command": "7d4b2a4e-1c3f-4c55-8f57-0a8f5e3f0b11", "expect": -1, "do": {"act": "ready"}}',
            b'{"command": "7d4b2a4e-1c3f-5c55-8f57-0a8f5e3f0b11", "expect": 1, "do": {"act": "ready"}}',
        )
    ),
)
tables = count()


def as_sent(action: Action) -> dict[str, Any]:
    data = action_to_data(action)
    return {"act": data.pop("do"), **data}


class TableAndModel(RuleBasedStateMachine):
    """A table of three boards, everybody before it, and what is to be expected of it."""

    @initialize(
        rules=RULES, casual=st.booleans(), limit=st.sampled_from((None, 90)), seed=st.integers(0, 2**16)
    )
    def open(self, rules: TableRules, casual: bool, limit: int | None, seed: int) -> None:
        prefix = f"{next(tables)} "
        self.players: dict[str, Player] = {
            name: make_member(prefix + name, director=name == DIRECTOR) for name in PEOPLE if name
        }
        self.clients = {name: Client(raise_request_exception=False) for name in PEOPLE}
        for name, player in self.players.items():
            self.clients[name].force_login(user_of(player))
        self.table = make_table(
            {seat: self.players[name] for seat, name in CAST.items()},
            boards=make_boards(3, seed=seed),
            house=House(rules, casual=casual, turn_seconds=limit),
            subject=prefix,
            occasion=prefix,
        )
        self.house = rules
        presence.see(sittings=self.table.sittings.values_list("pk", flat=True))
        self.ids = count(1)
        self.made: dict[UUID, int] = {}  # commands that were accepted, and which version they made
        self.sent: list[tuple[UUID, str, dict[str, Any]]] = []
        self.events = self.version = self.lying = 0
        self.state: TableState | None = None
        self.has_looked = False
        self.follow()
        self.seen = self.views()

    def teardown(self) -> None:
        if hasattr(self, "table"):
            closing.void_table(table_id=self.table.pk, by=None, reason="the end")

    # ---- the model

    def begin(self, table_board: TableBoard) -> None:
        """A board comes onto the table."""
        board = table_board.board
        self.state = open_board(
            board.number,
            Deal.from_pbn(board.deal),
            self.house,
            dealer=Seat.from_letter(board.dealer),
            vulnerability=Vulnerability(board.vulnerable),
        )
        assert table_board.opened_version
        self.lying, self.moved = table_board.pk, table_board.opened_version
        self.done: list[tuple[Seat | None, Action]] = []
        self.said: dict[Seat, set[str]] = {seat: set() for seat in Seat}
        self.held: dict[int, set[str]] = {}  # which hands of the board somebody has seen

    def happened(self, seat: Seat | None, action: Action, version: int) -> None:
        """Something was done on the board, and made this version."""
        assert self.state
        self.state = apply(self.state, seat, action)
        self.done.append((seat, action))
        if self.state.moved_at == self.state.version:
            self.moved = version
        if seat is not None and isinstance(action, MakeCall | Explain) and action.explanation:
            self.said[seat].add(action.explanation)

    def verdict(self, seat: Seat | None, command: UUID, expect: int, action: PlayerAction) -> str:
        """How a command will be answered."""
        if seat is None:
            return "unknown"
        if command in self.made:
            return "again"
        if self.state is None or self.table.state != Table.State.PLAYING:
            return "closed"
        if not self.moved <= expect <= self.version and not isinstance(action, AskAbout | Explain):
            return "stale"
        same = [each for by, each in self.done if by is seat and type(each) is type(action)]
        if isinstance(action, AskAbout) and same.count(action) >= MOST_QUESTIONS:
            return "illegal"
        if isinstance(action, Explain) and len(same) >= MOST_EXPLANATIONS:
            return "illegal"
        return "illegal" if self.refuses(seat, action) else "done"

    def refuses(self, seat: Seat | None, action: Action) -> bool:
        try:
            apply(self.state, seat, action)  # type: ignore[arg-type]
        except IllegalAction:
            return True
        return False

    # ---- what the table shows

    def views(self) -> dict[Seat | Viewer, dict[str, Any]]:
        """What everybody sees, but for the moment."""
        found = selectors.snapshot(table_id=self.table.pk)
        return {viewer: lasting(view_of(found, viewer)) for viewer in VIEWERS}

    def is_as_it_was(self) -> bool:
        """Whether nothing has changed for anybody."""
        self.table.refresh_from_db()
        log = self.table.events.count()
        return (self.table.version, log) == (self.version, self.events) and self.views() == self.seen

    def follow(self) -> None:
        """Look what has come about, by itself or by something that is not a command on the board."""
        self.table.refresh_from_db()
        assert self.table.version >= self.version
        self.version = self.table.version
        for event in self.table.events.filter(sequence__gt=self.events).order_by("sequence"):
            self.events += 1
            assert (event.sequence, event.seat, event.actor_id) == (self.events, "", None)
            if event.table_board_id != self.lying:
                self.begin(event.table_board)
            if event.action["do"] != hands.RESUMED:
                self.happened(None, action_from_data(event.action, keeper=True), event.version)
        if self.table.current and self.table.current.pk != self.lying:
            self.begin(self.table.current)
        sittings = dict(self.table.sittings.values_list("player", "seat"))
        self.seats = {
            name: Seat.from_letter(sittings[player.pk])
            for name, player in self.players.items()
            if player.pk in sittings
        }
        if self.state and not self.state.is_over:
            for name, seat in self.seats.items():
                self.held.setdefault(self.players[name].pk, set()).add(seat.letter)

    @property
    def address(self) -> str:
        return self.table.get_absolute_url()

    def new(self) -> UUID:
        return UUID(int=next(self.ids), version=4)

    def send(
        self,
        name: str,
        action: Action,
        *,
        command: UUID | None = None,
        expect: int | None = None,
    ) -> str:
        """Somebody sends a command; the answer is as the model says, and so is what comes of it."""
        command, expect = command or self.new(), self.version if expect is None else max(expect, 0)
        self.sent.append((command, name, as_sent(action)))
        answer = self.post(name, {"command": str(command), "expect": expect, "do": as_sent(action)})
        if name == NOBODY:
            assert (answer.status_code, answer.json().get("why")) == (401, "signed out")
            assert self.is_as_it_was()
            return "signed out"
        seat = self.seats.get(name)
        try:
            action = action_from_data(action_to_data(action))
            due = self.verdict(seat, command, expect, action)  # type: ignore[arg-type]
        except BridgeError:
            due = "malformed"
        status, told = answer.status_code, answer.json()
        if due == "done":
            assert (status, told.get("dup")) == (200, False), told
            self.take_in(name, seat, action, command, told["v"])
        elif due == "again":
            assert (status, told) == (200, {"v": self.made[command], "dup": True})
            assert self.is_as_it_was()
        else:
            statuses = {"unknown": 404, "closed": 409, "stale": 409, "illegal": 422, "malformed": 400}
            assert (status, told.get("why")) == (statuses[due], due), told
            assert told["say"]
            assert self.is_as_it_was()
        return due

    def post(self, name: str, body: object) -> Any:
        raw = body if isinstance(body, bytes) else json.dumps(body)
        answer = self.clients[name].post(f"{self.address}do", raw, content_type="application/json")
        assert answer.status_code < 500
        return answer

    def take_in(
        self, name: str, seat: Seat | None, action: Action, command: UUID, version: int | None
    ) -> None:
        """What was accepted stands in the log once, next, and as it was sent."""
        event = self.table.events.get(sequence=self.events + 1)
        letter = "" if seat is None else seat.letter
        assert (event.command, event.seat, event.actor_id) == (
            command,
            letter,
            user_of(self.players[name]).pk,
        )
        assert event.action == action_to_data(action)
        assert version in (None, event.version)
        assert event.version > self.version
        self.events, self.made[command] = event.sequence, event.version
        self.happened(seat, action, event.version)
        self.follow()

    # ---- what people do

    @rule(choices=st.lists(CHOICE, min_size=1, max_size=8))
    def play_goes_on(self, choices: list[int]) -> None:
        """Whoever is waited for does something that the own view offers; it is accepted."""
        for choice in choices:
            if offered := self.offered(choice):
                assert self.send(*offered) == "done"
                self.seen = self.views()

    def offered(self, choice: int) -> tuple[str, PlayerAction] | None:
        """Something of which a view says that its owner may do it, and who that is."""
        for name, seat in self.seats.items():
            board = self.seen[seat]["board"]
            if board is None or seat.letter not in board["waits_for"]:
                continue
            if board["legal_calls"]:
                few = ["Pass", "Pass", *board["legal_calls"][:12]]
                ends = len(board["calls"]) > 3 and choice % 8  # the play is to be reached
                call = "Pass" if ends else few[choice % len(few)]
                words = f"words {self.events}" if choice % 3 == 0 else ""
                return name, read(
                    {"do": "call", "call": call, "alert": choice % 2 == 0, "explanation": words}
                )
            if board["legal_cards"]:
                card = board["legal_cards"][choice % len(board["legal_cards"])]
                return name, read({"do": "play", "card": card})
            if "answer_claim" in board["may"]:
                return name, AnswerClaim(choice % 4 == 0)
            if "answer_undo" in board["may"]:
                return name, AnswerUndo(choice % 2 == 0)
        return None

    @rule(name=ANYBODY, choice=CHOICE, late=st.sampled_from((0, 0, 0, 1, 3, -1, -50)))
    def somebody_tries_anything(self, name: str, choice: int, late: int) -> None:
        """Sensible or not, the own turn or not, the acts of the table's keeper too."""
        if self.state:
            kinds: dict[str, list[Action]] = {}
            for seat, action in every_deed(self.state):
                if seat is Seat.NORTH:
                    kinds.setdefault(action_to_data(action)["do"], []).append(action)
            deeds = list(kinds.values())[choice % len(kinds)]
            self.send(name, deeds[choice // 16 % len(deeds)], expect=self.version - late)

    @rule(choice=CHOICE, late=st.integers(1, 3))
    def somebody_decides_on_an_old_view(self, choice: int, late: int) -> None:
        if offered := self.offered(choice):
            for expect in (self.moved - late, self.version + late):
                assert self.send(*offered, expect=expect) == "stale"

    @rule(choice=CHOICE, tricks=st.integers(0, 13))
    def somebody_claims_or_concedes(self, choice: int, tricks: int) -> None:
        for name, seat in self.seats.items():
            board = self.seen[seat]["board"]
            if board and "claim" in board["may"] and (choice + seat) % 2:
                most = 13 - sum(board["tricks_won"].values())
                assert self.send(name, Claim(min(tricks, most), "as it lies")) == "done"
                return

    @rule(choice=CHOICE)
    def somebody_asks_explains_or_takes_back(self, choice: int) -> None:
        """What may be done beside calls and cards: questions, answers, undo, and what was asked for withdrawn."""
        calls = len(self.state.auction.calls) if self.state else 0
        for name, seat in sorted(self.seats.items(), key=lambda each: (each[1] + choice) % 4):
            may = (self.seen[seat]["board"] or {"may": ()})["may"]
            for act in ("withdraw_undo", "withdraw_claim", "ask_undo"):
                if act in may and choice % 5 < 2:
                    assert self.send(name, read({"do": act})) == "done"
                    return
            if calls and choice % 5 > 1:
                place = choice % calls
                mine = self.state and self.state.auction.seat_of(place) is seat
                self.send(name, Explain(place, f"answer {self.events}") if mine else AskAbout(place))
                return

    @rule(choice=CHOICE, other=st.one_of(st.none(), ANYBODY), changed=st.booleans())
    def a_command_comes_again(self, choice: int, other: str | None, changed: bool) -> None:
        """From the same hand or another, with the same contents or others, long after or at once."""
        if self.sent:
            place = -1 if choice % 3 == 0 else choice % len(self.sent)
            command, name, do = self.sent[place]
            data = {"do": do["act"], **{key: value for key, value in do.items() if key != "act"}}
            action = MakeCall(PASS) if changed else action_from_data(data, keeper=True)
            self.send(name if other is None else other, action, command=command)

    @rule(name=ANYBODY, body=RUBBISH)
    def rubbish_is_refused(self, name: str, body: bytes) -> None:
        assert self.post(name, body).status_code == (400 if name else 401)
        assert self.is_as_it_was()

    @rule(name=ANYBODY, do=st.sampled_from(WHAT_ELSE))
    def somebody_talks_calls_the_director_is_ready_or_leaves(self, name: str, do: dict[str, Any]) -> None:
        if do["act"] == "chat" and self.table.words.count() > 8:
            return  # how much may be said in how short a time is another test's
        command = self.new()
        body = {"command": str(command), "expect": self.version, "do": do}
        answer = self.post(name, body)
        told = answer.json()
        statuses = (200, 409, 422) if name in self.seats else (404,) if name else (401,)
        assert answer.status_code in statuses, told
        if answer.status_code != 200 or told["dup"]:
            assert self.is_as_it_was()
        self.follow()
        self.seen = self.views()
        if answer.status_code == 200:
            again = self.post(name, body).json()
            assert again.get("v", self.version) == self.version  # or the player has left
            assert self.is_as_it_was()

    @rule(name=ANYBODY, seat=st.sampled_from("NESW"))
    def somebody_sits_down(self, name: str, seat: str) -> None:
        answer = self.clients[name].post(f"{self.address}sit/", {"seat": seat})
        shown = not name or name in self.seats or self.table.casual
        assert answer.status_code == (302 if shown else 404)
        self.follow()

    @rule(name=st.sampled_from(BENCH), seat=st.sampled_from("NESW"))
    def the_director_sends_a_substitute(self, name: str, seat: str) -> None:
        director = user_of(self.players[DIRECTOR])
        try:
            seating.substitute(table_id=self.table.pk, seat=seat, player=self.players[name], by=director)
        except Refused:
            assert self.is_as_it_was()
        self.follow()

    @rule(name=ANYBODY, all_hands=st.booleans())
    def somebody_looks(self, name: str, all_hands: bool) -> None:
        """By the own address everybody gets what is shown to such a viewer, and no address gives more."""
        query = {"as": "director"} if all_hands else {}
        answer = self.clients[name].get(f"{self.address}view", query)
        directs = name == DIRECTOR and all_hands
        if not name or (directs and name in self.seats):
            assert answer.status_code == (403 if name else 401)
        elif not directs and name not in self.seats and not self.table.casual:
            assert answer.status_code == 404
        else:
            self.has_looked |= directs and not self.table.is_over
            self.follow()  # a player who was gone has come back
            viewer = Viewer.DIRECTOR if directs else self.seats.get(name, Viewer.PUBLIC)
            assert lasting(answer.json()) == self.views()[viewer]
        self.follow()

    # ---- what directors and the clock do

    @rule(
        name=st.sampled_from((DIRECTOR,) * 4 + ("Sue", "Vera")),
        choice=CHOICE,
        late=st.sampled_from((0, 0, 0, 1, -1)),
        twice=st.booleans(),
    )
    def the_director_decides(self, name: str, choice: int, late: int, twice: bool) -> None:
        if self.state is None:
            return
        calls = len(self.state.auction.calls)
        cards = len(self.state.play.cards()) if self.state.play else 0
        decisions: list[tuple[Action, dict[str, Any]]] = [
            (PlayOn(), {"act": "play_on"}),
            (PlayOn(), {"act": "play_on"}),
            (AnswerUndo(True), {"act": "grant"}),
            (AnswerUndo(False), {"act": "refuse"}),
            (
                TakeBack(calls, max(0, cards - 3)),
                {"act": "take_back", "calls": calls, "cards": max(0, cards - 3)},
            ),
            (TakeBack(choice % (calls + 2)), {"act": "take_back", "calls": choice % (calls + 2)}),
            (Rule(choice % 14), {"act": "rule", "tricks": choice % 14}),
        ]
        action, form = decisions[choice % len(decisions)]
        command, expect = self.new(), max(0, self.version - late)
        form |= {"command": str(command), "expect": expect, "reason": "as the Laws say"}
        for again in range(1 + twice):
            if again:  # the table calls for the director once more, before the form comes a second time
                self.post("Sue", {"command": str(self.new()), "expect": 0, "do": {"act": "director"}})
                self.follow()
                self.seen = self.views()
            accepts = (
                name == DIRECTOR
                and name not in self.seats
                and command not in self.made
                and self.table.state == Table.State.PLAYING
                and self.moved <= expect <= self.version
                and not self.refuses(None, action)
            )
            answer = self.clients[name].post(f"{self.address}direct/", form)
            allowed = name == DIRECTOR and name not in self.seats
            assert answer.status_code == (302 if allowed else 403)
            if accepts:
                self.take_in(name, None, action, command, None)
                self.seen = self.views()
            else:
                assert self.is_as_it_was()

    @rule(act=st.sampled_from(("settle", "say")))
    def the_director_settles_what_there_is_or_says_something(self, act: str) -> None:
        form = {"act": act, "command": str(self.new()), "text": "please play on"}
        allowed = DIRECTOR not in self.seats
        answer = self.clients[DIRECTOR].post(f"{self.address}direct/", form)
        assert answer.status_code == (302 if allowed else 403)
        self.follow()

    @rule(
        seconds=st.sampled_from((1, 16, 30, 61, 91, 130, 400)),
        there=st.sets(st.sampled_from("NESW")),
        outage=st.booleans(),
    )
    def time_passes_and_the_clock_comes_by(self, seconds: int, there: set[str], outage: bool) -> None:
        """Who is not there gives no sign of life meanwhile; in an outage nobody does, and nobody is to blame."""
        move(timedelta(seconds=seconds), outage=outage)
        presence.see(sittings=self.table.sittings.filter(seat__in=there).values_list("pk", flat=True))
        presence.miss_silent()
        tick()
        self.follow()

    @rule(choice=st.integers(0, 24))
    def the_end_comes_before_its_time(self, choice: int) -> None:
        """Seldom: the bell, or the table is called off."""
        if choice == 0:
            closing.cut_tables(purpose=self.table.purpose, occasion=self.table.occasion)
        elif choice == 1:
            self.clients[DIRECTOR].post(f"{self.address}direct/", {"act": "void", "reason": "no power"})
        self.follow()

    # ---- what is always so

    @invariant()
    def the_table_keeps_its_word(self) -> None:
        self.versions_grow_and_everybody_is_shown_what_there_is()
        self.the_log_is_the_board()
        self.nobody_sees_a_card_too_many()
        self.nobody_holds_two_hands_of_a_board()
        self.somebody_may_go_on_or_the_clock_will()
        self.what_a_board_came_to_is_written_down()

    def versions_grow_and_everybody_is_shown_what_there_is(self) -> None:
        self.table.refresh_from_db()
        assert self.table.version == self.version
        assert self.table.events.count() == self.events
        self.seen = self.views()
        assert {view["v"] for view in self.seen.values()} == {self.version}

    def the_log_is_the_board(self) -> None:
        if self.state:
            anew = hands.read_boards([self.lying])[self.lying]
            kept, _done = hands.read_board(self.table)
            assert kept
            assert anew.state == kept.state == self.state
            assert anew.moved == kept.moved == self.moved

    def nobody_sees_a_card_too_many(self) -> None:
        """Nor what partner told the opponents; and the own hand is never missing."""
        state = self.state
        if state is None:
            return
        called_off = self.table.why == Table.Why.VOID
        is_hidden = state.is_over and state.outcome is None and not self.table.casual
        played = {card.text for card in state.play.cards()} if state.play else set()
        for viewer, view in self.seen.items():
            shown = set(CARD.findall(json.dumps(view)))
            still = replace(state, ending=None) if is_hidden and isinstance(viewer, Seat) else state
            may = set[str]().union(*(hand_of(state, seat) for seat in open_hands(still, viewer)))
            may |= set() if viewer is Viewer.PUBLIC else played
            assert shown <= (set() if called_off else may), viewer
            if isinstance(viewer, Seat) and not called_off:
                assert hand_of(state, viewer) - played <= shown
                if still.ending is None:
                    assert not any(words in json.dumps(view) for words in self.said[viewer.partner])

    def nobody_holds_two_hands_of_a_board(self) -> None:
        if self.state:
            assert all(len(held) == 1 for held in self.held.values())
            assert not (self.has_looked and DIRECTOR in self.seats)

    def somebody_may_go_on_or_the_clock_will(self) -> None:
        state, planned = (
            self.state,
            DueWork.objects.filter(subject=self.table.pk, state=DueWork.State.PLANNED),
        )
        if self.table.state == Table.State.WAITING:
            assert len(self.seats) < len(Seat)
        elif self.table.state == Table.State.PLAYING and state and state.is_over:
            assert planned.filter(kind=boards.NEXT).exists()
        elif self.table.state == Table.State.PLAYING and state:
            assert seats_to_act(state) or waits_for_director(state)
            if waits_for_director(state):
                assert planned.filter(kind=SILENCE).exists()
            for seat in seats_to_act(state):
                may = set(self.seen[seat]["board"]["may"])
                assert may & {"call", "play", "answer_claim", "answer_undo"}, seat

    def what_a_board_came_to_is_written_down(self) -> None:
        if self.state and self.state.ending and self.table.why != Table.Why.VOID:
            table_board, outcome = TableBoard.objects.get(pk=self.lying), self.state.outcome
            assert table_board.how == self.state.ending.how.value
            contract = outcome.contract if outcome else None
            assert table_board.contract == (contract.text if contract else "")
            assert table_board.tricks == (outcome.tricks if outcome and contract else None)


def read(data: dict[str, Any]) -> PlayerAction:
    action = action_from_data(data)
    assert isinstance(action, PlayerAction)
    return action


def lasting(view: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in view.items() if key not in FLEETING}


def hand_of(state: TableState, seat: Seat) -> set[str]:
    hand = state.board.deal[seat]
    assert hand
    return {card.text for card in hand.cards}


def run(examples: int) -> None:
    run_state_machine_as_test(
        TableAndModel,
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            deadline=None,
            derandomize=True,
            database=None,
            phases=(Phase.generate,),  # to make a failure shorter would take minutes
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_whatever_people_send_and_the_clock_does_the_table_keeps_its_word(record_property: Tell) -> None:
    run(EXAMPLES)
    record_property("tables in the hands of chance", EXAMPLES)


# ---- tables that do not


def the_version_is_not_checked(patch: pytest.MonkeyPatch) -> None:
    def read_board(*given: Any) -> Any:
        folded, done = hands.read_board(*given)
        return folded and replace(folded, moved=0), done

    patch.setattr(playing, "read_board", read_board)


def the_same_command_counts_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(playing, "read_board", lambda table, _command=None: (hands.read_board(table)[0], None))


def a_refusal_leaves_a_trace(patch: pytest.MonkeyPatch) -> None:
    original = playing.act

    def act(*, table_id: UUID, **given: Any) -> Done:
        try:
            return original(table_id=table_id, **given)
        except IllegalAction:
            table = Table.objects.get(uuid=table_id)
            locks.touch(table)
            raise

    patch.setattr(playing, "act", act)


def partner_reads_what_a_call_means(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sight, "_knows_meanings", lambda *_: True)


@pytest.mark.parametrize(
    "fault",
    [
        the_version_is_not_checked,
        the_same_command_counts_again,
        a_refusal_leaves_a_trace,
        partner_reads_what_a_call_means,
    ],
)
def test_a_table_that_does_not_is_found_out(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch, record_property: Tell
) -> None:
    fault(monkeypatch)
    with pytest.raises(AssertionError):
        run(40)
    record_property("faults of a table found by chance", 1)
