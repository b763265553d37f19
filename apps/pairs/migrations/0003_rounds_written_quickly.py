from django.db import migrations, models


class Migration(migrations.Migration):
    """Standings are rewritten in place every round; what a unique constraint finds already has no index beside it."""

    dependencies = [
        ("pairs", "0002_swiss_events"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="standing", name="standing_in_order"),
        migrations.RunSQL(
            "ALTER TABLE pairs_standing SET (fillfactor = 45)",
            "ALTER TABLE pairs_standing RESET (fillfactor)",
        ),
        migrations.AlterField(
            model_name="seat",
            name="round",
            field=models.ForeignKey(
                db_index=False,
                on_delete=models.deletion.CASCADE,
                related_name="seats",
                to="pairs.round",
            ),
        ),
        migrations.AlterField(
            model_name="roundscore",
            name="round",
            field=models.ForeignKey(
                db_index=False,
                on_delete=models.deletion.CASCADE,
                related_name="scores",
                to="pairs.round",
            ),
        ),
    ]
