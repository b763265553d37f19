"""What a browser may send: read strictly, refused in words, and never more than 4 KiB of it."""

import json
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.tables.models import TableWord
from apps.tables.protocol import LONGEST, CallDirector, Command, Leave, Ready, Say, read_command
from bridge.auction import BIDS
from bridge.cards import Card
from bridge.errors import BridgeError
from bridge.table import Claim, MakeCall, PlayCard

ID = "7d4b2a4e-1c3f-4c55-8f57-0a8f5e3f0b11"
GOOD: dict[str, Any] = {"command": ID, "expect": 3, "do": {"act": "call", "call": "1C"}}


def body(**changes: Any) -> bytes:
    return json.dumps(GOOD | changes).encode()


@pytest.mark.parametrize(
    ("do", "act"),
    [
        ({"act": "call", "call": "1C"}, MakeCall(BIDS[0])),
        (
            {"act": "call", "call": "1C", "alert": True, "explanation": "strong"},
            MakeCall(BIDS[0], True, "strong"),
        ),
        ({"act": "play", "card": "SA"}, PlayCard(Card.from_text("SA"))),
        ({"act": "claim", "tricks": 3, "line": "trumps"}, Claim(3, "trumps")),
        ({"act": "chat", "to": "opponents", "text": "hello"}, Say(TableWord.To.OPPONENTS, "hello")),
        ({"act": "director"}, CallDirector("")),
        ({"act": "director", "text": "a slow bid"}, CallDirector("a slow bid")),
        ({"act": "ready"}, Ready()),
        ({"act": "leave"}, Leave(stay=False)),
        ({"act": "leave", "stay": True}, Leave(stay=True)),
    ],
    ids=str,
)
def test_a_command_is_read(do: dict[str, Any], act: object) -> None:
    assert read_command(body(do=do)) == Command(UUID(ID), 3, act)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"command": NaN}',
        b"[" * 4000,
        b"x" * 4096,
        body(more=1),
        body(command="x"),
        body(command=ID.replace("-", "") + "0000"),
        body(command=7),
        body(expect="3"),
        body(expect=True),
        body(expect=-1),
        body(expect=2.0),
        body(expect=2**63),
        body(do=None),
        body(do={"act": "dance"}),
        body(do={"act": ["call"]}),
        body(do={"do": "call", "call": "1C"}),
        body(do={"act": "call", "do": "cut", "call": "1C"}),
        body(do={"act": "call", "call": "8C"}),
        body(do={"act": "call", "call": "1C", "seat": "N"}),
        body(do={"act": "call", "call": "1C", "alert": "yes"}),
        body(do={"act": "play", "card": "ZZ"}),
        body(do={"act": "play", "card": "SA", "for": "N"}),
        body(do={"act": "claim", "tricks": "3"}),
        body(do={"act": "claim", "tricks": 3, "line": "x" * 2000}),
        body(do={"act": "chat", "text": "hello"}),
        body(do={"act": "chat", "to": "partner", "text": "hello"}),
        body(do={"act": "chat", "to": "table", "text": 7}),
        body(do={"act": "leave", "stay": 1}),
        body(do={"act": "ready", "board": 1}),
        *[body(do={"act": act}) for act in ("cut", "rule", "abandon", "silence", "play_on", "resumed")],
        body(do={"act": "take_back", "calls": 0}),
        json.dumps(GOOD).encode().ljust(LONGEST + 1),
    ],
    ids=lambda raw: raw[:70].decode("latin-1"),
)
def test_rubbish_and_the_acts_of_the_tables_keeper_are_refused(raw: bytes) -> None:
    with pytest.raises(BridgeError):
        read_command(raw)


def test_four_kibibytes_are_enough() -> None:
    assert read_command(json.dumps(GOOD).encode().ljust(LONGEST)).expect == 3


@given(st.binary(max_size=LONGEST + 10))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with pytest.raises(BridgeError):
        read_command(raw)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(
    ["call", "play", "claim", "chat", "leave", "explain", "ask", "answer_claim", "director"]
)
fields = st.dictionaries(
    st.sampled_from(
        ["call", "card", "tricks", "line", "place", "explanation", "accept", "to", "text", "stay", "alert"]
    ),
    anything,
    max_size=4,
)


@given(names, fields, anything)
def test_any_fields_are_read_or_refused(name: str, given_fields: dict[str, Any], expect: Any) -> None:
    try:
        command = read_command(body(do={"act": name} | given_fields, expect=expect))
    except BridgeError:
        return
    assert isinstance(command.expect, int)
