"""A director's correction: what happened, a ruling, or the board and the pairs that a result belongs to."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import TextChoices
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from apps.results.models import Contestant, FieldBoard, Result
from apps.results.selectors import last_change_of, results_there
from apps.results.services import change_result, contract_of, move_result
from apps.users.forms import LineField, SignedIntegerField
from apps.users.models import User
from apps.users.names import DASH, isolated
from bridge.awards import Award, Grade, Mixture, Ruling, Stated, read_award
from bridge.cards import Card, Deal
from bridge.contracts import Contract, Doubling, Strain, read_contract, result_text, tricks_of
from bridge.errors import BridgeError, ImpossibleAward
from bridge.scoring import ns_score
from bridge.seats import Seat, Vulnerability


class Kind(TextChoices):
    """What a correction says."""

    PLAYED = "played", _("Contract and tricks")
    PASSED_OUT = "passed out", _("Passed out")
    SCORE = "score", _("Score alone")
    NOT_PLAYED = "not played", _("Not played")
    ARTIFICIAL = "artificial", _("Artificial adjusted score")
    ASSIGNED = "assigned", _("Assigned adjusted score")
    WEIGHTED = "weighted", _("Weighted or split score")
    MOVED = "moved", _("Another board or other pairs")


GRADES = [
    (Grade.PLUS.value, _("average plus: 60 % or 3 IMPs")),
    (Grade.AVERAGE.value, _("average: 50 % or 0 IMPs")),
    (Grade.MINUS.value, _("average minus: 40 % or −3 IMPs")),
]
SEATS = [("N", _("North")), ("E", _("East")), ("S", _("South")), ("W", _("West"))]


SYMBOLS = str.maketrans("♠♥♦♣", "SHDC", "\ufe0e")


class BoardField(forms.ModelChoiceField[FieldBoard]):
    """A board of the event, by number."""

    def label_from_instance(self, obj: FieldBoard) -> str:
        number, session = obj.board.number, obj.session
        if session == 1:
            return gettext("Board %(number)s") % {"number": number}
        return gettext("Board %(number)s, session %(session)s") % {"number": number, "session": session}


class PairField(forms.ModelChoiceField[Contestant]):
    """A pair of the event, by its number and its players."""

    def label_from_instance(self, obj: Contestant) -> str:
        names = DASH.join(isolated(member.player.name) for member in obj.members.all())
        return f"{obj.label} {names}".strip()


class CorrectionForm(forms.Form):
    """Which fields count follows from `kind`; a clean form knows the change and can make it."""

    kind = forms.ChoiceField(label=_("What is right"), choices=Kind, widget=forms.RadioSelect)
    level = forms.TypedChoiceField(
        label=_("Level"),
        choices=[(n, n) for n in range(1, 8)],
        coerce=int,
        required=False,
        widget=forms.RadioSelect,
    )
    strain = forms.ChoiceField(
        label=_("Strain"),
        choices=[("C", "♣"), ("D", "♦"), ("H", "♥"), ("S", "♠"), ("NT", _("NT"))],
        required=False,
        widget=forms.RadioSelect,
    )
    doubling = forms.TypedChoiceField(
        label=_("Doubled"),
        choices=[(0, pgettext_lazy("a contract", "no")), (1, "X"), (2, "XX")],
        coerce=int,
        required=False,
        widget=forms.RadioSelect,
    )
    declarer = forms.ChoiceField(label=_("Declarer"), choices=SEATS, required=False, widget=forms.RadioSelect)
    ending = LineField(
        label=_("Result"), required=False, max_length=4, help_text=_("=, +1 or −2, as on the score slip.")
    )
    lead = LineField(
        label=_("Opening lead"),
        required=False,
        max_length=4,
        help_text=_("For instance HQ; may be left empty."),
    )
    score = SignedIntegerField(
        label=_("Score"),
        required=False,
        min_value=-7600,
        max_value=7600,
        step_size=10,
        help_text=_("North–South's, when nobody knows the contract."),
    )
    ns_grade = forms.ChoiceField(label=_("North–South get"), choices=GRADES, required=False)
    ew_grade = forms.ChoiceField(label=_("East–West get"), choices=GRADES, required=False)
    assigned = LineField(
        label=_("Assigned result"),
        required=False,
        max_length=20,
        help_text=_(
            "A contract with declarer and result, such as 4S N =, or North–South's score, such as −100."
        ),
    )
    ns_weighted = LineField(
        label=_("North–South get"),
        required=False,
        max_length=200,
        help_text=_(
            "Scores of North–South with their weights: 60% +620, 40% −100. A single score or A+ will do."
        ),
    )
    ew_weighted = LineField(
        label=_("East–West get"),
        required=False,
        max_length=200,
        help_text=_("Also seen from North–South; empty when it is the same."),
    )
    board = BoardField(FieldBoard.objects.none(), label=_("Board"), required=False, empty_label=None)
    ns = PairField(Contestant.objects.none(), label=_("North–South"), required=False, empty_label=None)
    ew = PairField(Contestant.objects.none(), label=_("East–West"), required=False, empty_label=None)
    reason = LineField(
        label=_("Reason"), max_length=300, help_text=_("Everybody who looks at the result can read it.")
    )
    seen = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, result: Result) -> None:
        super().__init__(data, initial=_initial(result))
        self.result = result
        self.warnings: list[str] = []
        field = result.field_board.field
        choices = {
            "board": field.field_boards.select_related("board"),
            "ns": field.contestants.prefetch_related("members__player"),
            "ew": field.contestants.prefetch_related("members__player"),
        }
        for name, rows in choices.items():
            chooser = self.fields[name]
            assert isinstance(chooser, forms.ModelChoiceField)  # noqa: S101 - they are, above
            chooser.queryset = rows

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        reads: dict[Kind, Callable[[], dict[str, Any]]] = {
            Kind.PLAYED: self._played,
            Kind.PASSED_OUT: lambda: {"passed_out": True, "lead": ""},
            Kind.SCORE: lambda: {"score": self._given("score"), "lead": ""},
            Kind.NOT_PLAYED: lambda: {"lead": ""},
            Kind.ARTIFICIAL: lambda: self._ruled(
                Ruling(Grade(self._given("ns_grade")), Grade(self._given("ew_grade")))
            ),
            Kind.ASSIGNED: lambda: self._ruled(Ruling.assigned(self._read("assigned", self._score_of))),
            Kind.WEIGHTED: self._weighted,
            Kind.MOVED: lambda: {
                "to": self._given("board"),
                "ns": self._given("ns"),
                "ew": self._given("ew"),
            },
        }
        if not self.errors:
            self.changes: dict[str, Any] = reads[Kind(data["kind"])]()
        return data

    def _given(self, name: str) -> Any:
        value = self.cleaned_data.get(name)
        if value in (None, ""):
            raise ValidationError({name: gettext("This is needed.")})
        return value

    def _read(self, name: str, reader: Callable[[str], Any]) -> Any:
        """What stands in a field, read; what is wrong with it is said beside it."""
        text = self._given(name)
        try:
            return reader(text)
        except BridgeError as error:
            raise ValidationError({name: in_words(error)}) from error

    def _played(self) -> dict[str, Any]:
        contract = Contract(
            self._given("level"),
            Strain.from_text(self._given("strain")),
            Doubling(self.cleaned_data["doubling"] or 0),
            Seat.from_letter(self._given("declarer")),
        )
        lead = self._read("lead", _card) if self.cleaned_data["lead"] else None
        if lead and self._lacks(contract, lead):
            self.warnings.append(gettext("The hand on declarer's left does not hold the card that was led."))
        tricks = self._read("ending", partial(tricks_of, contract))
        return {"contract": contract, "tricks": tricks, "lead": lead.text if lead else ""}

    def _lacks(self, contract: Contract, lead: Card) -> bool:
        deal = self.result.field_board.board.deal
        assert contract.declarer is not None  # noqa: S101 - the form asks for one
        hand = Deal.from_pbn(deal)[contract.declarer.left] if deal else None
        return hand is not None and lead not in hand.cards

    def _score_of(self, text: str) -> int:
        """North–South's score, from a score or from a contract that says who played it and how it ended."""
        award = None
        with suppress(ImpossibleAward):
            award = read_award(text)
        if isinstance(award, Mixture) and award.score is not None:
            return award.score
        contract, tricks = read_contract(text)
        if contract and (contract.declarer is None or tricks is None):
            raise ImpossibleAward("Say who declared and how it ended, for instance 4S N =.")
        return ns_score(contract, tricks, Vulnerability(self.result.field_board.board.vulnerable))

    def _weighted(self) -> dict[str, Any]:
        ns = self._read("ns_weighted", read_award)
        ew = self._read("ew_weighted", read_award) if self.cleaned_data["ew_weighted"] else ns
        return self._ruled(Ruling(ns, ew))

    def _ruled(self, ruling: Ruling) -> dict[str, Any]:
        """A ruling beside what was played, which stays."""
        result, contract = self.result, contract_of(self.result)
        return {
            "ruling": ruling,
            "contract": contract,
            "tricks": result.tricks,
            "passed_out": result.level == 0,
            "score": None if contract else result.ns_score,
        }

    @property
    def is_move(self) -> bool:
        return bool(self.cleaned_data["kind"] == Kind.MOVED)

    def change(self, by: User) -> Callable[[], Result]:
        """The change that a clean form describes, still to be made."""
        service: Callable[..., Result] = move_result if self.is_move else change_result
        said = {name: self.cleaned_data[name] for name in ("reason", "seen")}
        return partial(service, result_id=self.result.pk, by=by, **said, **self.changes)

    @property
    def concerned(self) -> list[int]:
        """The results that the change touches: this one, and those it would change places with."""
        if not self.is_move:
            return [self.result.pk]
        place = self.changes["to"], self.changes["ns"], self.changes["ew"]
        return [self.result.pk, *(other.pk for other in results_there(self.result.pk, *place))]

    @property
    def fingerprint(self) -> str:
        """What was previewed is what is saved: the same for the same entries."""
        entries = [self.data.get(name) for name in self.fields if name not in ("reason", "seen")]
        return hashlib.sha256(repr(entries).encode()).hexdigest()[:16]


