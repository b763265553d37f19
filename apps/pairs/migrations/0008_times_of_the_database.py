from django.db import migrations, models

from apps.clock.time import Moment


class Migration(migrations.Migration):
    """Whatever is put in order with other moments has its own from the database, as those have."""

    dependencies = [
        ("pairs", "0007_columns_in_the_administration"),
    ]

    operations = [
        migrations.AlterField(
            model_name="event",
            name="created_at",
            field=models.DateTimeField("created", default=Moment, editable=False),
        ),
    ]
