from django.apps import AppConfig


class DevstackConfig(AppConfig):
    name = "devstack"
