from django.db import migrations, models

from apps.clock.time import Moment


class Migration(migrations.Migration):
    """Whatever is put in order with other moments has its own from the database, as those have."""

    dependencies = [
        ("results", "0004_columns_in_the_administration"),
    ]

    operations = [
        migrations.AlterField(
            model_name="comparison",
            name="compared_at",
            field=models.DateTimeField(default=Moment, editable=False),
        ),
        migrations.AlterField(
            model_name="penalty",
            name="given_at",
            field=models.DateTimeField("time of the penalty", default=Moment, editable=False),
        ),
        migrations.AlterField(
            model_name="result",
            name="recorded_at",
            field=models.DateTimeField("recorded", default=Moment, editable=False),
        ),
        migrations.AlterField(
            model_name="resultchange",
            name="at",
            field=models.DateTimeField("when", default=Moment, editable=False),
        ),
    ]
