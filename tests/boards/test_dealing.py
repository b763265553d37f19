import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core import serializers
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.test import Client, override_settings
from django.urls import reverse
from django.views.debug import ExceptionReporter

from apps.boards.models import Board, BoardSet, Seal
from apps.boards.selectors import deal_faults, deal_record
from apps.boards.services import deal_boards, keep_double_dummy, reveal_seal, seal_deals
from apps.users.models import User
from bridge.dealing import DealingError, commitment, deal_board
from bridge.errors import BridgeError
from bridge.seats import dealer, vulnerability
from tests.faults.threads import at_once

DOCUMENT = Path(__file__).resolve().parents[2] / "deploy" / "DEALS.md"
NAME = "pairs-17 周一"


@pytest.fixture
def seal(db: None) -> Seal:
    return seal_deals(name=NAME)


@pytest.fixture
def played(seal: Seal) -> Seal:
    """Three rounds of four boards, all dealt."""
    for round_number in (1, 2, 3):
        deal_round(seal, round_number)
    return seal


@pytest.fixture
def staff(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_superuser("vera", "vera@example.org", "datum-demo"))
    return client


def deal_round(seal: Seal, round_number: int) -> BoardSet:
    first = 4 * round_number - 3
    return deal_boards(
        seal_id=seal.pk,
        round_number=round_number,
        numbers=range(first, first + 4),
        title=f"Round {round_number}",
    )


def dealt(seal: Seal) -> list[tuple[int | None, int, str]]:
    boards = Board.objects.filter(board_set__seal=seal).select_related("board_set")
    return sorted((board.board_set.round_number, board.number, board.deal) for board in boards)


# Promising.


def test_a_promise_shows_what_was_promised_and_not_the_seed(seal: Seal) -> None:
    seed = seal.secret()
    assert seal.commitment == commitment(seed, NAME)
    assert not seal.is_revealed
    assert seal.seed == ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT boards_seal::text FROM boards_seal")
        row = cursor.fetchone()[0]
    shown = [row, repr(seal), str(seal), serializers.serialize("json", [seal]), repr(seal.__dict__)]
    for text in shown:
        assert not gives_away(text, seed)
    assert gives_away(json.dumps(deal_record(reveal_seal(seal_id=seal.pk))), seed)


def gives_away(text: str, seed: bytes) -> bool:
    return seed.hex() in text or repr(seed)[2:-1] in text


def test_a_promise_made_twice_stays_the_first(seal: Seal) -> None:
    again = seal_deals(name=NAME)
    assert (again.pk, again.commitment, again.secret()) == (seal.pk, seal.commitment, seal.secret())
    assert seal_deals(name="another").commitment != seal.commitment


@pytest.mark.django_db(transaction=True)
def test_a_promise_made_by_two_at_once_is_one() -> None:
    for event in range(25):
        seals = at_once(*[lambda name=f"pairs-{event}": seal_deals(name=name)] * 2)
        assert len({seal.commitment for seal in seals if isinstance(seal, Seal)}) == 1
        assert all(isinstance(seal, Seal) for seal in seals)


def test_the_seed_outlives_a_new_secret_key_that_remembers_the_old_one(seal: Seal, settings: Any) -> None:
    seed, old = seal.secret(), settings.SECRET_KEY
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=[old]):
        assert seal.secret() == seed
    with override_settings(SECRET_KEY="new"):
        with pytest.raises(DealingError, match="secret key has changed"):
            deal_round(seal, 1)
        with pytest.raises(DealingError):
            reveal_seal(seal_id=seal.pk)
    assert not BoardSet.objects.exists()


# Dealing.


def test_a_round_is_dealt_from_the_seed_with_dealer_and_vulnerability_by_number(seal: Seal) -> None:
    boards = deal_round(seal, 2).boards.order_by("number")
    assert [board.number for board in boards] == [5, 6, 7, 8]
    for board in boards:
        expected = deal_board(seal.secret(), NAME, round_number=2, board_number=board.number)
        assert board.deal == expected.pbn
        assert board.dealer == dealer(board.number).letter
        assert board.vulnerable == vulnerability(board.number)


def test_a_round_dealt_twice_keeps_its_boards(seal: Seal) -> None:
    first = deal_round(seal, 1)
    before = dealt(seal)
    assert deal_round(seal, 1) == first
    assert dealt(seal) == before
    assert len(before) == 4


