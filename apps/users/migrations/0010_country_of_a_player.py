from django.db import migrations, models

import apps.users.countries


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0009_settings_at_the_table"),
    ]

    operations = [
        migrations.AddField(
            model_name="player",
            name="country",
            field=models.CharField(
                blank=True,
                choices=apps.users.countries.country_choices,
                db_default="",
                default="",
                max_length=2,
                verbose_name="country",
            ),
        ),
        migrations.AddConstraint(
            model_name="player",
            constraint=models.CheckConstraint(
                condition=models.Q(country="") | models.Q(country__regex="^[A-Z]{2}$"),
                name="player_country_is_a_code",
            ),
        ),
    ]
