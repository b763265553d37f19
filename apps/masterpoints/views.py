"""The ranking by master points."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from apps.masterpoints import selectors
from apps.masterpoints.titles import title_name
from apps.users.models import Player, User
from bridge.masterpoints import title

PAGE = 100


@require_safe
def ranking(request: HttpRequest) -> HttpResponse:
    """Everybody with master points, the most first."""
    text, after = request.GET.get("q", "").replace("\0", "").strip()[:100], request.GET.get("after", "")
    start = int(after) if after.isascii() and after.isdigit() and len(after) < 19 else None
    rows = selectors.ranking(text=text, after=start, size=PAGE + 1)
    more = {"after": rows[PAGE - 1].player_id} | ({"q": text} if text else {}) if len(rows) > PAGE else {}
    user = request.user
    own = Player.objects.filter(user=user).first() if isinstance(user, User) else None
    context = {
        "section": "masterpoints",
        "rows": [(row, title_name(title(row.points))) for row in rows[:PAGE]],
        "more": urlencode(more),
        "is_first_page": start is None,
        "text": text,
        "own": own and own.pk,
    }
    return render(request, "masterpoints/ranking.html", context)
