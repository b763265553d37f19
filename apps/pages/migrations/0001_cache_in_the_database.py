from django.db import migrations

# The table of Django's database cache. Without a log of its writes: a crash of the database empties it, as a cache may be.
CREATE = """
    CREATE UNLOGGED TABLE datum_cache (
        cache_key varchar(255) PRIMARY KEY,
        value text NOT NULL,
        expires timestamp with time zone NOT NULL
    );
    CREATE INDEX datum_cache_expires ON datum_cache (expires)
"""


class Migration(migrations.Migration):
    initial = True
    dependencies = []

    operations = [
        migrations.RunSQL(CREATE, "DROP TABLE datum_cache"),
    ]
