from django.urls import path

from apps.users import views

app_name = "users"

urlpatterns = [
    path("preferences/", views.preferences, name="preferences"),
]
