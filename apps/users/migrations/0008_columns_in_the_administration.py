import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0007_mails_while_away"),
    ]

    operations = [
        migrations.AlterField(
            model_name="player",
            name="created_at",
            field=models.DateTimeField(auto_now_add=True, verbose_name="created"),
        ),
        migrations.AlterField(
            model_name="player",
            name="name_key",
            field=models.CharField(
                db_index=True, editable=False, max_length=100, verbose_name="name as it is searched"
            ),
        ),
        migrations.AlterField(
            model_name="playernumber",
            name="number",
            field=models.CharField(max_length=40, verbose_name="number"),
        ),
        migrations.AlterField(
            model_name="playernumber",
            name="player",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="numbers",
                to="users.player",
                verbose_name="player",
            ),
        ),
        migrations.AlterField(
            model_name="playernumber",
            name="scheme",
            field=models.CharField(
                help_text="Who gives the number, for instance “national” or a club.",
                max_length=80,
                verbose_name="issued by",
            ),
        ),
    ]
