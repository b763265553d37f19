from django.db import migrations


class Migration(migrations.Migration):
    """A certificate is written at the bell, which does not wait for it to be compressed."""

    dependencies = [
        ("pairs", "0008_times_of_the_database"),
    ]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE pairs_round ALTER COLUMN certificate SET STORAGE EXTERNAL",
            "ALTER TABLE pairs_round ALTER COLUMN certificate SET STORAGE EXTENDED",
        ),
    ]
