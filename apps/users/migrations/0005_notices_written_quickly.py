from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """The notices of a person are found by the indexes that begin with the person."""

    dependencies = [
        ("users", "0004_one_letter_i_in_name_keys"),
    ]

    operations = [
        migrations.AlterField(
            model_name="notice",
            name="user",
            field=models.ForeignKey(
                db_index=False,
                on_delete=models.deletion.CASCADE,
                related_name="notices",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
