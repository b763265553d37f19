from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0002_columns_in_the_administration"),
    ]

    operations = [
        migrations.AlterField(
            model_name="table",
            name="why",
            field=models.CharField(
                blank=True,
                choices=[
                    ("finished", "all boards were played"),
                    ("cut", "the time was up"),
                    ("empty", "the players have left"),
                    ("left", "a pair does not play on"),
                    ("void", "called off"),
                ],
                help_text="Why it is over.",
                max_length=8,
                verbose_name="how it ended",
            ),
        ),
        migrations.RemoveConstraint(
            model_name="table",
            name="table_over_says_why",
        ),
        migrations.AddConstraint(
            model_name="table",
            constraint=models.CheckConstraint(
                condition=Q(state__in=["waiting", "playing"], why="", closed_at=None)
                | Q(
                    state="over",
                    why__in=["finished", "cut", "empty", "left", "void"],
                    closed_at__isnull=False,
                ),
                name="table_over_says_why",
            ),
        ),
    ]
