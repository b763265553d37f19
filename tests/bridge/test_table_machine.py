"""A table in the hands of chance: whatever is tried in whatever order, the board stays a board of bridge."""

import json

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bridge.errors import IllegalAction
from bridge.seats import Seat, Side
from bridge.table import (
    Action,
    AskAbout,
    CutBoard,
    DecidedBy,
    Explain,
    How,
    TableRules,
    Viewer,
    action_from_data,
    action_to_data,
    apply,
    fold,
    open_board,
    seen_by,
    view_to_data,
)
from tests.bridge.plain_table import Deed, PlainTable, every_deed
from tests.bridge.strategies import deal_of

RULES = st.builds(
    TableRules,
    undo=st.sampled_from(DecidedBy),
    undo_cards=st.booleans(),
    claims=st.sampled_from(DecidedBy),
    dummy_sees_declarer=st.booleans(),
    stop_after_jump=st.booleans(),
)
ENDINGS = ("rule", "cut", "abandon")


class TableMachine(RuleBasedStateMachine):
    """Four players, a director and a bell."""

    @initialize(seed=st.randoms(use_true_random=False), number=st.integers(1, 64), rules=RULES)
    def open(self, seed: object, number: int, rules: TableRules) -> None:
        self.opening = self.state = open_board(number, deal_of(seed), rules)  # type: ignore[arg-type]
        self.log: list[Deed] = []

    def do(self, seat: Seat | None, action: Action) -> None:
        before = self.state
        self.state = apply(before, seat, action)
        self.log.append((seat, action))
        assert self.state.version == before.version + 1
        quiet = isinstance(action, AskAbout | Explain)
        assert self.state.moved_at == (before.moved_at if quiet else self.state.version)

    @precondition(lambda self: not self.state.is_over)
    @rule(choice=st.integers(0, 2**16), ends=st.integers(0, 30))
    def something_allowed(self, choice: int, ends: int) -> None:
        plain = PlainTable(self.state)
        by_name: dict[str, list[Deed]] = {}
        for seat, action in every_deed(self.state):
            name = action_to_data(action)["do"]
            if plain.allows(seat, action) and (ends == 0 or name not in ENDINGS):
                by_name.setdefault(name, []).append((seat, action))
        names = [*by_name, *[name for name in ("call", "play") if name in by_name] * 6]
        deeds = by_name[names[choice % len(names)]]
        self.do(*deeds[choice % len(deeds) if choice % 4 == 0 else 0])  # the first of the calls is a pass

    @rule(choice=st.integers(0, 2**16))
    def something_refused(self, choice: int) -> None:
        deeds = list(every_deed(self.state))
        seat, action = deeds[choice % len(deeds)]
        if not PlainTable(self.state).allows(seat, action):
            with pytest.raises(IllegalAction):
                apply(self.state, seat, action)

    @rule()
    def the_server_starts_again(self) -> None:
        log = [
            (seat, action_from_data(json.loads(json.dumps(action_to_data(action))), keeper=True))
            for seat, action in self.log
        ]
        assert fold(self.opening, log) == self.state

    @invariant()
    def there_are_52_cards(self) -> None:
        play = self.state.play
        if play:
            held = [card for hand in play.hands for card in hand.cards]
            assert len({*held, *play.cards()}) == len(held) + len(play.cards()) == 52
            for hand, dealt in zip(play.hands, self.state.board.deal.hands, strict=True):
                assert dealt is not None
                assert hand.cards <= dealt.cards
            assert play.won_by(Side.NS) + play.won_by(Side.EW) == len(play.tricks)

    @invariant()
    def every_call_has_its_meaning(self) -> None:
        assert len(self.state.meanings) == len(self.state.auction.calls)

    @invariant()
    def one_thing_at_a_time_is_open_and_nothing_at_the_end(self) -> None:
        state = self.state
        assert not (state.claim and state.undo)
        if state.is_over:
            assert not state.claim
            assert not state.undo
            assert (state.outcome is None) is (state.ending and state.ending.how in (How.CUT, How.ABANDONED))

    @invariant()
    def everybody_has_a_view(self) -> None:
        for viewer in (*Seat, *Viewer):
            json.dumps(view_to_data(seen_by(self.state, viewer)))

    @rule()
    def the_bell_can_always_ring(self) -> None:
        if not self.state.is_over:
            cut = apply(self.state, None, CutBoard())
            assert cut.outcome is None
            assert cut.is_over


TestTable = TableMachine.TestCase
TestTable.settings = settings(max_examples=40, stateful_step_count=100, deadline=None, derandomize=True)
