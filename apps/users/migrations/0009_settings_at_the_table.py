from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0008_columns_in_the_administration"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="table_settings",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text="What is not as usual.",
                verbose_name="settings at the table",
            ),
        ),
    ]
