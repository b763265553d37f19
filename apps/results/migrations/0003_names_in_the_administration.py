import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("results", "0002_rounds_and_cut_boards"),
        ("users", "0006_names_in_the_administration"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="comparison",
            options={"verbose_name": "comparison", "verbose_name_plural": "comparisons"},
        ),
        migrations.AlterModelOptions(
            name="contestant",
            options={
                "ordering": ["order"],
                "verbose_name": "contestant",
                "verbose_name_plural": "contestants",
            },
        ),
        migrations.AlterModelOptions(
            name="field",
            options={"verbose_name": "field", "verbose_name_plural": "fields"},
        ),
        migrations.AlterModelOptions(
            name="fieldboard",
            options={
                "ordering": ["session", "board__number"],
                "verbose_name": "board of a field",
                "verbose_name_plural": "boards of fields",
            },
        ),
        migrations.AlterModelOptions(
            name="member",
            options={"ordering": ["position"], "verbose_name": "member", "verbose_name_plural": "members"},
        ),
        migrations.AlterModelOptions(
            name="penalty",
            options={"verbose_name": "penalty", "verbose_name_plural": "penalties"},
        ),
        migrations.AlterModelOptions(
            name="result",
            options={"verbose_name": "result", "verbose_name_plural": "results"},
        ),
        migrations.AlterModelOptions(
            name="resultchange",
            options={
                "ordering": ["at", "pk"],
                "verbose_name": "change of a result",
                "verbose_name_plural": "changes of results",
            },
        ),
        migrations.AlterField(
            model_name="contestant",
            name="direction",
            field=models.CharField(
                blank=True,
                choices=[("NS", "North–South"), ("EW", "East–West")],
                max_length=2,
                verbose_name="direction",
            ),
        ),
        migrations.AlterField(
            model_name="contestant",
            name="field",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="contestants",
                to="results.field",
                verbose_name="field",
            ),
        ),
        migrations.AlterField(
            model_name="contestant",
            name="label",
            field=models.CharField(
                help_text="The number as the event prints it, for instance 7 or A3 NS.",
                max_length=12,
                verbose_name="number",
            ),
        ),
        migrations.AlterField(
            model_name="contestant",
            name="order",
            field=models.PositiveIntegerField(help_text="Order of registration.", verbose_name="order"),
        ),
        migrations.AlterField(
            model_name="contestant",
            name="status",
            field=models.CharField(
                choices=[("active", "playing"), ("withdrawn", "withdrawn"), ("disqualified", "disqualified")],
                default="active",
                max_length=12,
                verbose_name="state",
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="declarer",
            field=models.CharField(blank=True, max_length=1, verbose_name="declarer"),
        ),
        migrations.AlterField(
            model_name="result",
            name="doubling",
            field=models.PositiveSmallIntegerField(default=0, verbose_name="doubling"),
        ),
        migrations.AlterField(
            model_name="result",
            name="east",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="users.player",
                verbose_name="East",
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="ew",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="results_ew",
                to="results.contestant",
                verbose_name="East–West",
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="field_board",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="results",
                to="results.fieldboard",
                verbose_name="board",
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="kind",
            field=models.CharField(
                choices=[
                    ("played", "played"),
                    ("ruled", "adjusted by the director"),
                    ("cut", "not finished in time"),
                    ("not played", "not played"),
                ],
                max_length=10,
                verbose_name="kind",
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="lead",
            field=models.CharField(blank=True, max_length=2, verbose_name="lead"),
        ),
        migrations.AlterField(
            model_name="result",
            name="level",
            field=models.PositiveSmallIntegerField(
                blank=True, help_text="0 is a board passed out.", null=True, verbose_name="level"
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="north",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="users.player",
                verbose_name="North",
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="ns",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="results_ns",
                to="results.contestant",
                verbose_name="North–South",
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="ns_score",
            field=models.SmallIntegerField(blank=True, null=True, verbose_name="score"),
        ),
        migrations.AlterField(
            model_name="result",
            name="recorded_at",
            field=models.DateTimeField(auto_now_add=True, verbose_name="recorded"),
        ),
        migrations.AlterField(
            model_name="result",
            name="round",
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="round"),
        ),
        migrations.AlterField(
            model_name="result",
            name="ruling",
            field=models.JSONField(
                blank=True, help_text="The director's award to each side.", null=True, verbose_name="award"
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="source",
            field=models.CharField(
                choices=[("played", "played here"), ("entered", "entered"), ("imported", "imported")],
                max_length=8,
                verbose_name="source",
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="south",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="users.player",
                verbose_name="South",
            ),
        ),
        migrations.AlterField(
            model_name="result",
            name="strain",
            field=models.CharField(blank=True, max_length=2, verbose_name="denomination"),
        ),
        migrations.AlterField(
            model_name="result",
            name="table",
            field=models.CharField(blank=True, max_length=8, verbose_name="table"),
        ),
        migrations.AlterField(
            model_name="result",
            name="tricks",
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="tricks"),
        ),
        migrations.AlterField(
            model_name="result",
            name="west",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="users.player",
                verbose_name="West",
            ),
        ),
    ]
