from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.utils.translation import gettext_lazy as _

from apps.users.models import Player, PlayerNumber, User


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    list_display = ["username", "email", "is_director", "is_staff", "is_active", "last_login"]
    list_filter = ["is_director", "is_staff", "is_superuser", "is_active"]
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        (_("Datum"), {"fields": ["is_director", "language", "time_zone", "suits", "theme", "mail"]}),
    )


class PlayerNumberInline(admin.TabularInline[PlayerNumber, Player]):
    model = PlayerNumber
    extra = 0


@admin.register(Player)
class PlayerAdmin(admin.ModelAdmin[Player]):
    list_display = ["name", "user", "created_at"]
    list_select_related = ["user"]
    search_fields = ["name", "name_key", "numbers__number"]
    autocomplete_fields = ["user"]
    inlines = [PlayerNumberInline]
