import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0001_accounts_and_players"),
    ]

    operations = [
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        help_text="What is told, such as “result corrected 7”: nobody is told it twice.",
                        max_length=100,
                    ),
                ),
                (
                    "message",
                    models.CharField(help_text="An English sentence with named places.", max_length=300),
                ),
                ("params", models.JSONField(default=dict, help_text="What fills the places.")),
                ("url", models.CharField(help_text="The page that it is about.", max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "notice",
                "verbose_name_plural": "notices",
                "ordering": ["-pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "key"), name="notice_is_given_once"),
                ],
                "indexes": [
                    models.Index(fields=["user", "-id"], name="notice_newest_first"),
                    models.Index(
                        condition=models.Q(("read_at", None)), fields=["user"], name="notice_unread"
                    ),
                ],
            },
        ),
    ]
