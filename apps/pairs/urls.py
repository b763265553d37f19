from django.urls import path

from apps.pairs.views import direction, events, imports, live, setup

app_name = "pairs"

urlpatterns = [
    path("", events.events, name="events"),
    path("import/", imports.import_file, name="import"),
    path("new/", setup.new, name="new"),
    path("series/", setup.series, name="series"),
    path("series/<int:series_id>/stop/", setup.stop, name="stop_series"),
    path("verify.py", live.verify_file, name="verify_file"),
    path("<int:event_id>/", live.event, name="event"),
    path("<int:event_id>/live/", live.live, name="live"),
    path("<int:event_id>/screen/", live.screen, name="screen"),
    path("<int:event_id>/names/", live.names, name="names"),
    path("<int:event_id>/do/<slug:name>/", live.act, name="act"),
    path("<int:event_id>/slips/<int:board>/", live.slip, name="slip"),
    path("<int:event_id>/rounds/", live.rounds, name="rounds"),
    path("<int:event_id>/rounds/<int:number>/", live.round_page, name="round"),
    path("<int:event_id>/deals/", live.deals, name="deals"),
    path("<int:event_id>/deals.json", live.deals_file, name="deals_file"),
    path("<int:event_id>/pairs/", events.scorecards, name="scorecards"),
    path("<int:event_id>/pairs/<int:order>/", events.scorecard, name="scorecard"),
    path("<int:event_id>/boards/", events.boards, name="boards"),
    path("<int:event_id>/boards/<int:session>/<int:number>/", events.board, name="board"),
    path("<int:event_id>/cross-table/", events.cross_table, name="cross_table"),
    path("<int:event_id>/travellers/", events.travellers, name="travellers"),
    path("<int:event_id>/travellers/all/", events.all_travellers, name="all_travellers"),
    path("<int:event_id>/about/", events.about, name="about"),
    path("<int:event_id>/standings.csv", events.standings_file, name="standings_file"),
    path(
        "<int:event_id>/travellers.csv", events.event_file, {"form": "travellers.csv"}, name="travellers_file"
    ),
    path("<int:event_id>/event.json", events.event_file, {"form": "event.json"}, name="event_json"),
    path("<int:event_id>/event.pbn", events.event_file, {"form": "event.pbn"}, name="event_pbn"),
    path(
        "<int:event_id>/boards/<int:session>/<int:number>/board.pbn",
        events.board_file,
        {"form": "pbn"},
        name="board_pbn",
    ),
    path(
        "<int:event_id>/boards/<int:session>/<int:number>/board.lin",
        events.board_file,
        {"form": "lin"},
        name="board_lin",
    ),
    path("<int:event_id>/preview/", imports.preview, name="preview"),
    path("<int:event_id>/publish/", imports.publish, name="publish"),
    path("<int:event_id>/discard/", imports.discard, name="discard"),
    path("<int:event_id>/setup/", setup.setup, name="setup"),
    path("<int:event_id>/setup/change/", setup.change, name="change_setup"),
    path("<int:event_id>/setup/announce/", setup.announce, name="announce"),
    path("<int:event_id>/setup/discard/", setup.discard_draft, name="discard_setup"),
    path("<int:event_id>/event.ics", setup.event_ics_file, name="event_ics"),
    path("<int:event_id>/direct/", direction.direct, name="direct"),
    path("<int:event_id>/direct/status/", direction.status, name="direct_status"),
    path("<int:event_id>/direct/log/", direction.log, name="direct_log"),
    path("<int:event_id>/direct/pairs/", direction.pairs, name="direct_pairs"),
    path("<int:event_id>/direct/pairs/<slug:name>/", direction.pair_command, name="direct_pair"),
    path(
        "<int:event_id>/direct/boards/<int:number>/<int:table>/<int:board>/",
        direction.decide,
        name="decide",
    ),
    path("<int:event_id>/direct/<slug:name>/", direction.command, name="direct_command"),
]
