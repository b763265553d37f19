from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("results", "0005_times_of_the_database"),
    ]

    operations = [
        migrations.AddField(
            model_name="fieldboard",
            name="ranked_version",
            field=models.PositiveBigIntegerField(
                db_default=0,
                default=0,
                help_text="The version that the ranking was made from, once it is published.",
                verbose_name="version ranked",
            ),
        ),
        migrations.AddField(
            model_name="resultchange",
            name="version",
            field=models.PositiveBigIntegerField(
                db_default=0,
                default=0,
                help_text="Of its board: what is compared from that version on counts this change.",
                verbose_name="version of the results",
            ),
        ),
        migrations.AddField(
            model_name="penalty",
            name="command",
            field=models.UUIDField(editable=False, null=True, unique=True, verbose_name="command"),
        ),
    ]
