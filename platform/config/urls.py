"""Every address of the site, one line an app."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("apps.pages.urls")),
    path("events/", include("apps.pairs.urls")),
    path("masterpoints/", include("apps.masterpoints.urls")),
    path("results/", include("apps.results.urls")),
    path("", include("apps.users.urls")),
    path("accounts/", include("allauth.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/", admin.site.urls),
]
