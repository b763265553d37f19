from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MasterpointsConfig(AppConfig):
    name = "apps.masterpoints"
    verbose_name = _("Master points")

    def ready(self) -> None:
        import_module("apps.masterpoints.receivers")
        import_module("apps.masterpoints.transitions")
