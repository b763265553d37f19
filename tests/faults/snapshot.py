"""The database put back to where it stood, in a few milliseconds and whatever its triggers and keys say."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection

COLUMNS = """
    SELECT table_name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER' GROUP BY table_name
"""
SEQUENCES = """
    SELECT sequence.relname, pg_sequence_last_value(sequence.oid), owner.relname, attname
    FROM pg_class sequence JOIN pg_depend ON objid = sequence.oid AND deptype IN ('a', 'i')
    JOIN pg_class owner ON owner.oid = refobjid JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
    WHERE sequence.relkind = 'S' AND sequence.relnamespace = 'public'::regnamespace
"""


@contextmanager
def snapshot() -> Iterator[tuple[Callable[[], None], Callable[[], None]]]:
    """Keep a copy of every row; gives a function that restores all of them, and restores them in the end.

    The other that it gives has the ids of rows that were rolled back given again: a row that names another by its id
    is the same then.
    """
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS)
        tables = cursor.fetchall()
        cursor.execute(SEQUENCES)
        sequences = cursor.fetchall()
        cursor.execute("DROP SCHEMA IF EXISTS kept CASCADE; CREATE SCHEMA kept")
        cursor.execute("; ".join(f'CREATE TABLE kept."{name}" AS TABLE "{name}"' for name, _ in tables))
    statements = ["SET LOCAL session_replication_role = replica"]  # no triggers, no foreign keys
    for name, columns in tables:
        statements.append(f'DELETE FROM "{name}"')
        statements.append(
            f'INSERT INTO "{name}" ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM kept."{name}"'
        )
    rewinding = "; ".join(
        f"""SELECT setval('"{name}"', greatest((SELECT max("{column}") FROM "{table}"), {last or 0}) + 1, false)"""
        for name, last, table, column in sequences
    )
    restoration = f"BEGIN; {'; '.join(statements)}; {rewinding}; COMMIT"

    def restore() -> None:
        with connection.cursor() as cursor:
            cursor.execute(restoration)

    def rewind() -> None:
        with connection.cursor() as cursor:
            cursor.execute(rewinding)

    try:
        yield restore, rewind
    finally:
        restore()
        with connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA kept CASCADE")