@pytest.mark.django_db(transaction=True)
def test_a_round_dealt_by_two_at_once_is_dealt_once() -> None:
    seal = seal_deals(name=NAME)
    for round_number in range(1, 26):
        sets = at_once(*[lambda number=round_number: deal_round(seal, number)] * 2)
        assert isinstance(sets[0], BoardSet)
        assert sets[0] == sets[1]
    assert len(dealt(seal)) == 100
    assert deal_faults(seal) == []


def test_a_round_is_not_dealt_again_with_other_boards(seal: Seal) -> None:
    deal_round(seal, 1)
    with pytest.raises(DealingError, match="other boards"):
        deal_boards(seal_id=seal.pk, round_number=1, numbers=[1, 2, 3], title="shorter")
    assert len(dealt(seal)) == 4


def test_the_same_board_of_another_round_or_event_has_other_cards(seal: Seal) -> None:
    seals = [seal, seal, seal_deals(name="another")]
    sets = [
        deal_boards(seal_id=each.pk, round_number=number, numbers=[1], title="one board")
        for each, number in zip(seals, (1, 2, 1), strict=True)
    ]
    assert len({each.boards.get().deal for each in sets}) == 3


def test_a_board_that_cannot_be_leaves_no_half_round_and_no_trace_of_the_seed(seal: Seal) -> None:
    with pytest.raises(BridgeError, match="numbered from 1") as error:
        deal_boards(seal_id=seal.pk, round_number=1, numbers=[1, 0], title="bad")
    assert not BoardSet.objects.exists()
    report = ExceptionReporter(None, error.type, error.value, error.tb).get_traceback_html()
    seed = seal.secret()
    hands = deal_board(seed, NAME, round_number=1, board_number=1).pbn.removeprefix("N:").split()
    assert "deal_boards" in report
    assert not gives_away(report, seed)
    assert not any(hand in report for hand in hands)


# Revealing and checking.


def test_the_seed_is_revealed_once_and_ends_the_dealing(played: Seal) -> None:
    seed, before = played.secret(), dealt(played)
    revealed = reveal_seal(seal_id=played.pk)
    assert revealed.seed == seed.hex()
    assert revealed.secret() == seed
    assert reveal_seal(seal_id=played.pk).revealed_at == revealed.revealed_at
    assert deal_round(revealed, 3).round_number == 3
    with pytest.raises(DealingError, match="nothing is dealt"):
        deal_round(revealed, 4)
    assert dealt(played) == before


def test_the_record_is_kept_back_until_the_seed_is_public(played: Seal) -> None:
    with pytest.raises(DealingError, match="published when all boards"):
        deal_record(played)
    record = deal_record(reveal_seal(seal_id=played.pk))
    assert [(row["round"], row["board"], row["deal"]) for row in record["boards"]] == dealt(played)


@pytest.mark.parametrize("bit", [0, 7, 128, 255])
def test_the_database_refuses_a_seed_that_was_not_promised(seal: Seal, bit: int) -> None:
    changed = (int.from_bytes(seal.secret(), "big") ^ 1 << bit).to_bytes(32, "big")
    with pytest.raises(IntegrityError, match="seal_seed_keeps_the_promise"), transaction.atomic():
        Seal.objects.update(seed=changed.hex(), revealed_at=Now())
    assert Seal.objects.update(seed=seal.secret().hex(), revealed_at=Now()) == 1


