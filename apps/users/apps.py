from importlib import import_module

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class UsersConfig(AppConfig):
    name = "apps.users"
    verbose_name = _("Players and accounts")

    def ready(self) -> None:
        import_module("apps.users.transitions")
