from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from apps.boards.models import Board, BoardSet, DoubleDummy, Seal, SolvedPlay
from apps.clock.admin import AsShown, OwnColumns
from apps.users.forms import IN_LINES


class BoardInline(admin.TabularInline[Board, BoardSet]):
    model = Board
    form = AsShown
    extra = 0
    fields = ["number", "dealer", "vulnerable", "deal", "par_score", "par_contracts"]
    readonly_fields = ["par_score", "par_contracts"]
    formfield_overrides = IN_LINES


@admin.register(BoardSet)
class BoardSetAdmin(OwnColumns):
    """Sets dealt here cannot be changed, nor seen before their seed is public: whoever runs a site may play on it."""

    list_display = ["name", "created_at"]
    search_fields = ["name"]
    exclude = ["seal", "round_number"]
    formfield_overrides = IN_LINES
    inlines = [BoardInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[BoardSet]:
        return super().get_queryset(request).filter(Q(seal=None) | Q(seal__revealed_at__isnull=False))

    def has_change_permission(self, request: HttpRequest, obj: BoardSet | None = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or obj.seal_id is None)

    def has_delete_permission(self, request: HttpRequest, obj: BoardSet | None = None) -> bool:
        return super().has_delete_permission(request, obj) and (obj is None or obj.seal_id is None)


@admin.register(Seal)
class SealAdmin(admin.ModelAdmin[Seal]):
    """Promises: to look at. The seed shows when it is public."""

    list_display = ["name", "commitment", "sealed_at", "revealed_at"]
    search_fields = ["name", "commitment"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Seal | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Seal | None = None) -> bool:
        return False


@admin.register(DoubleDummy)
class DoubleDummyAdmin(admin.ModelAdmin[DoubleDummy]):
    """Solved by the machine: to look at, once the seed that dealt the cards is public."""

    list_display = ["deal", "tricks", "solved_at"]
    search_fields = ["deal"]
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[DoubleDummy]:
        secret = Board.objects.filter(board_set__seal__revealed_at=None).exclude(board_set__seal=None)
        return super().get_queryset(request).exclude(deal__in=secret.values("deal"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: DoubleDummy | None = None) -> bool:
        return False


@admin.register(SolvedPlay)
class SolvedPlayAdmin(admin.ModelAdmin[SolvedPlay]):
    """Plays of boards that are over, solved by the machine: to look at."""

    list_display = ["deal", "strain", "declarer", "cards", "asked_at"]
    search_fields = ["deal"]
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[SolvedPlay]:
        secret = Board.objects.filter(board_set__seal__revealed_at=None).exclude(board_set__seal=None)
        return super().get_queryset(request).exclude(deal__in=secret.values("deal"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: SolvedPlay | None = None) -> bool:
        return False
