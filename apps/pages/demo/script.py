"""What a simulated field does, decided by its seed alone: whoever is asked when, the answer is the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from apps.pages.demo.play import Board, KnownDeal, Outcome
from apps.pages.demo.season import known_deals
from bridge.contracts import result_text
from bridge.seats import Side, dealer, vulnerability

DONE = 0.85  # share of a round by which the tables have finished
MOVES = 0.9  # share of a round at which pairs come and go


class Move(StrEnum):
    """What a pair does while a round is played, besides playing."""

    ENTER = "enter"  # late: it is seated from the next round on
    COME = "come"  # it missed the start, or had gone
    GO = "go"
    SUBSTITUTE = "substitute"
    STAY_AWAY = "stay away"  # from this round; nobody said so before


@dataclass(frozen=True, slots=True)
class Step:
    """Something that a side, or the director, says about a board, and when, as a share of the round."""

    number: int
    at: float
    side: str  # "NS" or "EW"; empty is the director
    said: str | None  # None: what the other side says


@dataclass(frozen=True, slots=True)
class Trouble:
    """How often things happen, by the hundred."""

    corrected: float = 3
    disputed: float = 3
    forgotten: float = 2  # entered, and never confirmed
    slow: float = 3  # the last board is not finished
    goes: float = 1.5
    stays_away: float = 0.7
    substitute: float = 0.7
    late: float = 5
    misses_start: float = 5


TROUBLE = Trouble()
CALM = Trouble(*[0] * 9)


class Script:
    """All that a field of so many pairs does in so many rounds. Pairs are numbered from 1 as they enter."""

    def __init__(self, *, seed: int, pairs: int, rounds: int, trouble: Trouble = TROUBLE) -> None:
        self.seed, self.pairs, self.rounds, self.trouble = seed, pairs, rounds, trouble
        late = int(pairs * trouble.late / 100) if rounds > 2 else 0
        absent = int(pairs * trouble.misses_start / 100) if rounds > 1 else 0
        self.at_the_start = range(1, pairs - late + 1)
        self.missing_the_start = range(pairs - late - absent + 1, pairs - late + 1)
        self._boards: dict[int, Board] = {}
        self.lives = {pair: self._life(pair) for pair in range(1, pairs + 1)}

    def stream(self, *what: object) -> Random:
        """Chances for one purpose, the same however often and in whatever order they are asked for."""
        return Random("/".join(map(str, (self.seed, *what))))  # noqa: S311 - nothing here is a secret

    # Who is there

    def _life(self, pair: int) -> dict[int, Move]:
        random, trouble = self.stream("life", pair), self.trouble
        life: dict[int, Move] = {}
        first = 1
        if pair not in self.at_the_start:
            first = random.choice((1, 2))
            life[first] = Move.ENTER
        elif pair in self.missing_the_start:
            life[first] = Move.COME
        here, returned, before = True, False, life.get(first)
        for number in range(first + 1 if life else first, self.rounds):
            chance, move = 100 * random.random(), None
            if not here:
                if not returned and chance < 50:
                    move, here, returned = Move.COME, True, True
            elif chance < trouble.goes:
                move, here = Move.GO, False
            elif chance < trouble.goes + trouble.substitute and Move.SUBSTITUTE not in life.values():
                move = Move.SUBSTITUTE
            elif 100 - chance < trouble.stays_away and before is not Move.STAY_AWAY:
                move = Move.STAY_AWAY
            if move:
                life[number] = move
            before = move
        return life

    def moves(self, number: int) -> list[tuple[int, Move]]:
        """Who comes and goes while a round is played, by pair."""
        return [(pair, life[number]) for pair, life in self.lives.items() if number in life]

    # What happens at a table

    def outcome(self, board: int, ns: int, ew: int, known: KnownDeal | None = None) -> Outcome:
        """How a board goes between two pairs: on these cards, or else on cards that the seed takes for them."""
        skill = {Side.NS: self._skill(ns), Side.EW: self._skill(ew)}
        return self._board(board, known).play(skill, self.stream("play", board, ns, ew))

    def _board(self, number: int, known: KnownDeal | None) -> Board:
        if number not in self._boards:
            random = self.stream("board", number)
            known = known or KnownDeal.from_text(*random.choice(known_deals()))
            self._boards[number] = Board.of(known, dealer(number), vulnerability(number), random)
        return self._boards[number]

    def _skill(self, pair: int) -> float:
        return max(-1.0, min(1.0, self.stream("skill", pair).gauss(0, 0.4)))

    def steps(self, *, board: int, place: float, ns: int, ew: int, outcome: Outcome) -> Iterator[Step]:
        """What is said about a board, one after the other.

        Args:
            board: Its number.
            place: The share of the round's boards that are played when this one is.
            ns: North–South by number.
            ew: East–West by number.
            outcome: What happened.
        """
        random, trouble = self.stream("say", board, ns, ew), self.trouble
        at = DONE * (place - 0.15 + 0.1 * random.random())
        soon = iter(sorted(at + 0.05 * DONE * random.random() for _ in range(4)))
        right, wrong = in_words(outcome), in_words(_misread(outcome))
        first, other = ("NS", "EW") if random.random() < 0.9 else ("EW", "NS")
        chance = 100 * random.random()
        if place == 1 and (chance := chance - trouble.slow) < 0:
            return
        if (chance := chance - trouble.forgotten) < 0:
            yield Step(1, next(soon), first, right)
        elif (chance := chance - trouble.corrected) < 0:
            yield Step(1, next(soon), first, wrong)
            yield Step(2, next(soon), other, None)
            yield Step(3, next(soon), first, right)
            yield Step(4, next(soon), other, None)
        elif (chance := chance - trouble.disputed) < 0:
            yield Step(1, next(soon), first, right)
            yield Step(2, next(soon), other, wrong)
            ending = random.random()
            if ending < 0.5:
                yield Step(3, next(soon), first, None)
            elif ending < 0.85:
                yield Step(3, next(soon), "", right)
        else:
            yield Step(1, next(soon), first, right)
            yield Step(2, next(soon), other, None)


def in_words(outcome: Outcome) -> str:
    """As people write it down."""
    contract, tricks = outcome.contract, outcome.tricks
    if contract is None or tricks is None or contract.declarer is None:
        return "Pass"
    return f"{contract.text} {contract.declarer.letter} {result_text(contract, tricks)}"


def _misread(outcome: Outcome) -> Outcome:
    """What somebody takes it for who is one trick off. Nobody is wrong about a board passed out."""
    if outcome.tricks is None:
        return outcome
    return outcome._replace(tricks=outcome.tricks - 1 if outcome.tricks else 1)
