"""Pages of results on the server: ours against the same pages as a textbook writes them with ORM and templates.

`deploy/bench pages [--short]`. The textbook's event and board pages ask for the names of each row; its ranking sums the
ledger and takes its page by OFFSET. All pages go through the whole middleware.
"""

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse

from tests.benchmarks.harness import EASY, Figure, figure, noise, report, take_turns, timed
from tests.benchmarks.rescore import _compare, _fill, database, within

BASE = "{% extends 'base.html' %}{% block content %}<table>"
END = "</table>{% endblock %}"
STANDINGS = """{% for s in standings %}<tr><td>{{ s.rank }}{% if s.tied %}={% endif %}</td>
<td>{{ s.contestant.label }}</td>
<td>{% for m in s.contestant.members.all %}<a href="{% url 'pages:player' m.player.pk %}">{{ m.player.name }}</a> {% endfor %}</td>
<td><a href="{% url 'pairs:scorecard' s.event_id s.contestant.order %}">{{ s.percent|floatformat:2 }}</a></td>
<td>{{ s.points|floatformat:2 }}</td><td>{{ s.boards }}</td><td>{{ s.masterpoints|floatformat:2 }}</td></tr>{% endfor %}"""
TRAVELLER = """{% for r in results %}<tr>
<td>{% for m in r.ns.members.all %}<a href="{% url 'pages:player' m.player.pk %}">{{ m.player.name }}</a> {% endfor %}</td>
<td>{% for m in r.ew.members.all %}<a href="{% url 'pages:player' m.player.pk %}">{{ m.player.name }}</a> {% endfor %}</td>
<td>{{ r.ns_score|floatformat }}</td><td>{{ r.points|floatformat:2 }}</td></tr>{% endfor %}"""
RANKING = """{% for r in rows %}<tr><td>{{ r.rank }}</td>
<td><a href="{% url 'pages:player' r.player_id %}">{{ r.player__name }}</a></td>
<td>{{ r.points|floatformat:2 }}</td></tr>{% endfor %}"""


