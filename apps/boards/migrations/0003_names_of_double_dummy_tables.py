from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("boards", "0002_sealed_deals")]

    operations = [
        migrations.AlterModelOptions(
            name="doubledummy",
            options={
                "verbose_name": "double-dummy table",
                "verbose_name_plural": "double-dummy tables",
            },
        ),
    ]
