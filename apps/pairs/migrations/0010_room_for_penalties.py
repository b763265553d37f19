from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pairs", "0009_certificates_as_they_are"),
    ]

    operations = [
        migrations.AlterField(
            model_name="standing",
            name="penalty",
            field=models.DecimalField(decimal_places=2, default=0, max_digits=12, verbose_name="penalty"),
        ),
    ]
