"""The events of the season and what happened in them, as plain values: the same date gives the same season."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

from apps.pages.demo.names import invent
from apps.pages.demo.play import Board, KnownDeal, Outcome
from bridge.awards import Grade, Ruling
from bridge.comparison import Method
from bridge.scoring import ns_score
from bridge.seats import Side, dealer, vulnerability

SEED = 1925  # the year in which contract bridge was first scored as it is today
ME = 0  # the player whom the demo's login plays as


@dataclass(frozen=True)
class Plan:
    """An event before it is played."""

    title: str
    venue: str
    days_ago: int
    method: Method
    pairs: int
    rounds: int
    boards: int  # in each round
    sessions: int = 1
    mitchell: bool = False
    hands: bool = True
    published: bool = True
    still_open: bool = False  # its last round comes in when it is published already: work for the workers
    unfinished: bool = False  # some tables did not get to their last boards
    rulings: bool = False
    penalty: bool = False
    withdrawal: bool = False


# Names as clubs give them whose members do not all read one language; every page shows them as they are.
HARBOUR, LANTERN, CAFE = "海港桥社 Harbour Club", "灯笼茶舍 Lantern House", "Café Finesse 飞张咖啡"
RIVERSIDE, OBSERVATORY = "江畔会馆 Riverside Hall", "观星酒店 Observatory Hotel"
PLANS = (
    Plan("海港揭幕赛 Harbour Opening", HARBOUR, 83, Method.BUTLER, 24, 8, 3, rulings=True),
    Plan("晚间米切尔 Evening Mitchell", HARBOUR, 76, Method.MP, 18, 9, 2, mitchell=True),
    Plan("灯笼杯 Lantern Cup", LANTERN, 69, Method.CROSS_IMP, 32, 8, 3, penalty=True),
    Plan("江畔双人赛 Riverside Pairs", RIVERSIDE, 62, Method.MP, 28, 10, 2, rulings=True),
    Plan("双日公开赛 Two-Day Open", OBSERVATORY, 55, Method.BUTLER, 36, 6, 3, sessions=2, withdrawal=True),
    Plan("茶舍夜赛 Teahouse Evening", LANTERN, 48, Method.TOTAL_IMP, 16, 6, 3),
    Plan("海港大奖赛 Harbour Grand Prix", HARBOUR, 41, Method.MP, 26, 13, 2, mitchell=True, penalty=True),
    Plan("落单杯 Odd One Out", RIVERSIDE, 34, Method.MP, 17, 9, 2),
    Plan("桥牌节公开赛 Festival Open", OBSERVATORY, 27, Method.BUTLER, 60, 8, 3, rulings=True, penalty=True),
    Plan("银盘赛 Silver Plate", LANTERN, 20, Method.CROSS_IMP, 12, 11, 2, rulings=True),
    Plan("Café Pairs 咖啡双人赛", CAFE, 15, Method.CROSS_IMP, 14, 8, 3, hands=False),
    Plan("短夜双人赛 Short Night Pairs", RIVERSIDE, 9, Method.MP, 22, 6, 3, unfinished=True),
    Plan("基准杯 Datum Trophy", OBSERVATORY, 1, Method.BUTLER, 40, 8, 3, still_open=True, rulings=True),
    Plan("海港俱乐部赛 Harbour Pairs", HARBOUR, 0, Method.MP, 20, 6, 3, published=False),
)


@dataclass(frozen=True)
class Pair:
    label: str
    players: tuple[int, int]  # places in `Season.players`
    direction: str = ""
    withdrawn: bool = False


@dataclass(frozen=True)
class Table:
    """One board at one table: pairs are places in `Event.pairs`; no outcome is a board not played."""

    session: int
    round: int
    table: int
    board: int
    ns: int
    ew: int
    outcome: Outcome | None


@dataclass(frozen=True)
class Decision:
    """The director changes what stands at a table: a ruling, or with none a correction of the tricks by so many."""

    table: Table
    reason: str
    ruling: Ruling | None


@dataclass(frozen=True)
class Event:
    plan: Plan
    played_on: date
    boards: tuple[dict[int, str], ...]  # for each session the deals by number, in PBN
    pairs: tuple[Pair, ...]
    tables: tuple[Table, ...]
    decisions: tuple[Decision, ...] = ()
    penalties: tuple[tuple[int, str, str], ...] = ()  # pair, points, reason


@dataclass(frozen=True)
class Season:
    players: tuple[str, ...]
    events: tuple[Event, ...]
    double_dummy: dict[str, str] = field(repr=False)


@cache
def known_deals() -> tuple[tuple[str, str], ...]:
    """The demo's deals, each with its double-dummy table: solving them takes minutes, so they come along."""
    lines = Path(__file__).with_name("deals.txt").read_text(encoding="ascii").splitlines()
    return tuple((pbn, tricks) for pbn, _, tricks in (line.rpartition(" ") for line in lines))


