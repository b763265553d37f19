from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0002_notices"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="mail",
            field=models.CharField(
                choices=[("none", "none"), ("important", "the important ones"), ("all", "all")],
                default="important",
                max_length=9,
                verbose_name="notices by mail",
            ),
        ),
    ]
