from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PairsConfig(AppConfig):
    name = "apps.pairs"
    verbose_name = _("Events")

    def ready(self) -> None:
        import_module("apps.pairs.receivers")
        import_module("apps.pairs.transitions")
