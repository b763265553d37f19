from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """Where an event is played. With defaults in the database, for the release before goes on setting up events."""

    dependencies = [
        ("pairs", "0004_finishers_for_master_points"),
    ]

    operations = [
        migrations.AddField(
            model_name="swiss",
            name="play",
            field=models.CharField(
                choices=[
                    ("entered", "at real tables; results are entered here"),
                    ("tables", "here, at tables of this site"),
                ],
                default="entered",
                db_default="entered",
                max_length=7,
                verbose_name="where it is played",
            ),
        ),
        migrations.AddField(
            model_name="swiss",
            name="undo",
            field=models.CharField(
                choices=[("players", "the opponents"), ("director", "the director"), ("nobody", "nobody")],
                default="players",
                db_default="players",
                max_length=8,
                verbose_name="who lets a call be taken back",
            ),
        ),
        migrations.AddField(
            model_name="swiss",
            name="stop",
            field=models.BooleanField(
                default=False, db_default=False, verbose_name="a pause after a jump bid"
            ),
        ),
        migrations.AddField(
            model_name="swiss",
            name="turn_seconds",
            field=models.PositiveSmallIntegerField(
                blank=True,
                null=True,
                help_text="Empty: no limit.",
                verbose_name="seconds for a call or card",
            ),
        ),
        migrations.AlterField(
            model_name="swiss",
            name="cut",
            field=models.CharField(
                choices=[
                    ("minus", "0 IMPs, or 40 % of the matchpoints, to both"),
                    ("average", "0 IMPs, or 50 % of the matchpoints, to both"),
                    ("nothing", "nothing to either"),
                    ("clock", "average minus to the side that was clearly slower, by the clock of the table"),
                ],
                default="minus",
                max_length=8,
                verbose_name="boards that are not finished",
            ),
        ),
        migrations.AddField(
            model_name="seat",
            name="seconds",
            field=models.PositiveIntegerField(
                blank=True,
                null=True,
                help_text="For how long the table had waited for this pair at the bell.",
            ),
        ),
        migrations.AddConstraint(
            model_name="swiss",
            constraint=models.CheckConstraint(
                condition=Q(play__in=["entered", "tables"]), name="swiss_is_played_somewhere"
            ),
        ),
        migrations.AddConstraint(
            model_name="swiss",
            constraint=models.CheckConstraint(
                condition=~Q(cut="clock") | Q(play="tables"), name="swiss_cut_by_the_clock_has_tables"
            ),
        ),
        migrations.AddConstraint(
            model_name="swiss",
            constraint=models.CheckConstraint(
                condition=Q(undo__in=["players", "director", "nobody"]),
                name="swiss_undo_is_decided_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="swiss",
            constraint=models.CheckConstraint(
                condition=Q(turn_seconds=None) | Q(turn_seconds__gte=15), name="swiss_turn_has_time"
            ),
        ),
    ]
