"""A field of simulated pairs that plays an event that runs itself, through the services that people use.

Whatever there is to do is read off the database each time, and each command has an identity that follows from what it
is about. So a simulation may be killed anywhere and taken up again, by another process too: nothing is done twice and
nothing left out. What the pairs do is decided by the seed alone (`script`), never by the moment.

The event goes by its timetable. A simulation that is faster than time has a director who rings the bell when
everybody is done.
"""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import count
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import DatabaseError, connection, transaction

from apps.boards.double_dummy import solve
from apps.boards.models import Board
from apps.boards.selectors import double_dummy_of
from apps.clock.models import DueWork
from apps.clock.time import now
from apps.masterpoints.transitions import AWARD
from apps.pages.demo.cast import KEY, Cast, accounts, engage
from apps.pages.demo.company import Company
from apps.pages.demo.play import KnownDeal
from apps.pages.demo.script import CALM, DONE, MOVES, TROUBLE, Move, Script, in_words
from apps.pages.demo.timekeeping import Timekeeper, patiently
from apps.pairs.models import DeskSeat, Entrant, Entry, Invitation, Round, Seat, Slip, SlipEntry, Swiss
from apps.pairs.selectors.tables import PURPOSE, occasion_of
from apps.pairs.services import direction
from apps.pairs.services.desk import answer_invitation, invite, raise_hand, sit_down, stand_up
from apps.pairs.services.registration import (
    GOING_ON,
    Refused,
    admits,
    enter_pair,
    say_present,
    substitute,
    withdraw_pair,
)
from apps.pairs.services.rounds import STEPS
from apps.pairs.services.setup import Plan, announce_swiss, create_swiss
from apps.pairs.services.slips import Said, confirm_result, decide_result, say_result
from apps.results.models import Contestant
from apps.users.models import Player, User

log = logging.getLogger(__name__)

TURN = 0.5  # seconds of play before the time is looked after again
BREATH = 0.2  # seconds between two looks when nothing is due
BOARD = 210.0  # seconds that players who are not hurried take for a board at a table
AT_THE_DESK = 60  # pairs at the most; the others come by invitation
FIRST_TABLE = 100  # of the field at the desk; visitors find the tables before it free
DIRECTOR = "simulated-director"
_ENGAGING = 0x54726F757065  # the advisory lock of `set_up`


class Ended(Exception):
    """The event does not go on: it was cancelled."""


@transaction.atomic
def set_up(plan: Plan, cast: Cast) -> int:
    """Announce a simulated event; returns its id. Repeated with the same cast it is the same event.

    Nobody plays in two events at once: while members of the seed are at another, a troupe of their own plays this one.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_ENGAGING])
    (by,) = accounts([DIRECTOR])
    going_on = Swiss.objects.filter(event__source_key__startswith=KEY, state__in=GOING_ON)
    casts = {Cast.of(key): pk for pk, key in going_on.values_list("pk", "event__source_key")}
    engaged = {other.troupe: other for other in casts if other.seed == cast.seed}
    for other in engaged.values():
        if replace(other, troupe=cast.troupe) == cast:
            return casts[other]
    cast = replace(cast, troupe=next(troupe for troupe in count() if troupe not in engaged))
    event_id: int = create_swiss(plan=plan, by=by, key=cast.key).pk
    announce_swiss(event_id=event_id, by=by)
    return event_id


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair at a table. `number` is its place in the script; None when people play in it, or one of them."""

    order: int
    number: int | None
    players: tuple[Player, ...]  # of ours

    def speaker(self, turn: int) -> tuple[Player, User]:
        """The one of the two who takes the phone this time."""
        player = self.players[turn % len(self.players)]
        assert player.user is not None  # noqa: S101 - all of the field have accounts
        return player, player.user


@dataclass(frozen=True, slots=True)
class Deed:
    """Something to do in a round: when, as a share of it, and how. Doing it again changes nothing."""

    at: float
    do: Callable[[], object]


@dataclass(slots=True)
class Scene:
    """A round as the field plays it."""

    round: Round
    deeds: list[Deed]  # those not done yet, the last one first
    visited: dict[int, dict[str, Pair]]  # tables at which people sit, by number
    known: dict[int, KnownDeal]  # what the cards make, where the field plays by them
    robots: Company | None = None  # who call and play, where the event is played at tables of this site


