from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0005_notices_written_quickly"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="playernumber",
            options={"verbose_name": "number of a player", "verbose_name_plural": "numbers of players"},
        ),
    ]
