from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from apps.clock.admin import OwnColumns
from apps.users.forms import IN_LINES, check_name
from apps.users.models import Player, PlayerNumber, User
from apps.users.services import close_account


class PasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]  # generic in its stubs alone
    """A new password, and nothing else of an account whose owner may be choosing preferences."""

    def save(self, commit: bool = True) -> User:
        user: User = super().save(commit=False)
        if commit:
            user.save(update_fields=["password"])
        return user


@admin.register(User)
class AccountAdmin(OwnColumns, UserAdmin[User]):
    list_display = ["username", "email", "is_director", "is_staff", "is_active", "last_login"]
    list_filter = ["is_director", "is_staff", "is_superuser", "is_active"]
    formfield_overrides = IN_LINES
    change_password_form = PasswordForm
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        (_("On this site"), {"fields": ["is_director", "language", "time_zone", "suits", "theme", "mail"]}),
    )

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """An account that is closed leaves every table at once."""
        closes = change and "is_active" in form.changed_data and not obj.is_active
        obj.is_active = obj.is_active or closes
        super().save_model(request, obj, form, change)
        if closes:
            close_account(user=obj, by=request.user if isinstance(request.user, User) else None)


class PlayerNumberInline(admin.TabularInline[PlayerNumber, Player]):
    model = PlayerNumber
    extra = 0
    formfield_overrides = IN_LINES


@admin.register(Player)
class PlayerAdmin(OwnColumns):
    """A name that could be taken for another is warned of, and kept: an administrator may have his reasons."""

    list_display = ["name", "country", "user", "created_at"]
    list_select_related = ["user"]
    search_fields = ["name", "name_key", "numbers__number"]
    autocomplete_fields = ["user"]
    formfield_overrides = IN_LINES
    inlines = [PlayerNumberInline]

    def save_model(self, request: HttpRequest, obj: Player, form: Any, change: bool) -> None:
        if "name" in form.changed_data:
            try:
                check_name(obj.name, player=obj if change else None)
            except ValidationError as error:
                self.message_user(request, f"{obj.name}: {' '.join(error.messages)}", messages.WARNING)
        super().save_model(request, obj, form, change)
