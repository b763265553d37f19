import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

from apps.clock.append_only import append_only

# The entry by which each player first reached each title, from the ledger as it stands.
TITLES_SO_FAR = """
    INSERT INTO masterpoints_titlewon (player_id, level, award_id, won_at)
    SELECT DISTINCT ON (so_far.player_id, title.level) so_far.player_id, title.level, so_far.id, so_far.awarded_at
    FROM (SELECT id, player_id, awarded_at, sum(points) OVER (PARTITION BY player_id ORDER BY id) AS points
          FROM masterpoints_award) AS so_far
    JOIN (VALUES (1, 1), (2, 5), (3, 15), (4, 30), (5, 60), (6, 100), (7, 200), (8, 350), (9, 600), (10, 1000),
                 (11, 2000)) AS title (level, points) ON title.points <= so_far.points
    ORDER BY so_far.player_id, title.level, so_far.id"""


class Migration(migrations.Migration):
    dependencies = [
        ("clock", "0001_due_work_outbox_audit"),
        ("masterpoints", "0002_totals"),
        ("users", "0002_notices"),
    ]

    operations = [
        migrations.AlterField(
            model_name="award",
            name="awarded_at",
            field=models.DateTimeField(),
        ),
        migrations.CreateModel(
            name="TitleWon",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "level",
                    models.PositiveSmallIntegerField(help_text="Its place among the titles, from 1."),
                ),
                ("won_at", models.DateTimeField()),
                (
                    "award",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="titles_won",
                        to="masterpoints.award",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="titles_won",
                        to="users.player",
                    ),
                ),
            ],
            options={
                "verbose_name": "title won",
                "verbose_name_plural": "titles won",
                "constraints": [
                    models.UniqueConstraint(fields=("player", "level"), name="title_is_won_once"),
                    models.CheckConstraint(condition=Q(level__gte=1), name="title_is_one"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Ranking",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(choices=[("month", "month"), ("year", "year")], max_length=5),
                ),
                ("starts_on", models.DateField()),
                ("version", models.PositiveSmallIntegerField()),
                (
                    "digest",
                    models.CharField(
                        help_text="Tells whether the ledger still says the same.", max_length=32
                    ),
                ),
                ("published_at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "published ranking",
                "verbose_name_plural": "published rankings",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("kind", "starts_on", "version"), name="ranking_version_once"
                    ),
                    models.CheckConstraint(
                        condition=Q(starts_on__day=1) & (Q(kind="month") | Q(starts_on__month=1)),
                        name="ranking_starts_with_its_period",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RankingRow",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rank", models.PositiveIntegerField()),
                ("tied", models.BooleanField()),
                ("points", models.DecimalField(decimal_places=2, max_digits=9)),
                (
                    "ranking",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rows",
                        to="masterpoints.ranking",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="users.player"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("ranking", "player"), name="ranking_has_a_player_once"),
                    models.CheckConstraint(
                        condition=Q(rank__gte=1, points__gt=0), name="ranking_row_has_points"
                    ),
                ],
                "indexes": [models.Index(fields=["ranking", "rank", "player"], name="ranking_in_order")],
            },
        ),
        migrations.RunSQL(TITLES_SO_FAR, migrations.RunSQL.noop),
        append_only("masterpoints_award"),
        append_only("masterpoints_titlewon"),
        append_only("masterpoints_rankingrow"),
    ]
