"""Rankings for a spreadsheet."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from apps.masterpoints.selectors import Ranked
from apps.pairs.files.exports import cell, spreadsheet


def ranking_csv(rows: Sequence[Ranked]) -> bytes:
    """A ranking, one line a player."""
    heads = [_("Rank"), _("Player"), _("Master points")]
    lines = ([f"{row.rank}{'=' * row.tied}", cell(row.name), row.points] for row in rows)
    return spreadsheet([heads, *lines])
