from django.urls import path

from apps.pairs import import_views, views

app_name = "pairs"

urlpatterns = [
    path("", views.events, name="events"),
    path("import/", import_views.import_file, name="import"),
    path("<int:event_id>/", views.event, name="event"),
    path("<int:event_id>/pairs/", views.scorecards, name="scorecards"),
    path("<int:event_id>/pairs/<int:order>/", views.scorecard, name="scorecard"),
    path("<int:event_id>/boards/", views.boards, name="boards"),
    path("<int:event_id>/boards/<int:session>/<int:number>/", views.board, name="board"),
    path("<int:event_id>/travellers/", views.travellers, name="travellers"),
    path("<int:event_id>/about/", views.about, name="about"),
    path("<int:event_id>/preview/", import_views.preview, name="preview"),
    path("<int:event_id>/publish/", import_views.publish, name="publish"),
    path("<int:event_id>/discard/", import_views.discard, name="discard"),
]
