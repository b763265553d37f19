"""Sign-up: the account, and the player whose name stands in results."""

import unicodedata

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.users.models import User
from apps.users.services import create_player_for


class SignupForm(forms.Form):
    """What sign-up asks beyond what django-allauth asks."""

    player_name = forms.CharField(
        label=_("Name"), max_length=100, help_text=_("As it is to stand in results and rankings."), strip=True
    )

    def clean_player_name(self) -> str:
        return " ".join(unicodedata.normalize("NFC", self.cleaned_data["player_name"]).split())

    def signup(self, request: HttpRequest, user: User) -> None:
        create_player_for(user=user, name=self.cleaned_data["player_name"])
