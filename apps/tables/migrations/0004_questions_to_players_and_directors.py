from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0003_tables_that_a_pair_left"),
    ]

    operations = [
        migrations.AddField(
            model_name="table",
            name="prompted_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When the others last asked whoever is on turn to act.",
                null=True,
                verbose_name="asked",
            ),
        ),
        migrations.AddField(
            model_name="table",
            name="prompted_by",
            field=models.CharField(
                blank=True,
                choices=[("N", "North"), ("E", "East"), ("S", "South"), ("W", "West")],
                help_text="The seat that asked.",
                max_length=1,
                verbose_name="asked by",
            ),
        ),
        migrations.AddField(
            model_name="directorcall",
            name="afterwards",
            field=models.BooleanField(
                default=False,
                help_text="Asked about a board when the table was closed.",
                verbose_name="afterwards",
            ),
        ),
        migrations.AddField(
            model_name="directorcall",
            name="verdict",
            field=models.CharField(
                blank=True,
                choices=[("stands", "the result stands"), ("corrected", "the result was corrected")],
                max_length=9,
                verbose_name="decision",
            ),
        ),
        migrations.AddField(
            model_name="directorcall",
            name="answer",
            field=models.CharField(
                blank=True,
                help_text="Why it was decided so, for both sides.",
                max_length=300,
                verbose_name="reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="directorcall",
            constraint=models.CheckConstraint(
                condition=Q(afterwards=False, verdict="", answer="")
                | Q(afterwards=True, table_board__isnull=False)
                & ~Q(seat="")
                & ~Q(text="")
                & (
                    Q(settled_at=None, verdict="", answer="")
                    | Q(settled_at__isnull=False, verdict="corrected")
                    | Q(settled_at__isnull=False, verdict="stands") & ~Q(answer="")
                ),
                name="director_call_afterwards_is_answered",
            ),
        ),
    ]
