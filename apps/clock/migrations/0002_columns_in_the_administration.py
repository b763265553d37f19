import django.core.serializers.json
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clock", "0001_due_work_outbox_audit"),
    ]

    operations = [
        migrations.AlterField(
            model_name="auditentry",
            name="action",
            field=models.CharField(max_length=60, verbose_name="action"),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="actor_id",
            field=models.BigIntegerField(
                blank=True, help_text="A user; nobody is the clock itself.", null=True, verbose_name="account"
            ),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="actor_name",
            field=models.CharField(blank=True, max_length=150, verbose_name="who"),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="after",
            field=models.JSONField(
                blank=True,
                encoder=django.core.serializers.json.DjangoJSONEncoder,
                null=True,
                verbose_name="after",
            ),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="at",
            field=models.DateTimeField(verbose_name="when"),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="before",
            field=models.JSONField(
                blank=True,
                encoder=django.core.serializers.json.DjangoJSONEncoder,
                null=True,
                verbose_name="before",
            ),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="reason",
            field=models.TextField(blank=True, verbose_name="reason"),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="subject_id",
            field=models.BigIntegerField(verbose_name="subject"),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="subject_kind",
            field=models.CharField(max_length=60, verbose_name="kind of subject"),
        ),
        migrations.AlterField(
            model_name="duework",
            name="attempts",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="How often it failed.", verbose_name="failed attempts"
            ),
        ),
        migrations.AlterField(
            model_name="duework",
            name="done_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="time of completion"),
        ),
        migrations.AlterField(
            model_name="duework",
            name="due_at",
            field=models.DateTimeField(verbose_name="due"),
        ),
        migrations.AlterField(
            model_name="duework",
            name="kind",
            field=models.CharField(max_length=60, verbose_name="kind"),
        ),
        migrations.AlterField(
            model_name="duework",
            name="last_error",
            field=models.TextField(blank=True, verbose_name="last error"),
        ),
        migrations.AlterField(
            model_name="duework",
            name="next_try_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="next attempt"),
        ),
        migrations.AlterField(
            model_name="duework",
            name="number",
            field=models.BigIntegerField(
                default=0, help_text="Which one, a round for instance.", verbose_name="number"
            ),
        ),
        migrations.AlterField(
            model_name="duework",
            name="state",
            field=models.CharField(
                choices=[("todo", "to do"), ("done", "done"), ("dropped", "dropped"), ("stuck", "stuck")],
                default="todo",
                max_length=7,
                verbose_name="state",
            ),
        ),
        migrations.AlterField(
            model_name="duework",
            name="subject",
            field=models.BigIntegerField(
                help_text="The id of what it is about, an event for instance.", verbose_name="subject"
            ),
        ),
        migrations.AlterField(
            model_name="outage",
            name="began_at",
            field=models.DateTimeField(unique=True, verbose_name="began"),
        ),
        migrations.AlterField(
            model_name="outage",
            name="ended_at",
            field=models.DateTimeField(verbose_name="ended"),
        ),
        migrations.AlterField(
            model_name="outage",
            name="handled",
            field=models.BooleanField(
                help_text="Whether the time was given back to what was going on.", verbose_name="given back"
            ),
        ),
        migrations.AlterField(
            model_name="outage",
            name="seconds",
            field=models.PositiveIntegerField(verbose_name="seconds"),
        ),
        migrations.AlterField(
            model_name="outgoing",
            name="body",
            field=models.JSONField(
                encoder=django.core.serializers.json.DjangoJSONEncoder, verbose_name="content"
            ),
        ),
        migrations.AlterField(
            model_name="outgoing",
            name="claimed_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="taken up"),
        ),
        migrations.AlterField(
            model_name="outgoing",
            name="created_at",
            field=models.DateTimeField(verbose_name="created"),
        ),
        migrations.AlterField(
            model_name="outgoing",
            name="key",
            field=models.CharField(
                help_text="What it is; a second one is refused.",
                max_length=200,
                unique=True,
                verbose_name="key",
            ),
        ),
        migrations.AlterField(
            model_name="outgoing",
            name="kind",
            field=models.CharField(max_length=60, verbose_name="kind"),
        ),
        migrations.AlterField(
            model_name="outgoing",
            name="last_error",
            field=models.TextField(blank=True, verbose_name="last error"),
        ),
        migrations.AlterField(
            model_name="outgoing",
            name="next_try_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="next attempt"),
        ),
        migrations.AlterField(
            model_name="outgoing",
            name="sent_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="sent"),
        ),
    ]