class Simulation:
    """Plays one event. Everything it keeps in memory can be found again in the database."""

    def __init__(self, event_id: int) -> None:
        self.event_id = event_id
        self.scene: Scene | None = None
        self.moved: set[int] = set()  # rounds in which all who come and go have done so
        self.ready = False
        self.timekeeper = Timekeeper()

    def run(self, *, until_ranked: bool = True) -> None:
        """Play to the end of the last round, or until the ranking and the ledger stand.

        The database may go away and come back meanwhile, and so may everything else.

        Raises:
            Ended: The event was cancelled.
        """
        while patiently(self.advance, until_ranked=until_ranked):
            time.sleep(patiently(self._pause))

    def advance(self, *, until_ranked: bool = True) -> bool:
        """Do what is due now; returns whether there will be more to do."""
        try:
            if not self.ready:
                self._prepare()
            return self._do_what_is_due(until_ranked)
        except DatabaseError:
            self.scene, self.ready = None, False  # it may know something that was never written
            raise

    def _prepare(self) -> None:
        swiss = Swiss.objects.select_related("event").get(pk=self.event_id)
        self.cast = Cast.of(swiss.event.source_key)
        self.script = Script(
            seed=self.cast.seed,
            pairs=self.cast.pairs,
            rounds=swiss.rounds,
            trouble=CALM if self.cast.calm else TROUBLE,
        )
        # Two players a pair, one who may take over a place in it, and two who wait for visitors.
        players = engage(self.cast.seed, 3 * self.cast.pairs + 2, self.cast.troupe)
        self.pairs = [(players[2 * place], players[2 * place + 1]) for place in range(self.cast.pairs)]
        self.reserves = players[2 * self.cast.pairs : -2]
        self.partner, self.lonely = players[-2:]
        self.members = {player.pk: player for player in players}
        self.director = User.objects.get(username=DIRECTOR)
        self.ready = True

    def _pause(self) -> float:
        if self.scene is None or not self.scene.deeds:
            return BREATH
        swiss = self.scene.round.swiss
        wait = (self.scene.deeds[-1].at - self._share(swiss, self.scene.round)) * self._length(swiss)
        return min(BREATH, max(0.0, wait))

    def _do_what_is_due(self, until_ranked: bool) -> bool:
        self.timekeeper.look()
        swiss = Swiss.objects.select_related("event__field").get(pk=self.event_id)
        match swiss.state:
            case Swiss.State.CANCELLED:
                raise Ended(f"{swiss.event.title} was cancelled: {swiss.why}")
            case Swiss.State.ANNOUNCED:
                self._gather(swiss)
            case Swiss.State.RUNNING:
                return self._play(swiss) or until_ranked
            case Swiss.State.FINISHED | Swiss.State.OFFICIAL:
                waiting = DueWork.objects.filter(
                    kind=AWARD, subject=swiss.pk, state=DueWork.State.PLANNED
                ).exists()
                return until_ranked and waiting
        return True

    # Before the start

    def _gather(self, swiss: Swiss) -> None:
        """Have pairs enter, a few minutes before the start all of them; the desk first, so that numbers follow it."""
        if self.cast.visitor:
            self._welcome(swiss)
        expected = list(self.script.at_the_start)
        coming = expected[: round(len(expected) * self._share_of_entries(swiss))]
        entered = set(Entrant.objects.filter(swiss=swiss).values_list("player_id", flat=True))
        out = [pair for pair in coming if not entered & self._who(pair)]
        by_desk = [pair for pair in out if pair <= self._at_the_desk()]
        if by_desk:
            up = DeskSeat.objects.filter(swiss=swiss, hand_at__isnull=False)
            hands = set(up.values_list("player_id", flat=True))
            for pair in by_desk:
                if not self._who(pair) <= hands:
                    _quietly(self._sit_down, pair)
            return  # the clock enters them in the order of their tables; the others follow
        for pair in out:
            _quietly(self._enter, pair)
        for order in self._not_present(swiss):
            _quietly(say_present, event_id=swiss.pk, order=order, by=self.director)
        if self._is_directed and coming == expected and swiss.starts_at - now() > timedelta(seconds=2):
            starts_at = now() + timedelta(seconds=1)
            _quietly(
                direction.postpone,
                event_id=swiss.pk,
                starts_at=starts_at,
                local_start=f"{starts_at.astimezone(swiss.tz):%Y-%m-%dT%H:%M}",
                expected=swiss.schedule_version,
                by=self.director,
                reason="Everybody is there. 人已到齐。",
            )

    @property
    def _is_directed(self) -> bool:
        """Whether a director hurries the event on; an event with visitors goes by its timetable."""
        return not self.cast.visitor

    def _share_of_entries(self, swiss: Swiss) -> float:
        """Pairs come one after the other while an event waits for its hour, and all at once when it waits for them."""
        if self._is_directed:
            return 1
        whole = swiss.starts_at - swiss.event.created_at
        return min(1.0, 1.25 * ((now() - swiss.event.created_at) / whole))

    def _at_the_desk(self) -> int:
        return min(self.cast.pairs // 3, AT_THE_DESK)

    def _who(self, pair: int) -> set[int]:
        return {player.pk for player in self.pairs[pair - 1]}

    def _sit_down(self, pair: int) -> None:
        pair_of = self.pairs[pair - 1]
        try:
            for player in pair_of:
                sit_down(event_id=self.event_id, player=player, table=FIRST_TABLE + pair)
        except Refused:  # somebody else sits there
            for player in pair_of:
                stand_up(event_id=self.event_id, player=player)
            self._enter(pair)
            return
        for player in pair_of:
            raise_hand(event_id=self.event_id, player=player)

    def _enter(self, pair: int) -> None:
        one, other = self.pairs[pair - 1]
        assert one.user  # noqa: S101 - all of the field have accounts
        assert other.user  # noqa: S101
        invitation = invite(event_id=self.event_id, player=one, partner=other, by=one.user)
        answer_invitation(invitation_id=invitation.pk, player=other, accept=True, by=other.user)

    def _not_present(self, swiss: Swiss) -> list[int]:
        """The pairs, by order, that have to say that they are there: all of ours but those who miss the start."""
        absent = [player for pair in self.script.missing_the_start for player in self._who(pair)]
        ours = Entry.objects.filter(swiss=swiss, present_at=None, state=Entry.State.PLAYING)
        ours = ours.filter(entrants__player__in=list(self.members)).exclude(entrants__player__in=absent)
        return sorted(set(ours.values_list("contestant__order", flat=True)))

    # Visitors

    def _welcome(self, swiss: Swiss) -> None:
        """The visitor is entered with a partner, once; another of ours waits at the desk for whoever comes.

        Where cards are played the visitor enters himself: nobody else can play for him.
        """
        if not admits(swiss):
            return
        visitor = Player.objects.select_related("user").filter(user__username=self.cast.visitor).first()
        if (
            visitor
            and not swiss.has_tables
            and not Contestant.objects.filter(field=swiss.event.field_id, players=visitor).exists()
        ):
            pair = (self.partner, visitor)
            _quietly(enter_pair, event_id=swiss.pk, players=pair, by=self.partner.user, present=True)
        taken = Entrant.objects.filter(swiss=swiss, player=self.lonely).exists()
        if not taken:
            seat = DeskSeat.objects.filter(swiss=swiss, player=self.lonely).first()
            if seat is None:
                _quietly(sit_down, event_id=swiss.pk, player=self.lonely)
            else:
                opposite = DeskSeat.objects.filter(swiss=swiss, table=seat.table, hand_at__isnull=False)
                wanted = opposite.exclude(player=self.lonely).exists()
                _quietly(raise_hand, event_id=swiss.pk, player=self.lonely, up=wanted)
        asked = Invitation.objects.filter(
            swiss=swiss, state=Invitation.State.OPEN, to__in=list(self.members)
        ).exclude(by__in=list(self.members))
        for invitation in asked.select_related("to__user"):
            _quietly(
                answer_invitation,
                invitation_id=invitation.pk,
                player=invitation.to,
                accept=invitation.to_id == self.lonely.pk and not taken,
                by=invitation.to.user,
            )

    # Rounds

    def _play(self, swiss: Swiss) -> bool:
        """Do what is due in the round that is being played; returns whether there is more to do after it."""
        if self.cast.visitor:
            self._welcome(swiss)
        current = Round.objects.filter(swiss=swiss, state=Round.State.OPEN).first()
        if current is None:
            self.scene = None
            if swiss.current_round not in self.moved:  # the bell was faster
                for deed in self._moves(swiss.current_round):
                    _quietly(deed.do)
                self.moved.add(swiss.current_round)
            if self._is_hurried:
                self._open_next(swiss)
            return swiss.current_round < swiss.rounds
        current.swiss = swiss
        if self.scene is None or self.scene.round.pk != current.pk:
            self.scene = self._set_scene(swiss, current)
        self.scene.round = current
        end, share = time.monotonic() + TURN, self._share(swiss, current)
        deeds = self.scene.deeds
        while deeds and deeds[-1].at <= share and time.monotonic() < end:
            _quietly(deeds[-1].do)
            deeds.pop()
        if self.scene.visited:
            self._keep_company(swiss, share)
        plays = self.scene.robots is not None and self._play_cards(self.scene.robots)
        if deeds or plays:
            return True
        self.moved.add(current.number)
        if self._is_hurried and not self.scene.visited and current.closes_at > now():
            _quietly(
                direction.ring_bell,
                event_id=swiss.pk,
                expected=swiss.schedule_version,
                by=self.director,
                reason="Everybody is done. 各桌均已打完。",
            )
        return current.number < swiss.rounds

    def _play_cards(self, robots: Company) -> bool:
        """Have ours do what is due; for a while where they are hurried. Whether there are tables at which they play on."""
        end = time.monotonic() + (TURN if self._is_hurried else 0.0)
        while plays := robots.take_turn():
            if time.monotonic() >= end:
                break
        return plays

    @property
    def _is_hurried(self) -> bool:
        return self._is_directed and self.cast.speed > 1

    def _length(self, swiss: Swiss) -> float:
        """Seconds that the field takes for a round."""
        return 60 * swiss.minutes / self.cast.speed

    def _share(self, swiss: Swiss, current: Round) -> float:
        return (now() - (current.opened_at or current.opens_at)).total_seconds() / self._length(swiss)

    def _open_next(self, swiss: Swiss) -> None:
        coming = Round.objects.filter(swiss=swiss, state=Round.State.PENDING).order_by("number").first()
        soon = DueWork.objects.filter(
            kind__in=STEPS, subject=swiss.pk, state=DueWork.State.PLANNED, due_at__lte=now()
        )
        if coming and coming.number == swiss.current_round + 1 and swiss.current_round and not soon.exists():
            _quietly(
                direction.open_next_round,
                event_id=swiss.pk,
                expected=swiss.schedule_version,
                by=self.director,
                reason="Everybody is done. 各桌均已打完。",
            )

    def _set_scene(self, swiss: Swiss, current: Round) -> Scene:
        """Who sits where, and what there is to do that has not been done."""
        tables = {} if swiss.has_tables else self._tables(swiss, current)
        boards = range((current.number - 1) * swiss.boards + 1, current.number * swiss.boards + 1)
        done = set(SlipEntry.objects.filter(slip__round=current).values_list("command", flat=True))
        known = self._known_deals(current) if self.cast.by_cards and not swiss.has_tables else {}
        visited = {number: table for number, table in tables.items() if not _all_ours(table)}
        away = {pair for pair, move in self.script.moves(current.number) if move is Move.STAY_AWAY}
        robots = self._robots(swiss, current, away) if swiss.has_tables else None
        deeds = list(self._moves(current.number))
        for number, table in tables.items():
            if number in visited:
                continue
            missing = next((side for side in ("NS", "EW") if table[side].number in away), None)
            if missing:
                deeds.append(Deed(0.1, self._report(table["EW" if missing == "NS" else "NS"])))
                continue
            for place, board in enumerate(boards, 1):
                deeds += self._steps(current, number, table, board, place / len(boards), known, done)
        return Scene(current, sorted(deeds, key=lambda deed: -deed.at), visited, known, robots)

    def _robots(self, swiss: Swiss, current: Round, away: set[int]) -> Company:
        """Those of ours who come to their tables; they finish well within the time."""
        gone = {player for pair in away for player in self._who(pair)}
        return Company(
            purpose=PURPOSE,
            occasion=occasion_of(current),
            players=self.members.keys() - gone,
            seed=self.cast.seed,
            speed=self.cast.speed * max(1.0, swiss.boards * BOARD / (60 * swiss.minutes)),
        )

    def _tables(self, swiss: Swiss, current: Round) -> dict[int, dict[str, Pair]]:
        players: dict[int, list[Player]] = {}
        entrants = Entrant.objects.filter(swiss=swiss).select_related("player__user").order_by("pk")
        for entrant in entrants:
            players.setdefault(entrant.entry_id, []).append(entrant.player)
        number = {self._stays(pair).pk: pair for pair in range(1, self.cast.pairs + 1)}
        tables: dict[int, dict[str, Pair]] = {}
        for seat in Seat.objects.filter(round=current, table__isnull=False).select_related("contestant"):
            ours = tuple(player for player in players[seat.contestant_id] if player.pk in self.members)
            known = (number[player.pk] for player in ours if player.pk in number)
            pair = Pair(seat.contestant.order, next(known, None) if len(ours) == 2 else None, ours)
            tables.setdefault(seat.table or 0, {})[seat.side] = pair
        return dict(sorted(tables.items()))

    def _stays(self, pair: int) -> Player:
        """The one of a pair for whom nobody takes over."""
        return self.pairs[pair - 1][1]

    def _known_deals(self, current: Round) -> dict[int, KnownDeal]:
        """What the cards of a round make, by board number. The players see them too; nobody else is told."""
        boards = Board.objects.filter(board_set__sessions__round=current)
        deals = dict(boards.values_list("number", "deal"))
        tricks = double_dummy_of(deals.values())
        missing = [deal for deal in deals.values() if deal not in tricks]
        tricks |= zip(missing, solve(missing), strict=True)
        return {number: KnownDeal.from_text(deal, tricks[deal]) for number, deal in deals.items()}

    def _steps(
        self,
        current: Round,
        number: int,
        table: dict[str, Pair],
        board: int,
        place: float,
        known: dict[int, KnownDeal],
        done: set[UUID],
    ) -> Iterator[Deed]:
        ns, ew = table["NS"].order, table["EW"].order
        outcome = self.script.outcome(board, ns, ew, known.get(board))
        lead = outcome.lead if board in known else ""
        for step in self.script.steps(board=board, place=place, ns=ns, ew=ew, outcome=outcome):
            command = self._command(current.number, number, board, step.number)
            if command in done:
                continue
            said = step.said and Said.read(step.said, "" if step.said == "Pass" else lead)
            if not step.side and said:
                yield Deed(step.at, self._decide(current.number, number, board, said, command))
            elif said:
                yield Deed(step.at, self._say(table[step.side], board, said, command))
            else:
                yield Deed(step.at, self._confirm(current, number, table, step.side, board, command))

    def _command(self, *what: object) -> UUID:
        return uuid5(NAMESPACE_URL, "/".join(map(str, ("simulation", self.event_id, *what))))

    def _say(self, pair: Pair, board: int, said: Said, command: UUID) -> Callable[[], object]:
        player, user = pair.speaker(board)
        return partial(
            say_result,
            event_id=self.event_id,
            board=board,
            said=said,
            by=user,
            player=player,
            command=command,
        )

    def _confirm(
        self, current: Round, number: int, table: dict[str, Pair], side: str, board: int, command: UUID
    ) -> Callable[[], object]:
        player, user = table[side].speaker(board)

        def confirm() -> object:
            slip = Slip.objects.filter(round=current, table=number, field_board__board__number=board).first()
            return slip and confirm_result(
                event_id=self.event_id,
                board=board,
                version=slip.version,
                by=user,
                player=player,
                command=command,
            )

        return confirm

    def _decide(self, number: int, table: int, board: int, said: Said, command: UUID) -> Callable[[], object]:
        return partial(
            decide_result,
            event_id=self.event_id,
            number=number,
            table=table,
            board=board,
            said=said,
            by=self.director,
            reason="Four players and the cards say so. 四位牌手与牌张均可证明。",
            command=command,
        )

    def _report(self, pair: Pair) -> Callable[[], object]:
        player, user = pair.speaker(0)
        return partial(direction.report_missing, event_id=self.event_id, player=player, by=user)

    def _moves(self, number: int) -> Iterator[Deed]:
        """Pairs that enter late, come, go, or send somebody: one after the other, when the tables are done."""
        for pair, move in self.script.moves(number):
            if move is not Move.STAY_AWAY:
                yield Deed(MOVES + pair / 1e6, partial(self._move, pair, move))

    def _move(self, pair: int, move: Move) -> None:
        if move is Move.ENTER:
            if not Entrant.objects.filter(swiss=self.event_id, player=self._stays(pair)).exists():
                self._enter(pair)
            return
        entry = (
            Entry.objects.filter(swiss=self.event_id, entrants__player=self._stays(pair))
            .select_related("contestant")
            .first()
        )
        if entry is None:
            return
        order, by = entry.contestant.order, self._stays(pair).user
        if move is Move.COME:
            say_present(event_id=self.event_id, order=order, by=by)
        elif move is Move.GO:
            withdraw_pair(event_id=self.event_id, order=order, by=by, reason="")
        else:
            substitute(
                event_id=self.event_id,
                order=order,
                out=self.pairs[pair - 1][0],
                into=self.reserves[pair - 1],
                by=by,
                reason="",
            )

    # At a table with people

    def _keep_company(self, swiss: Swiss, share: float) -> None:
        """Ours agree to what people enter, and enter it themselves when nobody does."""
        assert self.scene is not None  # noqa: S101 - the caller has set it
        current, tables = self.scene.round, self.scene.visited
        slips = {
            (slip.table, slip.field_board.board.number): slip
            for slip in Slip.objects.filter(round=current, table__in=tables).select_related(
                "field_board__board"
            )
        }
        boards = Board.objects.filter(board_set__sessions__round=current).order_by("number")
        numbers = list(boards.values_list("number", flat=True))
        for number, table in tables.items():
            for place, board in enumerate(numbers, 1):
                slip = slips.get((number, board))
                if slip is None:
                    side = _who_enters(table, share, place / len(numbers))
                    if side:
                        self._enter_for_people(current, number, table, side, board)
                    continue
                for side, theirs in (("NS", slip.ew_says), ("EW", slip.ns_says)):
                    if (
                        table[side].number
                        and theirs
                        and slip.state in (Slip.State.ENTERED, Slip.State.DISPUTED)
                    ):
                        command = self._command(current.number, number, board, "agree", slip.version)
                        _quietly(self._confirm(current, number, table, side, board, command))

    def _enter_for_people(
        self, current: Round, number: int, table: dict[str, Pair], side: str, board: int
    ) -> None:
        assert self.scene is not None  # noqa: S101 - the caller has set it
        known = self.scene.known.get(board)
        outcome = self.script.outcome(board, table["NS"].order, table["EW"].order, known)
        said = Said.read(in_words(outcome), outcome.lead if known and outcome.contract else "")
        command = self._command(current.number, number, board, "enter")
        _quietly(self._say(table[side], board, said, command))


def _all_ours(table: dict[str, Pair]) -> bool:
    return all(pair.number for pair in table.values())


def _who_enters(table: dict[str, Pair], share: float, place: float) -> str | None:
    """Which side of ours enters a board at a table with people: North–South in their time, for others it is late."""
    if table["NS"].number:
        return "NS" if share >= DONE * place else None
    late = ("EW", "NS") if table["EW"].number else ("NS", "EW")
    return next((side for side in late if table[side].players), None) if share >= MOVES else None


def _quietly(do: Callable[..., object], *arguments: object, **named: object) -> None:
    """Do it, if the rules allow it at this moment; people get their refusals too."""
    try:
        do(*arguments, **named)
    except Refused as refused:
        log.info("refused: %s", refused)
