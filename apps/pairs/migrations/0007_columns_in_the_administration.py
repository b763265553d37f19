import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pairs", "0006_names_in_the_administration"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="deskseat",
            options={
                "ordering": ["table", "seat"],
                "verbose_name": "seat at the desk",
                "verbose_name_plural": "seats at the desk",
            },
        ),
        migrations.AlterModelOptions(
            name="entrant",
            options={"verbose_name": "player of an entry", "verbose_name_plural": "players of entries"},
        ),
        migrations.AlterModelOptions(
            name="invitation",
            options={"verbose_name": "invitation", "verbose_name_plural": "invitations"},
        ),
        migrations.AlterModelOptions(
            name="round",
            options={"ordering": ["number"], "verbose_name": "round", "verbose_name_plural": "rounds"},
        ),
        migrations.AlterModelOptions(
            name="roundscore",
            options={"verbose_name": "score of a round", "verbose_name_plural": "scores of rounds"},
        ),
        migrations.AlterModelOptions(
            name="seat",
            options={"ordering": ["table", "-side"], "verbose_name": "seat", "verbose_name_plural": "seats"},
        ),
        migrations.AlterModelOptions(
            name="slip",
            options={"verbose_name": "score slip", "verbose_name_plural": "score slips"},
        ),
        migrations.AlterModelOptions(
            name="slipentry",
            options={
                "ordering": ["pk"],
                "verbose_name": "entry on a score slip",
                "verbose_name_plural": "entries on score slips",
            },
        ),
        migrations.AlterField(
            model_name="event",
            name="created_at",
            field=models.DateTimeField(auto_now_add=True, verbose_name="created"),
        ),
        migrations.AlterField(
            model_name="event",
            name="created_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="created by",
            ),
        ),
        migrations.AlterField(
            model_name="event",
            name="field",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="event",
                to="results.field",
                verbose_name="field",
            ),
        ),
        migrations.AlterField(
            model_name="event",
            name="published_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="time of publication"),
        ),
        migrations.AlterField(
            model_name="event",
            name="published_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="published by",
            ),
        ),
        migrations.AlterField(
            model_name="event",
            name="ranked_version",
            field=models.PositiveBigIntegerField(
                default=0,
                help_text="The version of the field that the standings were made from.",
                verbose_name="ranked version",
            ),
        ),
        migrations.AlterField(
            model_name="event",
            name="source",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="For an imported event: file, program, rule found, differences.",
                verbose_name="source",
            ),
        ),
        migrations.AlterField(
            model_name="event",
            name="source_key",
            field=models.CharField(
                blank=True,
                help_text="What tells that a file was imported already.",
                max_length=200,
                null=True,
                unique=True,
                verbose_name="key of the source",
            ),
        ),
        migrations.AlterField(
            model_name="session",
            name="board_set",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="sessions",
                to="boards.boardset",
                verbose_name="board set",
            ),
        ),
        migrations.AlterField(
            model_name="session",
            name="event",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sessions",
                to="pairs.event",
                verbose_name="event",
            ),
        ),
        migrations.AlterField(
            model_name="session",
            name="number",
            field=models.PositiveSmallIntegerField(verbose_name="number"),
        ),
        migrations.AlterField(
            model_name="session",
            name="played_on",
            field=models.DateField(blank=True, null=True, verbose_name="date"),
        ),
        migrations.AlterField(
            model_name="session",
            name="title",
            field=models.CharField(blank=True, max_length=200, verbose_name="title"),
        ),
        migrations.AlterField(
            model_name="standing",
            name="boards",
            field=models.PositiveSmallIntegerField(verbose_name="boards"),
        ),
        migrations.AlterField(
            model_name="standing",
            name="contestant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="standings",
                to="results.contestant",
                verbose_name="contestant",
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="event",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="standings",
                to="pairs.event",
                verbose_name="event",
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="masterpoints",
            field=models.DecimalField(
                decimal_places=2,
                default=0,
                help_text="What each player of the pair gets for this place.",
                max_digits=7,
                verbose_name="master points",
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="penalty",
            field=models.DecimalField(decimal_places=2, default=0, max_digits=7, verbose_name="penalty"),
        ),
        migrations.AlterField(
            model_name="standing",
            name="position",
            field=models.PositiveIntegerField(
                help_text="Order on the page, ranked pairs first.", verbose_name="place on the page"
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="rank",
            field=models.PositiveIntegerField(
                blank=True, help_text="Empty when the pair is not ranked.", null=True, verbose_name="rank"
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="score_denominator",
            field=models.PositiveBigIntegerField(verbose_name="score, denominator"),
        ),
        migrations.AlterField(
            model_name="standing",
            name="score_numerator",
            field=models.BigIntegerField(
                help_text="The figure that ranks: a percentage, or IMPs.", verbose_name="score, numerator"
            ),
        ),
        migrations.AlterField(
            model_name="standing",
            name="session",
            field=models.PositiveSmallIntegerField(default=0, verbose_name="session"),
        ),
        migrations.AlterField(
            model_name="standing",
            name="tied",
            field=models.BooleanField(default=False, verbose_name="tied"),
        ),
        migrations.AlterField(
            model_name="standing",
            name="total_denominator",
            field=models.PositiveBigIntegerField(verbose_name="total, denominator"),
        ),
        migrations.AlterField(
            model_name="standing",
            name="total_numerator",
            field=models.BigIntegerField(
                help_text="Matchpoints or IMPs, penalties taken off.", verbose_name="total, numerator"
            ),
        ),
    ]