def make_season(today: date) -> Season:
    """The season whose last event is played on this date."""
    random = Random(SEED)  # noqa: S311 - nothing here is a secret
    players = tuple(invent(random))
    skills = [max(-1.0, min(1.0, random.gauss(0, 0.5))) for _ in players]
    skills[ME] = 0.6
    deals = iter(known_deals())
    events = []
    for number, plan in enumerate(PLANS):
        own = Random(SEED * 1000 + number)  # noqa: S311
        here = deals if plan.hands else iter(known_deals()[::-1])
        events.append(_Director(plan, skills, here, own).run(today - timedelta(days=plan.days_ago)))
    return Season(players, tuple(events), dict(known_deals()))


class _Director:
    """Runs one event."""

    def __init__(
        self, plan: Plan, skills: Sequence[float], deals: Iterator[tuple[str, str]], random: Random
    ) -> None:
        self.plan, self.random = plan, random
        self.pairs = self._enter(len(skills))
        self.skills = [sum(skills[player] for player in pair.players) / 2 for pair in self.pairs]
        self.sessions = [
            {number: next(deals) for number in range(1, self._boards_in_a_session() + 1)}
            for _ in range(plan.sessions)
        ]

    def _boards_in_a_session(self) -> int:
        return self.plan.rounds * self.plan.boards

    def run(self, played_on: date) -> Event:
        tables = tuple(self._tables())
        played = [table for table in tables if table.outcome and table.outcome.contract]
        return Event(
            plan=self.plan,
            played_on=played_on,
            boards=tuple(
                {number: pbn if self.plan.hands else "" for number, (pbn, _) in boards.items()}
                for boards in self.sessions
            ),
            pairs=tuple(self.pairs),
            tables=tables,
            decisions=tuple(self._decisions(played)) if self.plan.rulings else (),
            penalties=tuple(self._penalties()) if self.plan.penalty else (),
        )

    # Who plays

    def _enter(self, players: int) -> list[Pair]:
        """Regular partnerships, now and then broken up; the demo's own player is in all but a few events."""
        regular = [(first, first + 1) for first in range(2, players - 1, 2)]
        entered = [(ME, ME + 1), *self.random.sample(regular, self.plan.pairs - 1)]
        if self.random.random() < 0.4:  # a partner is away: one plays with somebody else's
            entered[0] = (ME, self.random.choice([pair for pair in regular if pair not in entered])[0])
        for _ in range(self.plan.pairs // 8):
            one, other = self.random.sample(range(len(entered)), 2)
            (a, b), (c, d) = entered[one], entered[other]
            entered[one], entered[other] = (a, d), (c, b)
        self.random.shuffle(entered)
        gone = self.random.randrange(1, len(entered)) if self.plan.withdrawal else None
        if not self.plan.mitchell:
            return [Pair(str(place + 1), pair, withdrawn=place == gone) for place, pair in enumerate(entered)]
        half = len(entered) // 2
        return [Pair(f"{place + 1} NS", pair, "NS") for place, pair in enumerate(entered[:half])] + [
            Pair(f"{place + 1} EW", pair, "EW") for place, pair in enumerate(entered[half:])
        ]

    # Who meets whom, on which boards

    def _seats(self, session: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Round, table, group of boards, North–South and East–West of every meeting."""
        rounds = self.plan.rounds
        if self.plan.mitchell:
            tables = self.plan.pairs // 2
            for round_number in range(rounds):
                for table in range(tables):
                    group = (table + round_number) % tables
                    yield round_number, table, group, table, tables + (table - round_number) % tables
            return
        for round_number in range(rounds):
            for table, (ns, ew) in enumerate(meetings(self.plan.pairs, session * rounds + round_number)):
                yield round_number, table, round_number, ns, ew

    def _tables(self) -> Iterator[Table]:
        for session, deals in enumerate(self.sessions):
            boards = {
                number: Board.of(
                    KnownDeal.from_text(*deal), dealer(number), vulnerability(number), self.random
                )
                for number, deal in deals.items()
            }
            for round_number, table, group, ns, ew in self._seats(session):
                late = (
                    session * self.plan.rounds + round_number
                    >= self.plan.rounds * self.plan.sessions * 2 // 3
                )
                if late and (self.pairs[ns].withdrawn or self.pairs[ew].withdrawn):
                    continue
                for place in range(self.plan.boards):
                    number = group * self.plan.boards + place + 1
                    skill = {Side.NS: self.skills[ns], Side.EW: self.skills[ew]}
                    outcome: Outcome | None = boards[number].play(skill, self.random)
                    if self._ran_out_of_time(round_number, place):
                        outcome = None
                    yield Table(session + 1, round_number + 1, table + 1, number, ns, ew, outcome)

    def _ran_out_of_time(self, round_number: int, place: int) -> bool:
        last = place == self.plan.boards - 1 and round_number >= self.plan.rounds - 2
        return self.plan.unfinished and last and self.random.random() < 0.35

    # What the director decided

    def _decisions(self, played: Sequence[Table]) -> Iterator[Decision]:
        in_time = [table for table in played if table.round < self.plan.rounds]
        told, hesitated, misled, wrong = self.random.sample(
            [t for t in in_time if _other_score(t, played)], 4
        )
        yield Decision(
            told,
            "East–West had overheard talk about this board. 东西方无意中听到了对本副牌的议论，结果取消。",
            Ruling(Grade.PLUS, Grade.MINUS),
        )
        weights = (
            (Fraction(3, 5), _other_score(hesitated, played) or 0),
            (Fraction(2, 5), _score(hesitated)),
        )
        yield Decision(
            hesitated,
            "Hesitation; weighted after a poll of five players. 迟疑提示了制胜行动，征询五位牌手后加权。",
            Ruling.weighted(weights),
        )
        yield Decision(
            misled,
            "Misinformation in the auction: the commonest result. 叫牌解释有误，判为多数牌桌的结果。",
            Ruling.assigned(_other_score(misled, played) or 0),
        )
        yield Decision(wrong, "Both sides agree on the tricks. 双方确认墩数录入有误。", None)

    def _penalties(self) -> Iterator[tuple[int, str, str]]:
        late, phone = self.random.sample(range(len(self.pairs)), 2)
        yield late, "2.00", "Late for round 3. 第三轮迟到，曾警告。"
        points = "4.00" if self.plan.method is Method.MP else "3.00"
        yield phone, points, "A telephone rang. 打牌时电话响。"


def _score(table: Table) -> int:
    """North–South's score at a table that played."""
    contract, tricks = (table.outcome.contract, table.outcome.tricks) if table.outcome else (None, None)
    return ns_score(contract, tricks, vulnerability(table.board))


def _other_score(table: Table, played: Sequence[Table]) -> int | None:
    """The commonest score at the other tables that is not this table's own; None when there is none."""
    same = [_score(t) for t in played if (t.session, t.board) == (table.session, table.board)]
    others = Counter(score for score in same if score != _score(table))
    return others.most_common(1)[0][0] if others else None


def meetings(pairs: int, round_number: int) -> list[tuple[int, int]]:
    """Who meets in one round of a round robin, North–South first; with an odd number of pairs one sits out.

    The last pair stays, the others walk around it from place to place. Places are North–South and East–West in turn,
    so everybody sits both ways about equally often; whoever meets the last pair changes from round to round.
    """
    even = pairs + pairs % 2
    order = [*((place + round_number) % (even - 1) for place in range(even - 1)), even - 1]
    met = []
    for place in range(even // 2):
        first, second = order[place], order[-1 - place]
        if max(first, second) < pairs:
            turned = place % 2 or (place == 0 and round_number % 2)
            met.append((second, first) if turned else (first, second))
    return met