def test_the_database_refuses_another_name_or_promise_afterwards(played: Seal) -> None:
    reveal_seal(seal_id=played.pk)
    for change in ({"name": "another"}, {"commitment": "0" * 64}, {"seed": ""}, {"revealed_at": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Seal.objects.update(**change)


def test_one_changed_bit_of_the_hidden_seed_is_found(played: Seal) -> None:
    assert deal_faults(played) == []
    hidden = bytes(played.masked_seed)
    for bit in range(256):
        played.masked_seed = bytes(
            byte ^ (1 << bit % 8 if place == bit // 8 else 0) for place, byte in enumerate(hidden)
        )
        with pytest.raises(DealingError):
            deal_faults(played)


@pytest.mark.parametrize("early", [True, False], ids=["before the seed is public", "after"])
def test_changed_boards_are_found_and_named(played: Seal, early: bool) -> None:
    if not early:
        played = reveal_seal(seal_id=played.pk)
    assert deal_faults(played) == []
    five, six = Board.objects.filter(number__in=[5, 6]).order_by("number")
    north, east, *others = five.deal.removeprefix("N:").split()
    Board.objects.filter(pk=five.pk).update(deal="N:" + " ".join([east, north, *others]))
    Board.objects.filter(pk=six.pk).update(dealer="W")
    assert deal_faults(played) == [
        "Round 2, board 5: these are not the cards that the seed gives.",
        "Round 2, board 6: dealer or vulnerability is wrong.",
    ]


def test_checking_asks_one_question_however_many_rounds(played: Seal, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert deal_faults(played) == []


# The lines that readers run for themselves.


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (lines,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in lines.splitlines() if line]) <= 30
    path = tmp_path / "verify.py"
    path.write_text(lines, encoding="utf-8")
    return path


def run(program: Path, record: dict[str, Any], noted: str) -> subprocess.CompletedProcess[str]:
    """The program alone with Python's own library: no packages, no folder of ours."""
    path = program.with_name("deals.json")
    path.write_text(json.dumps(record), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(program), str(path), noted]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_the_documented_lines_rebuild_every_deal(played: Seal, program: Path) -> None:
    noted = played.commitment
    done = run(program, deal_record(reveal_seal(seal_id=played.pk)), noted)
    assert (done.returncode, done.stderr) == (0, "")
    rebuilt = [line.split(" ", 2) for line in done.stdout.splitlines()]
    assert [(int(number), int(board), deal) for number, board, deal in rebuilt] == dealt(played)


def test_the_documented_lines_find_one_changed_bit(played: Seal, program: Path) -> None:
    noted = played.commitment
    record = deal_record(reveal_seal(seal_id=played.pk))
    other_seed = f"{int(record['seed'], 16) ^ 1:064x}"
    seven = record["boards"][6]
    other_deal = {**seven, "deal": seven["deal"].translate(str.maketrans("AK", "KA"))}
    boards = [*record["boards"][:6], other_deal, *record["boards"][7:]]
    for changed in ({**record, "seed": other_seed}, {**record, "name": "another"}):
        assert "not the seed that was promised" in run(program, changed, noted).stderr
    assert "not the seed that was promised" in run(program, record, "0" * 64).stderr
    assert "Round 2, board 7" in run(program, {**record, "boards": boards}, noted).stderr


# The administration pages.


def test_staff_see_neither_seed_nor_cards_before_the_seed_is_public(played: Seal, staff: Client) -> None:
    board_set = BoardSet.objects.latest("pk")
    deals = {deal for _, _, deal in dealt(played)}
    keep_double_dummy(tables=dict.fromkeys(deals, "0" * 20))
    seed, shown = played.secret(), pages(staff, played, board_set)
    assert NAME in shown and played.commitment in shown
    assert not gives_away(shown, seed)
    assert not any(deal in shown for deal in deals)
    reveal_seal(seal_id=played.pk)
    shown = pages(staff, played, board_set)
    assert gives_away(shown, seed)
    assert all(deal in shown for deal in deals)


def pages(staff: Client, seal: Seal, board_set: BoardSet) -> str:
    addresses = [
        reverse("admin:boards_seal_changelist"),
        reverse("admin:boards_seal_change", args=[seal.pk]),
        reverse("admin:boards_boardset_changelist"),
        reverse("admin:boards_boardset_change", args=[board_set.pk]),
        reverse("admin:boards_doubledummy_changelist"),
    ]
    return "".join(staff.get(address, follow=True).content.decode() for address in addresses)


def test_staff_cannot_change_what_was_dealt(played: Seal, staff: Client) -> None:
    board_set = BoardSet.objects.latest("pk")
    before = dealt(played)
    reveal_seal(seal_id=played.pk)
    for address in (
        "boards_boardset_change",
        "boards_boardset_delete",
        "boards_seal_change",
        "boards_seal_delete",
    ):
        subject = board_set.pk if "boardset" in address else played.pk
        assert staff.post(reverse(f"admin:{address}", args=[subject]), {"post": "yes"}).status_code == 403
    assert dealt(played) == before
