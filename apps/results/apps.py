from importlib import import_module

from django.apps import AppConfig


class ResultsConfig(AppConfig):
    name = "apps.results"

    def ready(self) -> None:
        import_module("apps.results.receivers")
