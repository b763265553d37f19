"""The twelve titles in the reader's language."""

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from bridge.masterpoints import Title

NAMES = (
    _("No title"),
    _("Graded Player"),
    _("Intermediate Player"),
    _("Advanced Player"),
    _("Summit Player"),
    _("Summit Expert"),
    _("Summit Master"),
    _("Summit Star"),
    _("Honoured Guest of Bridge"),
    _("Association Master"),
    _("Honorary Master"),
    _("Professional"),
)


def title_name(title: Title) -> str:
    return gettext(NAMES[title.level])
