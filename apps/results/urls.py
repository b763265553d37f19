from django.urls import path

from apps.results import views

app_name = "results"

urlpatterns = [
    path("<int:result_id>/", views.correct, name="correct"),
]
