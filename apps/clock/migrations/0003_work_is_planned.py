from django.db import migrations, models


class Migration(migrations.Migration):
    """Work that the clock has still to do is called planned, as the service is that plans it."""

    dependencies = [("clock", "0002_columns_in_the_administration")]

    operations = [
        migrations.RemoveIndex(model_name="duework", name="due_work_todo"),
        migrations.AlterField(
            model_name="duework",
            name="state",
            field=models.CharField(
                choices=[
                    ("planned", "planned"),
                    ("done", "done"),
                    ("dropped", "dropped"),
                    ("stuck", "stuck"),
                ],
                default="planned",
                max_length=7,
                verbose_name="state",
            ),
        ),
        migrations.RunSQL(
            "UPDATE clock_duework SET state = 'planned' WHERE state = 'todo'",
            "UPDATE clock_duework SET state = 'todo' WHERE state = 'planned'",
        ),
        migrations.AddIndex(
            model_name="duework",
            index=models.Index(
                condition=models.Q(("state", "planned")), fields=["due_at", "id"], name="due_work_planned"
            ),
        ),
    ]
