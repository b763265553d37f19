from importlib import import_module

from django.apps import AppConfig


class MasterpointsConfig(AppConfig):
    name = "apps.masterpoints"

    def ready(self) -> None:
        import_module("apps.masterpoints.receivers")
        import_module("apps.masterpoints.transitions")
