from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0013_looks_of_more_letters"),
    ]

    operations = [
        migrations.AddField(
            model_name="player",
            name="is_robot",
            field=models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="Plays by itself, at any number of tables; is never rated or ranked.",
                verbose_name="house robot",
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="is_guest",
            field=models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="Plays at practice tables without having signed up.",
                verbose_name="guest",
            ),
        ),
        migrations.AddConstraint(
            model_name="player",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_robot", False), ("user", None), _connector="OR"),
                name="player_robot_has_no_account",
            ),
        ),
        migrations.AddConstraint(
            model_name="player",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_robot", True)), fields=("name",), name="player_robot_by_name"
            ),
        ),
    ]
