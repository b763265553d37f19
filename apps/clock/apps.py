from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ClockConfig(AppConfig):
    name = "apps.clock"
    verbose_name = _("Clock")
