from django.urls import path

from apps.pairs import direction_views, import_views, live_views, setup_views, views

app_name = "pairs"

urlpatterns = [
    path("", views.events, name="events"),
    path("import/", import_views.import_file, name="import"),
    path("new/", setup_views.new, name="new"),
    path("series/", setup_views.series, name="series"),
    path("series/<int:series_id>/stop/", setup_views.stop, name="stop_series"),
    path("verify.py", live_views.verify_file, name="verify_file"),
    path("<int:event_id>/", live_views.event, name="event"),
    path("<int:event_id>/live/", live_views.live, name="live"),
    path("<int:event_id>/screen/", live_views.screen, name="screen"),
    path("<int:event_id>/names/", live_views.names, name="names"),
    path("<int:event_id>/do/<slug:name>/", live_views.act, name="act"),
    path("<int:event_id>/slips/<int:board>/", live_views.slip, name="slip"),
    path("<int:event_id>/rounds/", live_views.rounds, name="rounds"),
    path("<int:event_id>/rounds/<int:number>/", live_views.round_page, name="round"),
    path("<int:event_id>/deals/", live_views.deals, name="deals"),
    path("<int:event_id>/deals.json", live_views.deals_file, name="deals_file"),
    path("<int:event_id>/pairs/", views.scorecards, name="scorecards"),
    path("<int:event_id>/pairs/<int:order>/", views.scorecard, name="scorecard"),
    path("<int:event_id>/boards/", views.boards, name="boards"),
    path("<int:event_id>/boards/<int:session>/<int:number>/", views.board, name="board"),
    path("<int:event_id>/cross-table/", views.cross_table, name="cross_table"),
    path("<int:event_id>/travellers/", views.travellers, name="travellers"),
    path("<int:event_id>/travellers/all/", views.all_travellers, name="all_travellers"),
    path("<int:event_id>/about/", views.about, name="about"),
    path("<int:event_id>/standings.csv", views.standings_file, name="standings_file"),
    path(
        "<int:event_id>/travellers.csv", views.event_file, {"form": "travellers.csv"}, name="travellers_file"
    ),
    path("<int:event_id>/event.json", views.event_file, {"form": "event.json"}, name="event_json"),
    path("<int:event_id>/event.pbn", views.event_file, {"form": "event.pbn"}, name="event_pbn"),
    path(
        "<int:event_id>/boards/<int:session>/<int:number>/board.pbn",
        views.board_file,
        {"form": "pbn"},
        name="board_pbn",
    ),
    path(
        "<int:event_id>/boards/<int:session>/<int:number>/board.lin",
        views.board_file,
        {"form": "lin"},
        name="board_lin",
    ),
    path("<int:event_id>/preview/", import_views.preview, name="preview"),
    path("<int:event_id>/publish/", import_views.publish, name="publish"),
    path("<int:event_id>/discard/", import_views.discard, name="discard"),
    path("<int:event_id>/setup/", setup_views.setup, name="setup"),
    path("<int:event_id>/setup/change/", setup_views.change, name="change_setup"),
    path("<int:event_id>/setup/announce/", setup_views.announce, name="announce"),
    path("<int:event_id>/setup/discard/", setup_views.discard_draft, name="discard_setup"),
    path("<int:event_id>/event.ics", setup_views.event_ics_file, name="event_ics"),
    path("<int:event_id>/direct/", direction_views.direct, name="direct"),
    path("<int:event_id>/direct/status/", direction_views.status, name="direct_status"),
    path("<int:event_id>/direct/log/", direction_views.log, name="direct_log"),
    path("<int:event_id>/direct/pairs/", direction_views.pairs, name="direct_pairs"),
    path("<int:event_id>/direct/pairs/<slug:name>/", direction_views.pair_command, name="direct_pair"),
    path(
        "<int:event_id>/direct/boards/<int:number>/<int:table>/<int:board>/",
        direction_views.decide,
        name="decide",
    ),
    path("<int:event_id>/direct/<slug:name>/", direction_views.command, name="direct_command"),
]
