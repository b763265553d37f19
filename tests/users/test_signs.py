"""A number that may be negative is typed with the minus sign of the keyboard, or pasted with that of our pages."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django import forms
from django.urls import get_resolver

from apps.users.forms import SignedDecimalField, SignedIntegerField

SIGNED = (SignedIntegerField, SignedDecimalField)


@pytest.mark.parametrize("sign", ["-", "\u2212", "\u2013"])
def test_it_is_read_with_either_minus(sign: str) -> None:
    assert SignedIntegerField(min_value=-600).clean(f"{sign}15") == -15
    assert SignedDecimalField(decimal_places=2).clean(f" {sign}1.5 ") == Decimal("-1.5")
    for text in ("1\u22125", "\u2212\u22125", "\u2212"):
        with pytest.raises(forms.ValidationError):
            SignedIntegerField().clean(text)


def kinds(form: type[forms.Form | forms.ModelForm[Any]]) -> Iterator[type[forms.Form | forms.ModelForm[Any]]]:
    for kind in form.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_every_field_for_one_takes_it_and_is_no_field_in_which_browsers_refuse_it() -> None:
    assert get_resolver().url_patterns  # all pages are there, and so all forms
    negative = {
        f"{form.__name__}.{name}": field
        for form in (*kinds(forms.Form), *kinds(forms.ModelForm))
        if form.__module__.startswith("apps.")
        for name, field in form.base_fields.items()
        if isinstance(field, forms.IntegerField) and isinstance(field.min_value, int | Decimal)
        if field.min_value < 0
    }
    assert len(negative) >= 4
    assert [name for name, field in negative.items() if not isinstance(field, SIGNED)] == []
    assert {field.widget.input_type for field in negative.values()} == {"text"}
