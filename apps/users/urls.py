from django.urls import path

from apps.users import views

app_name = "users"

urlpatterns = [
    path("accounts/signup/", views.signup, name="signup"),
    path("accounts/preferences/", views.preferences, name="preferences"),
    path("notices/", views.notices, name="notices"),
    path("notices/read/", views.read_notices, name="read_notices"),
    path("notices/mail/stop/<str:token>/", views.stop_mail, name="stop_mail"),
    path("notices/<int:notice_id>/", views.notice, name="notice"),
]
