from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("masterpoints", "0003_titles_and_published_rankings"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="award",
            options={"verbose_name": "award", "verbose_name_plural": "awards"},
        ),
        migrations.AlterModelOptions(
            name="rankingrow",
            options={"verbose_name": "row of a ranking", "verbose_name_plural": "rows of rankings"},
        ),
        migrations.AlterModelOptions(
            name="total",
            options={"verbose_name": "total", "verbose_name_plural": "totals"},
        ),
    ]