def figures(*, short: bool) -> list[Figure]:
    ease, rounds = (EASY, 5) if short else (1.0, 15)
    event = _event(pairs=500)
    players = 20_000 if short else 100_000
    half = _ranking(players)
    deep = f"/masterpoints/?after={half}"
    views: dict[str, tuple[str, Callable[[HttpRequest], HttpResponse], float]] = {
        "standings of 500 pairs": (f"/events/{event}/", partial(_standings, event), 2 * ease),
        "board with 250 results": (f"/events/{event}/boards/1/1/", partial(_board, event), 2 * ease),
        f"ranking of {players:,}, page 1": ("/masterpoints/", partial(_ranks, 0), 2 * ease),
        f"E2 ranking, page at rank {players // 2:,}": (deep, partial(_ranks, players // 2), 10 * ease),
    }
    made = []
    for name, (address, textbook, goal) in views.items():
        times = take_turns({"ours": _page(address), "peer": _page("/textbook/", textbook)}, rounds)
        made.append(figure(name, times["ours"], times["peer"], goal))
        made.append(within(f"{name} (limit 0.1 s)", times["ours"], 0.1))
    return made


def _page(address: str, view: Callable[[HttpRequest], HttpResponse] | None = None) -> Callable[[], float]:
    """What asks for a page and says how long it took; a view of ours is given an address first."""
    from django.test import Client

    client = Client()

    def ask() -> float:
        def get() -> None:
            response = client.get(address)
            if response.status_code != 200:
                raise SystemExit(f"{address}: {response.status_code}")

        _textbook["view"] = view
        return timed(get)

    ask()
    return ask


_textbook: dict[str, Any] = {}


def _serve_textbook() -> None:
    """One more address, which shows whatever page the textbook is asked for."""
    from django.urls import path

    from config import urls

    patterns: Any = urls.urlpatterns
    patterns.append(path("textbook/", lambda request: _textbook["view"](request)))


def _rendered(request: HttpRequest, body: str, **context: Any) -> HttpResponse:
    from django.template import engines

    return HttpResponse(engines["django"].from_string(BASE + body + END).render(context, request))


def _standings(event: int, request: HttpRequest) -> HttpResponse:
    from apps.pairs.models import Standing

    standings = list(Standing.objects.filter(event=event, session=0).select_related("contestant"))
    for standing in standings:
        standing.percent, standing.points = float(standing.score), float(standing.total)  # type: ignore[attr-defined]
    return _rendered(request, STANDINGS, standings=standings)


def _board(event: int, request: HttpRequest) -> HttpResponse:
    from apps.results.models import Comparison, Result

    results = list(
        Result.objects.filter(field_board__field__event=event, field_board__board__number=1)
        .select_related("ns", "ew")
        .order_by("-ns_score")
    )
    comparison = Comparison.objects.get(field_board=results[0].field_board_id)
    for result in results:
        at = comparison.results.index(result.pk)
        result.points = comparison.ns_points[at] / comparison.denominator  # type: ignore[attr-defined]
    return _rendered(request, TRAVELLER, results=results)


def _ranks(start: int, request: HttpRequest) -> HttpResponse:
    from django.db.models import F, Sum, Window
    from django.db.models.functions import Rank

    from apps.masterpoints.models import Award

    rows = Award.objects.values("player_id", "player__name").annotate(points=Sum("points"))
    ranked = rows.annotate(rank=Window(Rank(), order_by=F("points").desc())).order_by("-points", "player_id")
    return _rendered(request, RANKING, rows=ranked[start : start + 100])


def _event(pairs: int) -> int:
    """A published event: 24 boards, each played at half as many tables as there are pairs."""
    from apps.boards.models import BoardSet
    from apps.pairs.models import Event, Session
    from apps.pairs.services.ranking import rank_event
    from apps.results.models import Contestant, Member
    from apps.users.models import Player
    from bridge.comparison import Method

    field = _fill(24, pairs // 2, Method.MP)
    _compare(field)
    names = [f"Player {number:05}" for number in range(2 * pairs)]
    players = Player.objects.bulk_create(Player(name=name, name_key=name.casefold()) for name in names)
    entered = Contestant.objects.filter(field=field).order_by("order")
    Member.objects.bulk_create(
        Member(contestant=pair, player=players[2 * at + seat], position=seat + 1)
        for at, pair in enumerate(entered)
        for seat in (0, 1)
    )
    event = Event.objects.create(
        title="Large", field_id=field, state="published", published_at=datetime(2026, 11, 30, tzinfo=UTC)
    )
    Session.objects.create(event=event, number=1, board_set=BoardSet.objects.latest("pk"))
    rank_event(event_id=event.pk)
    return event.pk


def _ranking(players: int) -> int:
    """So many players with awards; returns the one in the middle of the ranking."""
    from django.db import connection

    from apps.masterpoints.models import Total
    from apps.pairs.models import Event

    event = Event.objects.latest("pk").pk
    with connection.cursor() as cursor:
        cursor.execute(
            """WITH made AS (
                 INSERT INTO users_player (name, name_key, created_at)
                 SELECT 'Ranked ' || n, 'ranked ' || n, now() FROM generate_series(1, %s) n RETURNING id
               )
               INSERT INTO masterpoints_award (player_id, event_id, entry, points, reason, awarded_at)
               SELECT id, %s, 1, 1 + (id * 7919 %% 4000) * 0.25, '', now() FROM made""",
            [players, event],
        )
        cursor.execute("INSERT INTO masterpoints_total SELECT player_id, points FROM masterpoints_award")
        cursor.execute("VACUUM ANALYZE masterpoints_total, masterpoints_award, users_player")
    in_order = Total.objects.order_by("-points", "player_id").values_list("player_id", flat=True)
    return in_order[players // 2 - 1]


def main(arguments: list[str]) -> int:
    before = noise()
    with database():
        _serve_textbook()
        made = figures(short="--short" in arguments)
    return report("pages", made, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
