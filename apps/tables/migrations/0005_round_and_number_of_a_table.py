from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0004_questions_to_players_and_directors"),
    ]

    operations = [
        migrations.AddField(
            model_name="table",
            name="round_number",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Of an event, which is the title then.",
                null=True,
                verbose_name="round",
            ),
        ),
        migrations.AddField(
            model_name="table",
            name="number",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Its number in the round.",
                null=True,
                verbose_name="table",
            ),
        ),
        migrations.AddConstraint(
            model_name="table",
            constraint=models.CheckConstraint(
                condition=Q(round_number=None, number=None)
                | Q(round_number__isnull=False, number__isnull=False),
                name="table_of_a_round_has_a_number",
            ),
        ),
    ]
