import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("masterpoints", "0004_names_in_the_administration"),
    ]

    operations = [
        migrations.AlterField(
            model_name="award",
            name="awarded_at",
            field=models.DateTimeField(verbose_name="time of award"),
        ),
        migrations.AlterField(
            model_name="award",
            name="entry",
            field=models.PositiveSmallIntegerField(
                help_text="1 is the award, from 2 on corrections.", verbose_name="number of the entry"
            ),
        ),
        migrations.AlterField(
            model_name="award",
            name="event",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="awards",
                to="pairs.event",
                verbose_name="event",
            ),
        ),
        migrations.AlterField(
            model_name="award",
            name="player",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="awards",
                to="users.player",
                verbose_name="player",
            ),
        ),
        migrations.AlterField(
            model_name="award",
            name="points",
            field=models.DecimalField(decimal_places=2, max_digits=7, verbose_name="points"),
        ),
        migrations.AlterField(
            model_name="award",
            name="rank",
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name="rank"),
        ),
        migrations.AlterField(
            model_name="award",
            name="reason",
            field=models.CharField(blank=True, max_length=200, verbose_name="reason"),
        ),
        migrations.AlterField(
            model_name="ranking",
            name="by",
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
            model_name="ranking",
            name="digest",
            field=models.CharField(
                help_text="Tells whether the ledger still says the same.",
                max_length=32,
                verbose_name="digest",
            ),
        ),
        migrations.AlterField(
            model_name="ranking",
            name="kind",
            field=models.CharField(
                choices=[("month", "month"), ("year", "year")], max_length=5, verbose_name="kind"
            ),
        ),
        migrations.AlterField(
            model_name="ranking",
            name="published_at",
            field=models.DateTimeField(verbose_name="time of publication"),
        ),
        migrations.AlterField(
            model_name="ranking",
            name="starts_on",
            field=models.DateField(verbose_name="first day"),
        ),
        migrations.AlterField(
            model_name="ranking",
            name="version",
            field=models.PositiveSmallIntegerField(verbose_name="version"),
        ),
        migrations.AlterField(
            model_name="titlewon",
            name="award",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="titles_won",
                to="masterpoints.award",
                verbose_name="award",
            ),
        ),
        migrations.AlterField(
            model_name="titlewon",
            name="level",
            field=models.PositiveSmallIntegerField(
                help_text="Its place among the titles, from 1.", verbose_name="level of the title"
            ),
        ),
        migrations.AlterField(
            model_name="titlewon",
            name="player",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="titles_won",
                to="users.player",
                verbose_name="player",
            ),
        ),
        migrations.AlterField(
            model_name="titlewon",
            name="won_at",
            field=models.DateTimeField(verbose_name="reached"),
        ),
    ]
