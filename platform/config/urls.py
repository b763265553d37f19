"""Every address of the site, one line an app."""

from django.contrib import admin
from django.urls import include, path
from django.utils.translation import gettext_lazy as _

from apps.users.views import set_language

admin.site.site_header = admin.site.site_title = _("Datum administration")

urlpatterns = [
    path("", include("apps.pages.urls")),
    path("events/", include("apps.pairs.urls")),
    path("masterpoints/", include("apps.masterpoints.urls")),
    path("results/", include("apps.results.urls")),
    path("tables/", include("apps.tables.urls")),
    path("", include("apps.users.urls")),
    path("accounts/", include("allauth.urls")),
    path("i18n/setlang/", set_language, name="set_language"),
    path("admin/", admin.site.urls),
]
