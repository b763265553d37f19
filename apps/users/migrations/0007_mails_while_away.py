from django.db import migrations, models


class Migration(migrations.Migration):
    """New accounts get by mail what is of the moment, too, while they are away. Nobody's choice is changed."""

    dependencies = [
        ("users", "0006_names_in_the_administration"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="seen_at",
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name="last seen"),
        ),
        migrations.AlterField(
            model_name="user",
            name="mail",
            field=models.CharField(
                choices=[
                    ("none", "none"),
                    ("important", "the important ones"),
                    ("away", "the important ones, and the others while I am away"),
                    ("all", "all"),
                ],
                default="away",
                max_length=9,
                verbose_name="notices by mail",
            ),
        ),
    ]
