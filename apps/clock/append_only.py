"""Tables whose rows the database refuses to change or delete."""

from django.db.migrations.operations import RunSQL

REFUSE_CHANGE = RunSQL(
    """CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
       END $$""",
    "DROP FUNCTION refuse_change()",
)


def append_only(table: str) -> RunSQL:
    """The migration that makes a table append-only; it comes after the first one of `clock`."""
    return RunSQL(
        f"""CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table}
            FOR EACH ROW EXECUTE FUNCTION refuse_change()""",
        f"DROP TRIGGER {table}_append_only ON {table}",
    )
