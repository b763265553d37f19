"""The database put back to where it stood, in a few milliseconds and whatever its triggers and keys say."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection

COLUMNS = """
    SELECT table_name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER' GROUP BY table_name
"""
SEQUENCES = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public'"


@contextmanager
def snapshot() -> Iterator[Callable[[], None]]:
    """Keep a copy of every row; gives a function that restores all of them, and restores them in the end."""
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
    for name, last in sequences:
        statements.append(f"SELECT setval('\"{name}\"', {last or 1}, {'false' if last is None else 'true'})")
    restoration = f"BEGIN; {'; '.join(statements)}; COMMIT"

    def restore() -> None:
        with connection.cursor() as cursor:
            cursor.execute(restoration)

    try:
        yield restore
    finally:
        restore()
        with connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA kept CASCADE")
