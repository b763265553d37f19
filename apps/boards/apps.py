from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BoardsConfig(AppConfig):
    name = "apps.boards"
    verbose_name = _("Boards and deals")

    def ready(self) -> None:
        import_module("apps.boards.receivers")
