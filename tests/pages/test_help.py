import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import gettext

from apps.pages.forms import CalculatorForm
from bridge.contracts import Contract, Strain
from bridge.datum import DEFAULT_RULE
from bridge.vps import victory_points


@pytest.fixture
def page(client: Client) -> str:
    return client.get(reverse("pages:help_scoring")).content.decode()


def answer(contract: str, *, vulnerable: bool = False) -> dict[str, object]:
    found = CalculatorForm({"contract": contract, **({"vulnerable": "on"} if vulnerable else {})}).answer
    assert found is not None
    return found


def test_the_worked_example_of_the_datum_is_on_the_page(page: str) -> None:
    assert "Datum +300" in page
    assert "mean +302.5" in page
    assert "<s>−800</s>" in page
    assert "−15" in page


def test_figures_of_the_tables_come_from_the_functions_that_score(page: str) -> None:
    assert f'<td class="n">{victory_points(23, 8)[0]}</td>' in page
    assert DEFAULT_RULE.trim(40) == 4
    assert "220–260" in page
    assert "4\u2009000 and more" in page
    assert '<td class="n key">19.9</td>' in page
    assert gettext("Honoured Guest of Bridge") in page


def test_a_score_is_given_with_its_parts() -> None:
    found = answer("4SX N +1", vulnerable=True)
    assert found["score"] == 990
    assert [(str(name), points) for name, points in found["parts"]] == [  # type: ignore[attr-defined]
        ("tricks bid and made", 240),
        ("overtricks", 200),
        ("game bonus", 500),
        ("for making a doubled contract", 50),
    ]


def test_a_contract_without_a_result_is_just_made() -> None:
    assert answer("3NT") == answer("3N=")


def test_passing_out_scores_nothing() -> None:
    assert answer("pass")["score"] == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8S", "A contract has a level from 1 to 7, not 8."),
        ("4S +4", "A board has 13 tricks: 14 cannot be won."),
        ("four spades", "“four spades” is not a contract."),
        ("100%", "“100%” is not a contract."),
    ],
)
def test_what_cannot_be_is_said_in_words(client: Client, text: str, words: str) -> None:
    response = client.get(reverse("pages:help_scoring"), {"contract": text})
    assert words in response.content.decode()
    assert 'aria-invalid="true"' in response.content.decode()


def test_text_from_the_address_is_escaped(client: Client) -> None:
    response = client.get(reverse("pages:help_scoring"), {"contract": "<script>alert(1)</script>"})
    assert b"<script>alert" not in response.content


def test_the_calculator_reads_what_the_notation_writes() -> None:
    form = CalculatorForm({"contract": "6♥XX E −2"})
    assert form.is_valid()
    contract, tricks = form.cleaned_data["contract"]
    assert (contract.level, contract.strain, tricks) == (6, Strain.HEARTS, 10)
    assert isinstance(contract, Contract)


def test_help_leads_to_scoring(client: Client) -> None:
    assert reverse("pages:help_scoring") in client.get(reverse("pages:help")).content.decode()


def test_help_names_what_comes_after_the_table(client: Client) -> None:
    page = client.get(reverse("pages:help")).text
    assert "When the table has closed, you ask the director about a board on the page of that board" in page
    assert "A director can take points off a pair" in page
