from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ResultsConfig(AppConfig):
    name = "apps.results"
    verbose_name = _("Results")

    def ready(self) -> None:
        import_module("apps.results.receivers")
