"""Home, players, help and health: pages that belong to no single app."""

from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from apps.masterpoints.selectors import ranking
from apps.masterpoints.titles import title_name
from apps.pages import selectors
from apps.pages.forms import CalculatorForm
from apps.pages.system import places
from apps.pairs.models import Swiss
from apps.pairs.selectors import list_events, visible_events
from apps.pairs.selectors.oversight import events_played_by
from apps.pairs.views.live_state import coming_events, playing_now
from apps.tables.selectors import calls_for_director, tables_of, tables_to_join
from apps.tables.services.practice import PRACTICE
from apps.users.models import Player, User
from apps.users.views import number_in
from bridge.awards import Grade
from bridge.datum import DEFAULT_RULE, datum
from bridge.imps import BOUNDS, imps, total_imps
from bridge.masterpoints import PAID_PLACES, TITLES, award
from bridge.matchpoints import matchpoints, neuberg, top
from bridge.vps import victory_points

PAGE = 50
FOR_PEOPLE = ("/accounts/", "/tables/", "/events/*/direct")  # robots stay out


def home(request: HttpRequest) -> HttpResponse:
    """Where one can play now, what is going on, the newest events; for a player the own ones, for a director the duties."""
    user = request.user
    player = Player.objects.filter(user=user).first() if isinstance(user, User) else None
    coming = coming_events(user, most=7)
    next_event = next((each for each in coming if each.swiss.state == Swiss.State.ANNOUNCED), None)
    context = {
        "events": list_events(visible_events(user))[0][:8],
        "player": player,
        "own": selectors.latest_standings(player, 5) if player else [],
        "leaders": ranking(size=10),
        "next_event": next_event,
        "coming": [each for each in coming if each is not next_event],
        "seat_now": playing_now(user),
        "own_table": tables_of(user).filter(casual=True).first() if isinstance(user, User) else None,
        "free_tables": tables_to_join(PRACTICE).count(),
    }
    if isinstance(user, User) and user.directs:
        own = set(events_played_by(user).values_list("pk", flat=True))
        context |= {
            "calls": len(calls_for_director(user)),
            "directed": [
                each
                for each in coming
                if each.swiss.state != Swiss.State.CANCELLED and each.swiss.pk not in own
            ],
        }
    return render(request, "pages/home.html", context)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in FOR_PEOPLE)]
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """For programs that ask for it without reading a page."""
    return redirect(static("pages/mark.svg"))


def health(request: HttpRequest) -> HttpResponse:
    """Whether the site can serve and its work gets done: a page for a person, JSON for a program.

    Without the database it cannot, and the answer is 503; whatever else needs a look is a warning.
    """
    health = selectors.health()
    status = 503 if health.status == "down" else 200
    if "text/html" in request.headers.get("Accept", ""):
        return render(request, "pages/health.html", {"health": health}, status=status)
    return JsonResponse(asdict(health), status=status)


def players(request: HttpRequest) -> HttpResponse:
    """Players by name."""
    text = request.GET.get("q", "").replace("\0", "").strip()[:100]
    start = number_in(request.GET, "after")
    page = selectors.find_players(text=text, after=start, size=PAGE + 1)
    more = {"after": page[PAGE - 1].pk} | ({"q": text} if text else {}) if len(page) > PAGE else {}
    context = {
        "section": "players",
        "players": page[:PAGE],
        "more": urlencode(more),
        "is_first_page": start is None,
        "text": text,
    }
    return render(request, "pages/players.html", context)


def player(request: HttpRequest, player_id: int) -> HttpResponse:
    """Places, partners, averages by method and by role."""
    directs = isinstance(request.user, User) and request.user.directs
    found = get_object_or_404(Player if directs else selectors.known_players(), pk=player_id)
    page = max(1, number_in(request.GET, "page", digits=5) or 1)
    career = selectors.career(found, page=page)
    context = {
        "section": "players",
        "player": found,
        "career": career,
        "title": title_name(career.title),
        "page": page,
        "newer": page - 1,
        "older": page + 1 if page * selectors.EVENTS_A_PAGE < career.events else 0,
    }
    return render(request, "pages/player.html", context)


@login_required
def me(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)  # noqa: S101 - login_required says so
    own = Player.objects.filter(user=request.user).first()
    return redirect(own.get_absolute_url() if own else reverse("users:preferences"))


def help_index(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/help.html", {"section": "help"})


EXAMPLE = (450, 420, -800, -50, 420, 420)
PAIRED_SCORES = (620, -100, 630, 620, 1100)
LENGTHS = (4, 6, 8, 12)  # boards of a round


def help_robots(request: HttpRequest) -> HttpResponse:
    """What robots know, how they bid and how well they play."""
    return render(request, "pages/help_robots.html", {"section": "help", "places": [*places()]})


def help_scoring(request: HttpRequest) -> HttpResponse:
    """How Datum scores. Every figure on the page comes from the functions that score."""
    return render(
        request,
        "pages/help_scoring.html",
        {
            "section": "help",
            "calculator": CalculatorForm(request.GET if "contract" in request.GET else None),
            "datum": _datum_example(),
            "trims": [(results, DEFAULT_RULE.trim(results)) for results in (4, 6, 14, 15, 24, 25, 34, 40)],
            "imps": list(
                enumerate(zip(BOUNDS, [bound - 10 for bound in BOUNDS[1:]] + [None], strict=True), 1)
            ),
            "total_imps": [
                (score, total, Fraction(total, len(EXAMPLE) - 1))
                for score, total in zip(EXAMPLE, total_imps(EXAMPLE), strict=True)
            ],
            "matchpoints": list(zip(PAIRED_SCORES, matchpoints(PAIRED_SCORES), strict=True)),
            "top": top(len(PAIRED_SCORES)),
            "neuberg": [(points, neuberg(points, 10, 11)) for points in (18, 9, 0)],
            "grades": [(grade.value.replace("-", "−"), grade.percent, 3 * grade.sign) for grade in Grade],
            "vps": [
                (margin, [victory_points(margin, boards)[0] for boards in LENGTHS]) for margin in range(61)
            ],
            "lengths": LENGTHS,
            "awards": [
                (pairs, [award(rank, pairs) if rank <= pairs else 0 for rank in range(1, PAID_PLACES + 1)])
                for pairs in (8, 12, 20)
            ],
            "places": range(1, PAID_PLACES + 1),
            "titles": [(title_name(title), Decimal(title.points)) for title in TITLES],
        },
    )


def _datum_example() -> dict[str, Any]:
    found = datum(EXAMPLE)
    assert found is not None  # noqa: S101 - the example has scores
    rows = [
        {
            "score": score,
            "dropped": dropped,
            "difference": score - found.score,
            "imps": imps(score - found.score),
        }
        for score, dropped in zip(EXAMPLE, found.dropped, strict=True)
    ]
    return {"rows": sorted(rows, key=lambda row: -row["score"]), "score": found.score, "mean": found.mean}
