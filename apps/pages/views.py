"""Home, players, help and health: pages that belong to no single app."""

import redis
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from apps.masterpoints.selectors import ranking
from apps.masterpoints.titles import title_name
from apps.pages import selectors
from apps.pairs.selectors import event_list
from apps.users.models import Player, User
from bridge.contracts import read_contract
from bridge.datum import datum
from bridge.errors import BridgeError
from bridge.imps import BOUNDS, imps
from bridge.masterpoints import TITLES
from bridge.scoring import duplicate_score, score_parts
from bridge.vps import victory_points

PAGE = 50


def home(request: HttpRequest) -> HttpResponse:
    """The newest events, and for a player the own ones."""
    own = None
    if isinstance(request.user, User):
        player = Player.objects.filter(user=request.user).first()
        own = selectors.career(player) if player else None
    context = {"events": event_list(request.user)[:6], "own": own, "leaders": ranking("")[:10]}
    return render(request, "pages/home.html", context)


def health(request: HttpRequest) -> JsonResponse:
    """Whether the site can serve: without the database it cannot; without Redis results come later."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        database = "ok"
    except DatabaseError:
        database = "away"
    try:
        cache.set("health", 1, 5)
        broker = "ok"
    except redis.RedisError:
        broker = "away"
    return JsonResponse({"database": database, "redis": broker}, status=200 if database == "ok" else 503)


def players(request: HttpRequest) -> HttpResponse:
    text, after = request.GET.get("text", "").strip()[:100], request.GET.get("after", "")
    start = int(after) if after.isdecimal() and len(after) < 9 else 0
    page = list(selectors.find_players(text)[start : start + PAGE + 1])
    context = {
        "section": "players",
        "players": page[:PAGE],
        "next": start + PAGE if len(page) > PAGE else None,
        "text": text,
    }
    return render(request, "pages/players.html", context)


def player(request: HttpRequest, player_id: int) -> HttpResponse:
    found = get_object_or_404(Player, pk=player_id)
    career = selectors.career(found)
    context = {"section": "players", "player": found, "career": career, "title": title_name(career.title)}
    return render(request, "pages/player.html", context)


@login_required
def me(request: HttpRequest) -> HttpResponse:
    own = Player.objects.filter(user_id=request.user.pk).first()
    return redirect(own.get_absolute_url() if own else reverse("users:preferences"))


EXAMPLE = (450, 420, -800, -50, 420, 420)


def help_scoring(request: HttpRequest) -> HttpResponse:
    """How Datum scores. Every figure on the page comes from the functions that score."""
    found = datum(EXAMPLE)
    example = [
        {"score": score, "dropped": dropped, "imps": imps(score - found.score)}
        for score, dropped in zip(EXAMPLE, found.dropped, strict=True)
    ] if found else []
    context = {
        "section": "help",
        "example": example,
        "datum": found,
        "imps": [(bound, won) for won, bound in enumerate(BOUNDS, 1)],
        "vps": [(margin, [victory_points(margin, boards)[0] for boards in (8, 12, 16)]) for margin in range(0, 61, 5)],
        "titles": [(title_name(title), title.points) for title in TITLES],
        "calculator": _calculate(request.GET.get("contract", "").strip()[:40], "vulnerable" in request.GET),
    }
    return render(request, "pages/help_scoring.html", context)


def _calculate(text: str, vulnerable: bool) -> dict[str, object]:
    """The score of a contract as somebody typed it, with its parts, or what is wrong with it."""
    answer: dict[str, object] = {"text": text, "vulnerable": vulnerable}
    if not text:
        return answer
    try:
        contract, tricks = read_contract(text)
        if contract and tricks is None:
            tricks = contract.tricks_needed
        answer["score"] = duplicate_score(contract, tricks or 0, vulnerable=vulnerable)
        names = {
            "tricks": _("tricks"),
            "overtricks": _("overtricks"),
            "undertricks": _("undertricks"),
            "part score": _("part score"),
            "game": _("game bonus"),
            "slam": _("slam bonus"),
            "insult": _("for making a doubled contract"),
        }
        parts = score_parts(contract, tricks or 0, vulnerable=vulnerable) if contract else {}
        answer["parts"] = [(names[name], points) for name, points in parts.items()]
    except BridgeError as error:
        answer["error"] = _(error.message) % error.params
    return answer
