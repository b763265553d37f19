from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("pairs", "0005_events_at_tables"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="session",
            options={"ordering": ["number"], "verbose_name": "session", "verbose_name_plural": "sessions"},
        ),
        migrations.AlterModelOptions(
            name="standing",
            options={
                "ordering": ["session", "position"],
                "verbose_name": "standing",
                "verbose_name_plural": "standings",
            },
        ),
    ]
