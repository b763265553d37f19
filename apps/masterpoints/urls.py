from django.urls import path

from apps.masterpoints import views

app_name = "masterpoints"

urlpatterns = [
    path("", views.ranking, name="ranking"),
    path("ranking.csv", views.ranking_file, name="ranking_file"),
    path("publish/", views.periods, name="periods"),
    path("publish/<str:text>/", views.publish, name="publish"),
]
