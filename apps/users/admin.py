from typing import Any

from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm, UserChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.clock.admin import AsShown, OwnColumns
from apps.users.forms import IN_LINES, LanguageField, ZoneField, check_name
from apps.users.models import Player, PlayerNumber, User
from apps.users.services import close_account


class PasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]  # generic in its stubs alone
    """A new password, and nothing else of an account whose owner may be choosing preferences."""

    def save(self, commit: bool = True) -> User:
        user: User = super().save(commit=False)
        if commit:
            user.save(update_fields=["password"])
        return user


class AccountForm(AsShown, UserChangeForm):  # type: ignore[type-arg]  # as above
    """What else an account says is chosen as its owner would choose it."""

    language = LanguageField()
    time_zone = ZoneField(required=False)

    class Meta(UserChangeForm.Meta):
        fields = ()  # type: ignore[assignment]  # the administration says which, and reads lines as lines


@admin.register(User)
class AccountAdmin(OwnColumns, UserAdmin[User]):
    """Accounts are closed and not deleted: what their owners did stays theirs, and they can be opened again."""

    form = AccountForm
    list_display = ["username", "email", "is_director", "is_staff", "is_active", "last_login"]
    list_filter = ["is_director", "is_staff", "is_superuser", "is_active"]
    formfield_overrides = IN_LINES
    change_password_form = PasswordForm
    readonly_fields = ["last_login", "date_joined"]
    actions = ["close"]
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

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    @admin.action(description=_("Close accounts"), permissions=["change"])
    def close(self, request: HttpRequest, users: "QuerySet[User]") -> None:
        """All but the own: somebody must be able to open them again."""
        assert isinstance(request.user, User)  # noqa: S101 - the administration is for those who signed in
        open_ones = list(users.filter(is_active=True).exclude(pk=request.user.pk))
        for user in open_ones:
            close_account(user=user, by=request.user)
        said = ngettext("%(number)s account closed.", "%(number)s accounts closed.", len(open_ones))
        self.message_user(request, said % {"number": len(open_ones)}, messages.SUCCESS)


admin.site.unregister([Group, EmailAddress])


@admin.register(Group)
class GroupsAdmin(OwnColumns, GroupAdmin):
    """Django's, with our way to save."""


@admin.register(EmailAddress)
class AddressAdmin(OwnColumns, EmailAddressAdmin):
    """django-allauth's, with our way to save."""


class PlayerNumberInline(admin.TabularInline[PlayerNumber, Player]):
    model = PlayerNumber
    form = AsShown
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