def _initial(result: Result) -> dict[str, Any]:
    """What stands there now, and the kind of correction that is most likely wanted."""
    contract = contract_of(result)
    initial: dict[str, Any] = {
        "kind": Kind.PLAYED,
        "seen": last_change_of(result.pk),
        "doubling": result.doubling,
        "lead": result.lead,
        "board": result.field_board_id,
        "ns": result.ns_id,
        "ew": result.ew_id,
        "ns_grade": Grade.AVERAGE,
        "ew_grade": Grade.AVERAGE,
    }
    if contract and result.tricks is not None:
        ending = result_text(contract, result.tricks)
        initial |= {
            "level": result.level,
            "strain": result.strain,
            "declarer": result.declarer,
            "ending": ending,
        }
    elif result.level == 0:
        initial["kind"] = Kind.PASSED_OUT
    elif result.ns_score is not None:
        initial |= {"kind": Kind.SCORE, "score": result.ns_score}
    if result.ruling:
        initial |= _initial_ruling(Ruling.from_json(result.ruling))
    return initial


def _initial_ruling(ruling: Ruling) -> dict[str, Any]:
    if isinstance(ruling.ns, Grade) and isinstance(ruling.ew, Grade):
        return {"kind": Kind.ARTIFICIAL, "ns_grade": ruling.ns, "ew_grade": ruling.ew}
    if ruling.score is not None:
        return {"kind": Kind.ASSIGNED, "assigned": _minus(f"{ruling.score:+d}")}
    ns, ew = _award_text(ruling.ns), _award_text(ruling.ew)
    return {"kind": Kind.WEIGHTED, "ns_weighted": ns, "ew_weighted": "" if ns == ew else ew}


def _award_text(award: Award) -> str:
    """An award as `read_award` takes it."""
    match award:
        case Grade():
            return _minus(award.value)
        case Stated():
            return f"{award.percent}%"
        case Mixture():
            if award.score is not None:
                return _minus(f"{award.score:+d}")
            return _minus(", ".join(f"{weight} {score:+d}" for weight, score in award.parts))


def _minus(written: str) -> str:
    return written.replace("-", "−")


def _card(text: str) -> Card:
    return Card.from_text(text.translate(SYMBOLS))


def in_words(error: BridgeError) -> str:
    """What bridge finds wrong, in the reader's language."""
    return gettext(error.message) % error.params if error.params else gettext(error.message)
