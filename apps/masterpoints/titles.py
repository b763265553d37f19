"""The twelve titles in the reader's language, and how their winners are told."""

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

WON = (
    "",
    _("Your master points make you a Graded Player."),
    _("Your master points make you an Intermediate Player."),
    _("Your master points make you an Advanced Player."),
    _("Your master points make you a Summit Player."),
    _("Your master points make you a Summit Expert."),
    _("Your master points make you a Summit Master."),
    _("Your master points make you a Summit Star."),
    _("Your master points make you an Honoured Guest of Bridge."),
    _("Your master points make you an Association Master."),
    _("Your master points make you an Honorary Master."),
    _("Your master points make you a Professional."),
)


def title_name(title: Title) -> str:
    return gettext(NAMES[title.level])
