from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """With a default in the database: the release before, which does not know the column, goes on setting up events."""

    dependencies = [
        ("pairs", "0003_rounds_written_quickly"),
    ]

    operations = [
        migrations.AddField(
            model_name="swiss",
            name="min_finishers",
            field=models.PositiveSmallIntegerField(
                default=1, db_default=1, verbose_name="master points from so many finishers on"
            ),
        ),
        migrations.AddConstraint(
            model_name="swiss",
            constraint=models.CheckConstraint(condition=Q(min_finishers__gte=1), name="swiss_has_a_finisher"),
        ),
    ]
