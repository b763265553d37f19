from django.urls import path

from apps.tables import views

app_name = "tables"

urlpatterns = [
    path("", views.lobby, name="lobby"),
    path("open/", views.open_table, name="open"),
    path("play/", views.play, name="play"),
    path("system/", views.system, name="system"),
    path("direct/", views.calls, name="calls"),
    path("settings/", views.settings_of_player, name="settings"),
    path("<uuid:table>/", views.table, name="table"),
    path("<uuid:table>/do", views.do, name="do"),
    path("<uuid:table>/view", views.view, name="view"),
    path("<uuid:table>/sit/", views.sit, name="sit"),
    path("<uuid:table>/leave/", views.leave, name="leave"),
    path("<uuid:table>/robots/", views.robots, name="robots"),
    path("<uuid:table>/direct/", views.direct, name="direct"),
    path("<uuid:table>/deals/", views.deals, name="deals"),
    path("<uuid:table>/deals.json", views.deals_file, name="deals_file"),
    path("<uuid:table>/boards/<int:position>/", views.board, name="board"),
    path("<uuid:table>/boards/<int:position>/analysis/", views.analysis, name="analysis"),
    path("<uuid:table>/boards/<int:position>/again/", views.play_again, name="again"),
    path("<uuid:table>/boards/<int:position>/ask/", views.ask, name="ask"),
    path("<uuid:table>/boards/<int:position>/answer/", views.answer, name="answer"),
]
