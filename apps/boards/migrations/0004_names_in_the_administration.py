from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("boards", "0003_names_of_double_dummy_tables"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="board",
            options={"verbose_name": "board", "verbose_name_plural": "boards"},
        ),
        migrations.AlterModelOptions(
            name="boardset",
            options={"verbose_name": "board set", "verbose_name_plural": "board sets"},
        ),
        migrations.AlterModelOptions(
            name="seal",
            options={"verbose_name": "seal", "verbose_name_plural": "seals"},
        ),
    ]
