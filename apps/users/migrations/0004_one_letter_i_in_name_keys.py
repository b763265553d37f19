from django.db import migrations

# what `name_key` makes of dotted and dotless i, for the names that were stored before
FOLD = """UPDATE users_player SET name_key = replace(replace(name_key, U&'i\\0307', 'i'), U&'\\0131', 'i')
          WHERE name_key ~ U&'i\\0307|\\0131'"""


class Migration(migrations.Migration):
    dependencies = [
        ("users", "0003_notices_by_mail"),
    ]

    operations = [
        migrations.RunSQL(FOLD, migrations.RunSQL.noop),
    ]
