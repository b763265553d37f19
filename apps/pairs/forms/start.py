"""When an event starts, as a form asks for it."""

from datetime import time
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class StartTimeField(forms.TimeField):
    """A full minute, as lists, notices and the calendar show it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            label=_("Time of the start"),
            widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
            **kwargs,
        )

    def to_python(self, value: Any) -> time | None:
        moment = super().to_python(value)
        return moment and moment.replace(second=0, microsecond=0)
