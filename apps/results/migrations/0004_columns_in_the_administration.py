import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("results", "0003_names_in_the_administration"),
    ]

    operations = [
        migrations.AlterField(
            model_name="contestant",
            name="players",
            field=models.ManyToManyField(
                related_name="contestants",
                through="results.Member",
                to="users.player",
                verbose_name="players",
            ),
        ),
        migrations.AlterField(
            model_name="field",
            name="by_session",
            field=models.BooleanField(
                default=False,
                help_text="The boards of each session are compared for themselves: rounds of an event.",
                verbose_name="each session by itself",
            ),
        ),
        migrations.AlterField(
            model_name="field",
            name="datum_rule",
            field=models.CharField(
                default="fixed1+share1/10,least5,keep3;half-even",
                help_text="How the datum is trimmed and rounded; only IMPs against the datum use it.",
                max_length=60,
                verbose_name="rule of the datum",
            ),
        ),
        migrations.AlterField(
            model_name="field",
            name="expected",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Results each board was to have; empty means as many as the fullest board has.",
                null=True,
                verbose_name="results expected",
            ),
        ),
        migrations.AlterField(
            model_name="field",
            name="neuberg",
            field=models.BooleanField(
                default=True,
                help_text="Boards with fewer results count as much as the others.",
                verbose_name="Neuberg's formula",
            ),
        ),
        migrations.AlterField(
            model_name="field",
            name="version",
            field=models.PositiveBigIntegerField(
                default=0,
                help_text="Moves whenever a comparison in the field changes.",
                verbose_name="version",
            ),
        ),
        migrations.AlterField(
            model_name="fieldboard",
            name="board",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="field_boards",
                to="boards.board",
                verbose_name="board",
            ),
        ),
        migrations.AlterField(
            model_name="fieldboard",
            name="compared_version",
            field=models.PositiveBigIntegerField(default=0, verbose_name="version compared"),
        ),
        migrations.AlterField(
            model_name="fieldboard",
            name="field",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="field_boards",
                to="results.field",
                verbose_name="field",
            ),
        ),
        migrations.AlterField(
            model_name="fieldboard",
            name="results_version",
            field=models.PositiveBigIntegerField(default=0, verbose_name="version of the results"),
        ),
        migrations.AlterField(
            model_name="fieldboard",
            name="session",
            field=models.PositiveSmallIntegerField(default=1, verbose_name="session"),
        ),
        migrations.AlterField(
            model_name="member",
            name="contestant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="members",
                to="results.contestant",
                verbose_name="contestant",
            ),
        ),
        migrations.AlterField(
            model_name="member",
            name="player",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="memberships",
                to="users.player",
                verbose_name="player",
            ),
        ),
        migrations.AlterField(
            model_name="member",
            name="position",
            field=models.PositiveSmallIntegerField(verbose_name="place in the pair"),
        ),
        migrations.AlterField(
            model_name="penalty",
            name="contestant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="penalties",
                to="results.contestant",
                verbose_name="contestant",
            ),
        ),
        migrations.AlterField(
            model_name="penalty",
            name="given_at",
            field=models.DateTimeField(auto_now_add=True, verbose_name="time of the penalty"),
        ),
        migrations.AlterField(
            model_name="penalty",
            name="given_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                to=settings.AUTH_USER_MODEL,
                verbose_name="given by",
            ),
        ),
        migrations.AlterField(
            model_name="penalty",
            name="points",
            field=models.DecimalField(
                decimal_places=2,
                help_text="Matchpoints or IMPs that are subtracted from the total.",
                max_digits=7,
                verbose_name="points",
            ),
        ),
        migrations.AlterField(
            model_name="penalty",
            name="reason",
            field=models.CharField(max_length=300, verbose_name="reason"),
        ),
        migrations.AlterField(
            model_name="penalty",
            name="session",
            field=models.PositiveSmallIntegerField(default=1, verbose_name="session"),
        ),
        migrations.AlterField(
            model_name="resultchange",
            name="after",
            field=models.JSONField(verbose_name="after"),
        ),
        migrations.AlterField(
            model_name="resultchange",
            name="at",
            field=models.DateTimeField(auto_now_add=True, verbose_name="when"),
        ),
        migrations.AlterField(
            model_name="resultchange",
            name="before",
            field=models.JSONField(verbose_name="before"),
        ),
        migrations.AlterField(
            model_name="resultchange",
            name="by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                to=settings.AUTH_USER_MODEL,
                verbose_name="changed by",
            ),
        ),
        migrations.AlterField(
            model_name="resultchange",
            name="reason",
            field=models.CharField(max_length=300, verbose_name="reason"),
        ),
        migrations.AlterField(
            model_name="resultchange",
            name="result",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="changes",
                to="results.result",
                verbose_name="result",
            ),
        ),
    ]
