from decimal import Decimal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.masterpoints import selectors
from apps.masterpoints.titles import title_name
from bridge.masterpoints import title

PAGE = 100


def ranking(request: HttpRequest) -> HttpResponse:
    """Everybody with master points, the most first."""
    text, after = request.GET.get("text", "").strip()[:100], request.GET.get("after", "")
    start = int(after) if after.isdecimal() and len(after) < 9 else 0
    rows = list(selectors.ranking(text)[start : start + PAGE + 1])
    for row in rows:
        row["title"] = title_name(title(Decimal(row["points"])))
    own = request.user.pk and getattr(getattr(request.user, "player", None), "pk", None)
    context = {
        "section": "masterpoints",
        "rows": rows[:PAGE],
        "next": start + PAGE if len(rows) > PAGE else None,
        "text": text,
        "own": own,
    }
    return render(request, "masterpoints/ranking.html", context)
