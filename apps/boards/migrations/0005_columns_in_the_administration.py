import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("boards", "0004_names_in_the_administration"),
    ]

    operations = [
        migrations.AlterField(
            model_name="board",
            name="board_set",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="boards",
                to="boards.boardset",
                verbose_name="board set",
            ),
        ),
        migrations.AlterField(
            model_name="board",
            name="deal",
            field=models.CharField(
                blank=True,
                help_text="The cards in PBN form, North first; empty when nobody recorded them.",
                max_length=80,
                verbose_name="cards",
            ),
        ),
        migrations.AlterField(
            model_name="board",
            name="dealer",
            field=models.CharField(
                choices=[("N", "North"), ("E", "East"), ("S", "South"), ("W", "West")],
                max_length=1,
                verbose_name="dealer",
            ),
        ),
        migrations.AlterField(
            model_name="board",
            name="number",
            field=models.PositiveSmallIntegerField(verbose_name="number"),
        ),
        migrations.AlterField(
            model_name="board",
            name="par_contracts",
            field=models.CharField(blank=True, max_length=200, verbose_name="par contracts"),
        ),
        migrations.AlterField(
            model_name="board",
            name="par_score",
            field=models.SmallIntegerField(
                blank=True, help_text="North–South's score at par.", null=True, verbose_name="par score"
            ),
        ),
        migrations.AlterField(
            model_name="board",
            name="vulnerable",
            field=models.CharField(
                choices=[
                    ("None", "none vulnerable"),
                    ("NS", "North–South vulnerable"),
                    ("EW", "East–West vulnerable"),
                    ("Both", "both vulnerable"),
                ],
                max_length=4,
                verbose_name="vulnerability",
            ),
        ),
        migrations.AlterField(
            model_name="boardset",
            name="created_at",
            field=models.DateTimeField(auto_now_add=True, verbose_name="created"),
        ),
        migrations.AlterField(
            model_name="boardset",
            name="name",
            field=models.CharField(max_length=200, verbose_name="name of the set"),
        ),
        migrations.AlterField(
            model_name="boardset",
            name="round_number",
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="round"),
        ),
        migrations.AlterField(
            model_name="boardset",
            name="seal",
            field=models.ForeignKey(
                blank=True,
                help_text="Where the cards come from when they were dealt here.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="board_sets",
                to="boards.seal",
                verbose_name="seal",
            ),
        ),
        migrations.AlterField(
            model_name="doubledummy",
            name="deal",
            field=models.CharField(max_length=80, unique=True, verbose_name="cards"),
        ),
        migrations.AlterField(
            model_name="doubledummy",
            name="solved_at",
            field=models.DateTimeField(auto_now_add=True, verbose_name="solved"),
        ),
        migrations.AlterField(
            model_name="doubledummy",
            name="tricks",
            field=models.CharField(
                help_text="Twenty hexadecimal digits: seats N S E W, in each the strains NT S H D C.",
                max_length=20,
                verbose_name="tricks",
            ),
        ),
        migrations.AlterField(
            model_name="seal",
            name="commitment",
            field=models.CharField(max_length=64, unique=True, verbose_name="commitment"),
        ),
        migrations.AlterField(
            model_name="seal",
            name="masked_seed",
            field=models.BinaryField(verbose_name="masked seed"),
        ),
        migrations.AlterField(
            model_name="seal",
            name="name",
            field=models.CharField(
                help_text="It goes into every deal.",
                max_length=100,
                unique=True,
                verbose_name="name of the seal",
            ),
        ),
        migrations.AlterField(
            model_name="seal",
            name="revealed_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="revealed"),
        ),
        migrations.AlterField(
            model_name="seal",
            name="sealed_at",
            field=models.DateTimeField(
                db_default=django.db.models.functions.datetime.Now(), verbose_name="sealed"
            ),
        ),
        migrations.AlterField(
            model_name="seal",
            name="seed",
            field=models.CharField(
                blank=True,
                help_text="Hexadecimal; empty until it is revealed.",
                max_length=64,
                verbose_name="seed",
            ),
        ),
    ]
