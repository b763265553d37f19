from importlib import import_module

from django.apps import AppConfig


class PairsConfig(AppConfig):
    name = "apps.pairs"

    def ready(self) -> None:
        import_module("apps.pairs.receivers")
        import_module("apps.pairs.transitions")
