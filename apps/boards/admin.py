from django.contrib import admin
from django.http import HttpRequest

from apps.boards.models import Board, BoardSet, DoubleDummy


class BoardInline(admin.TabularInline[Board, BoardSet]):
    model = Board
    extra = 0
    fields = ["number", "dealer", "vulnerable", "deal", "par_score", "par_contracts"]
    readonly_fields = ["par_score", "par_contracts"]


@admin.register(BoardSet)
class BoardSetAdmin(admin.ModelAdmin[BoardSet]):
    list_display = ["name", "created_at"]
    search_fields = ["name"]
    inlines = [BoardInline]


@admin.register(DoubleDummy)
class DoubleDummyAdmin(admin.ModelAdmin[DoubleDummy]):
    """Solved by the machine: to look at."""

    list_display = ["deal", "tricks", "solved_at"]
    search_fields = ["deal"]
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: DoubleDummy | None = None) -> bool:
        return False
