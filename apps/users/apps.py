from importlib import import_module

from django.apps import AppConfig


class UsersConfig(AppConfig):
    name = "apps.users"

    def ready(self) -> None:
        import_module("apps.users.transitions")
