from django.urls import path

from apps.pages import views

app_name = "pages"

urlpatterns = [
    path("", views.home, name="home"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("robots.txt", views.robots, name="robots"),
    path("health/", views.health, name="health"),
    path("players/", views.players, name="players"),
    path("players/me/", views.me, name="me"),
    path("players/<int:player_id>/", views.player, name="player"),
    path("help/", views.help_index, name="help"),
    path("help/scoring/", views.help_scoring, name="help_scoring"),
    path("help/robots/", views.help_robots, name="help_robots"),
]
