from django.db import migrations, models


class Migration(migrations.Migration):
    """Plays of which somebody wants to know where the tricks went; nothing of what is there changes."""

    dependencies = [
        ("boards", "0005_columns_in_the_administration"),
    ]

    operations = [
        migrations.CreateModel(
            name="SolvedPlay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("deal", models.CharField(max_length=80, verbose_name="cards")),
                ("strain", models.CharField(max_length=2, verbose_name="strain")),
                (
                    "declarer",
                    models.CharField(
                        choices=[("N", "North"), ("E", "East"), ("S", "South"), ("W", "West")],
                        max_length=1,
                        verbose_name="declarer",
                    ),
                ),
                (
                    "cards",
                    models.CharField(
                        blank=True,
                        help_text="Suit and rank of each card, in the order of the play.",
                        max_length=104,
                        verbose_name="what was played",
                    ),
                ),
                (
                    "tricks",
                    models.JSONField(
                        blank=True,
                        help_text="Of declarer’s side, by each card that could be played; empty until it is solved.",
                        null=True,
                        verbose_name="tricks",
                    ),
                ),
                ("asked_at", models.DateTimeField(auto_now_add=True, verbose_name="asked")),
            ],
            options={
                "verbose_name": "solved play",
                "verbose_name_plural": "solved plays",
                "indexes": [
                    models.Index(
                        condition=models.Q(("tricks__isnull", True)), fields=["id"], name="solved_play_asked"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("deal", "strain", "declarer", "cards"), name="solved_play_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("declarer__in", ["N", "E", "S", "W"]), ("strain__in", ["NT", "S", "H", "D", "C"])
                        ),
                        name="solved_play_has_its_contract",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("cards__regex", "^([SHDC][2-9TJQKA]){0,52}$")),
                        name="solved_play_is_of_cards",
                    ),
                ],
            },
        ),
    ]
