import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0001_tables"),
    ]

    operations = [
        migrations.AlterField(
            model_name="directorcall",
            name="at",
            field=models.DateTimeField(verbose_name="when"),
        ),
        migrations.AlterField(
            model_name="directorcall",
            name="command",
            field=models.UUIDField(verbose_name="command"),
        ),
        migrations.AlterField(
            model_name="directorcall",
            name="seat",
            field=models.CharField(
                blank=True,
                choices=[("N", "North"), ("E", "East"), ("S", "South"), ("W", "West")],
                help_text="Empty when the clock calls.",
                max_length=1,
                verbose_name="seat",
            ),
        ),
        migrations.AlterField(
            model_name="directorcall",
            name="settled_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="settled"),
        ),
        migrations.AlterField(
            model_name="directorcall",
            name="settled_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="settled by",
            ),
        ),
        migrations.AlterField(
            model_name="directorcall",
            name="table",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="director_calls",
                to="tables.table",
                verbose_name="table",
            ),
        ),
        migrations.AlterField(
            model_name="directorcall",
            name="table_board",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tables.tableboard",
                verbose_name="board",
            ),
        ),
        migrations.AlterField(
            model_name="directorcall",
            name="text",
            field=models.CharField(blank=True, max_length=300, verbose_name="words"),
        ),
        migrations.AlterField(
            model_name="table",
            name="around",
            field=models.PositiveBigIntegerField(
                default=0,
                help_text="Moves with what is not in the log: who sits there, which boards, what was said.",
                verbose_name="changes beside the log",
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="back",
            field=models.CharField(
                help_text="The page that players go back to.",
                max_length=300,
                verbose_name="page to go back to",
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="casual",
            field=models.BooleanField(
                default=False,
                help_text="Anybody may take a free seat, and leave between boards.",
                verbose_name="open to everybody",
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="closed_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="closed"),
        ),
        migrations.AlterField(
            model_name="table",
            name="closes_at",
            field=models.DateTimeField(
                blank=True, help_text="When the bell is going to ring.", null=True, verbose_name="closes"
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="current",
            field=models.ForeignKey(
                blank=True,
                help_text="The board that lies there, also when it is over and the next one has not come yet.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tables.tableboard",
                verbose_name="current board",
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="occasion",
            field=models.CharField(
                help_text="What tables end together: a round, for instance.",
                max_length=80,
                verbose_name="occasion",
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="opened_at",
            field=models.DateTimeField(verbose_name="opened"),
        ),
        migrations.AlterField(
            model_name="table",
            name="pause_seconds",
            field=models.PositiveIntegerField(
                default=15,
                help_text="Between two boards, unless all are ready.",
                verbose_name="seconds between boards",
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="purpose",
            field=models.CharField(
                help_text="What it is for, such as “practice”.", max_length=40, verbose_name="purpose"
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="reconnect_seconds",
            field=models.PositiveIntegerField(
                default=120,
                help_text="A player may be away so long on a board.",
                verbose_name="seconds to come back",
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="rules",
            field=models.JSONField(
                default=dict, help_text="What the Laws leave to whoever runs the game.", verbose_name="rules"
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="sequence",
            field=models.PositiveBigIntegerField(
                default=0, help_text="How many events the log has.", verbose_name="events in the log"
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="state",
            field=models.CharField(
                choices=[("waiting", "waiting for players"), ("playing", "playing"), ("over", "over")],
                default="waiting",
                max_length=7,
                verbose_name="state",
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="subject",
            field=models.CharField(
                help_text="Which one it is, in the words of who opened it.",
                max_length=80,
                verbose_name="subject",
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="title",
            field=models.CharField(max_length=200, verbose_name="title"),
        ),
        migrations.AlterField(
            model_name="table",
            name="turn_seconds",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="For one call or card.",
                null=True,
                verbose_name="seconds for a call or card",
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="uuid",
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True, verbose_name="address"),
        ),
        migrations.AlterField(
            model_name="table",
            name="version",
            field=models.PositiveBigIntegerField(
                default=0, help_text="Moves with all that anybody can see.", verbose_name="version"
            ),
        ),
        migrations.AlterField(
            model_name="table",
            name="why",
            field=models.CharField(
                blank=True,
                choices=[
                    ("finished", "all boards were played"),
                    ("cut", "the time was up"),
                    ("empty", "the players have left"),
                    ("void", "called off"),
                ],
                help_text="Why it is over.",
                max_length=8,
                verbose_name="how it ended",
            ),
        ),
        migrations.AlterField(
            model_name="tableword",
            name="at",
            field=models.DateTimeField(verbose_name="when"),
        ),
        migrations.AlterField(
            model_name="tableword",
            name="command",
            field=models.UUIDField(verbose_name="command"),
        ),
        migrations.AlterField(
            model_name="tableword",
            name="seat",
            field=models.CharField(
                blank=True,
                choices=[("N", "North"), ("E", "East"), ("S", "South"), ("W", "West")],
                help_text="Empty for a director.",
                max_length=1,
                verbose_name="seat",
            ),
        ),
        migrations.AlterField(
            model_name="tableword",
            name="table",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="words",
                to="tables.table",
                verbose_name="table",
            ),
        ),
        migrations.AlterField(
            model_name="tableword",
            name="text",
            field=models.CharField(max_length=300, verbose_name="words"),
        ),
        migrations.AlterField(
            model_name="tableword",
            name="to",
            field=models.CharField(
                choices=[("table", "the table"), ("opponents", "the opponents")],
                max_length=9,
                verbose_name="said to",
            ),
        ),
        migrations.AlterField(
            model_name="tableword",
            name="user",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                verbose_name="account",
            ),
        ),
    ]
