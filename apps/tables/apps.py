from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TablesConfig(AppConfig):
    name = "apps.tables"
    verbose_name = _("Tables")

    def ready(self) -> None:
        import_module("apps.tables.receivers")
        import_module("apps.tables.transitions")
