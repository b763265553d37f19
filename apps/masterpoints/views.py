"""The rankings by master points: of all time as the ledger stands, of months and years as they were published."""

import re
from dataclasses import dataclass
from datetime import date

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from apps.masterpoints import selectors, services
from apps.masterpoints.exports import ranking_csv
from apps.masterpoints.models import Period, Ranking
from apps.masterpoints.titles import title_name
from apps.pairs.services.imports import in_words
from apps.users.models import Player, User
from apps.users.views import administrators_only, number_in, signed_in
from bridge.errors import BridgeError
from bridge.masterpoints import title

PAGE = 100


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which ranking a page is asked for: a period and perhaps a version of it; of all time without a period."""

    period: Period | None
    versions: list[Ranking]
    shown: Ranking | None

    @property
    def query(self) -> dict[str, str]:
        """As the address says it."""
        if self.period is None:
            return {}
        query = {str(self.period.kind): self.period.text}
        if self.shown and self.shown != self.versions[0]:
            query["version"] = str(self.shown.version)
        return query

    def rows(self, *, text: str = "", after: int | None = None, size: int | None) -> list[selectors.Ranked]:
        if self.period is None:
            return selectors.ranking(text=text, after=after, size=size)
        if self.shown is None:
            return []
        return selectors.published_rows(self.shown, text=text, after=after, size=size)


def _asked(request: HttpRequest) -> _Asked:
    """What the address asks for; one query when it names a period."""
    period = next((_period(request.GET[kind]) for kind in ("month", "year") if kind in request.GET), None)
    if period is None:
        return _Asked(None, [], None)
    versions = selectors.versions_of(period)
    if "version" not in request.GET:
        return _Asked(period, versions, versions[0] if versions else None)
    for version in versions:
        if request.GET["version"] == str(version.version):
            return _Asked(period, versions, version)
    raise Http404


def _period(text: str) -> Period:
    """The period that an address names: 2026, 2026-11."""
    kind = Ranking.Kind.YEAR if re.fullmatch(r"[0-9]{4}", text) else Ranking.Kind.MONTH
    if kind == Ranking.Kind.MONTH and not re.fullmatch(r"[0-9]{4}-[0-9]{2}", text):
        raise Http404
    try:
        period = Period(
            kind, date.fromisoformat(f"{text}-01-01" if kind == Ranking.Kind.YEAR else f"{text}-01")
        )
        period.ends_on  # noqa: B018 - the year 9999 has no next one
    except ValueError:
        raise Http404 from None
    return period


@require_safe
def ranking(request: HttpRequest) -> HttpResponse:
    """Everybody with master points, the most first."""
    asked = _asked(request)
    text = request.GET.get("q", "").replace("\0", "").strip()[:100]
    start = number_in(request.GET, "after")
    rows = asked.rows(text=text, after=start, size=PAGE + 1)
    more = asked.query | {"after": rows[PAGE - 1].player_id} if len(rows) > PAGE else {}
    if more and text:
        more["q"] = text
    published = selectors.published_periods()
    year = asked.period and asked.period.starts_on.year
    user = request.user
    own = Player.objects.filter(user=user).first() if isinstance(user, User) else None
    context = {
        "section": "masterpoints",
        "asked": asked,
        "years": sorted({period.starts_on.year for period in published}, reverse=True),
        "year": year,
        "months": [
            period
            for period in published
            if period.kind == Ranking.Kind.MONTH and period.starts_on.year == year
        ],
        "rows": [(row, title_name(title(row.points))) for row in rows[:PAGE]],
        "more": urlencode(more),
        "start": urlencode(asked.query),
        "is_first_page": start is None,
        "text": text,
        "own": own and own.pk,
    }
    return render(request, "masterpoints/ranking.html", context)


@require_safe
def ranking_file(request: HttpRequest) -> HttpResponse:
    """The same whole, for a spreadsheet."""
    asked = _asked(request)
    if asked.period and not asked.shown:
        raise Http404(_("This ranking is not published yet."))
    response = HttpResponse(ranking_csv(asked.rows(size=None)), content_type="text/csv; charset=utf-8")
    name = f"masterpoints-{asked.period.text}" if asked.period else "masterpoints"
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


@require_safe
@administrators_only
def periods(request: HttpRequest) -> HttpResponse:
    """Which months and years there are to publish."""
    context = {"section": "masterpoints", "states": selectors.period_states()}
    return render(request, "masterpoints/periods.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@administrators_only
def publish(request: HttpRequest, text: str) -> HttpResponse:
    """A month or a year as it would be published, what is different from the version that stands, and the button."""
    period, refused = _period(text), ""
    if request.method == "POST":
        try:
            published = services.publish_ranking(
                period=period, digest=request.POST.get("digest", ""), by=signed_in(request)
            )
        except BridgeError as error:
            refused = in_words(error)
        else:
            words = {"period": period, "version": published.version}
            messages.success(
                request, _("Master points of %(period)s: version %(version)s is published.") % words
            )
            return redirect("masterpoints:publish", text)
    only_changed, page = "changed" in request.GET, max(1, number_in(request.GET, "page", digits=5) or 1)
    versions = selectors.versions_of(period)
    latest = versions[0] if versions else None
    preview = selectors.preview(
        period, latest, only_changed=only_changed, skip=(page - 1) * PAGE, size=PAGE + 1
    )
    context = {
        "section": "masterpoints",
        "period": period,
        "versions": versions,
        "latest": latest,
        "preview": preview,
        "is_running": period.ends_on > timezone.localdate(timezone=timezone.get_default_timezone()),
        "is_current": latest is not None and latest.digest == preview.digest,
        "rows": preview.rows[:PAGE],
        "only_changed": only_changed,
        "before": page - 1,
        "next": page + 1 if len(preview.rows) > PAGE else 0,
        "refused": refused,
    }
    return render(request, "masterpoints/publish.html", context, status=409 if refused else 200)
