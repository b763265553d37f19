from django.db import migrations, models
from django.db.models import Q

ASKED = Q(afterwards=True, table_board__isnull=False) & ~Q(seat="") & ~Q(text="")
OPEN = Q(settled_at=None, verdict="", answer="")
CORRECTED = Q(settled_at__isnull=False, verdict="corrected")
UNANSWERED = Q(settled_at__isnull=False, verdict="no answer", answer="")
STANDS = Q(settled_at__isnull=False, verdict="stands") & ~Q(answer="")


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0005_round_and_number_of_a_table"),
    ]

    operations = [
        migrations.AlterField(
            model_name="directorcall",
            name="verdict",
            field=models.CharField(
                blank=True,
                choices=[
                    ("stands", "the result stands"),
                    ("corrected", "the result was corrected"),
                    ("no answer", "nobody answered in time, and the result is final"),
                ],
                max_length=9,
                verbose_name="decision",
            ),
        ),
        migrations.RemoveConstraint(model_name="directorcall", name="director_call_afterwards_is_answered"),
        migrations.AddConstraint(
            model_name="directorcall",
            constraint=models.CheckConstraint(
                condition=Q(afterwards=False, verdict="", answer="")
                | ASKED & (OPEN | CORRECTED | UNANSWERED | STANDS),
                name="director_call_afterwards_is_answered",
            ),
        ),
    ]
