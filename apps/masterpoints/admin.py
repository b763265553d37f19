from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.masterpoints.models import Award, Ranking, TitleWon
from apps.masterpoints.titles import NAMES


class _ReadOnly(admin.ModelAdmin[Any]):
    """A ledger: to look at, never to edit."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Award)
class AwardAdmin(_ReadOnly):
    list_display = ["awarded_at", "player", "event", "entry", "rank", "points", "reason"]
    list_select_related = ["player", "event"]
    search_fields = ["player__name", "event__title"]
    list_filter = ["awarded_at"]


@admin.register(TitleWon)
class TitleWonAdmin(_ReadOnly):
    list_display = ["won_at", "player", "title", "award"]
    list_select_related = ["player", "award__player"]
    search_fields = ["player__name"]
    list_filter = ["level"]

    @admin.display(description=_("Title"), ordering="level")
    def title(self, won: TitleWon) -> str:
        return gettext(NAMES[won.level])


@admin.register(Ranking)
class RankingAdmin(_ReadOnly):
    list_display = ["published_at", "kind", "starts_on", "version", "by"]
    list_select_related = ["by"]
    list_filter = ["kind"]
