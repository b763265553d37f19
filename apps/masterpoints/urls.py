from django.urls import path

from apps.masterpoints import views

app_name = "masterpoints"

urlpatterns = [path("", views.ranking, name="ranking")]
