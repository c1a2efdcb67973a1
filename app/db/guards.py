"""Guards of the appended history: the database itself stops UPDATE, DELETE, REPLACE, TRUNCATE.

They are made in one place, so that a migration that had to rebuild a table, and `rebuild`,
put them back exactly. A database owner can still drop one: then `audit` finds what was done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, inspect

APPENDED: dict[str, tuple[str, ...]] = {
    "journal": ("campaign_id", "number"),
    "plan_versions": ("campaign_id", "version"),
    "orders": ("campaign_id", "number"),
    "order_lots": ("campaign_id", "order_number", "position"),
    "quotes": ("campaign_id", "number"),
    "expenses": ("campaign_id", "number"),
    "budget_limits": ("campaign_id", "number"),
    "attempts": ("id",),
    "run_events": ("number",),
    "liveness_flips": ("id",),
    "restore_checks": ("campaign_id", "number"),
    "late_events": ("number",),
    "archivals": ("campaign_id", "number"),
    "spans": ("campaign_id", "number"),
    "stop_records": ("campaign_id", "number"),
    "thinned": ("attempt_key",),
    "decisions": ("campaign_id", "number"),
    "submissions": ("campaign_id", "number"),
    "verdicts": ("campaign_id", "number"),
    "retrievals": ("campaign_id", "number"),
    "losses": ("campaign_id", "number"),
    "places": ("campaign_id", "number"),
    "explanations": ("campaign_id", "number"),
    "closes": ("campaign_id",),
    "offers": ("number",),
}
"""Table → the columns that identify a row and that a REPLACE would collide on."""


def guard(connection: Connection) -> None:
    """Put every guard in place, whether or not it was there."""
    for table in _present(connection):
        _unguard(connection, table)
        _guard(connection, table)


def unguard(connection: Connection) -> None:
    """Take the guards away, inside a transaction that puts them back."""
    for table in _present(connection):
        _unguard(connection, table)


@contextmanager
def deletable(connection: Connection, table: str) -> Iterator[None]:
    """One table without its guards, for an act that the journal tells of; put back at the end.

    Where the act fails its transaction is rolled back, and the guards stand as they stood.
    """
    _unguard(connection, table)
    yield
    _guard(connection, table)


def _guard(connection: Connection, table: str) -> None:
    for statement in _statements(connection.dialect.name, table, APPENDED[table]):
        connection.exec_driver_sql(statement)


def _unguard(connection: Connection, table: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {table}_is_appended ON {table}")
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {table}_is_kept ON {table}")
    else:
        for act in ("update", "delete", "replace"):
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {table}_no_{act}")


def _present(connection: Connection) -> list[str]:
    """The guarded tables that this revision of the schema has."""
    there = set(inspect(connection).get_table_names())
    return [table for table in APPENDED if table in there]


def _statements(dialect: str, table: str, key: tuple[str, ...]) -> list[str]:
    if dialect == "postgresql":
        return [
            "CREATE OR REPLACE FUNCTION history_is_appended() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION USING MESSAGE = TG_TABLE_NAME || ' is appended only'; END $$",
            f"CREATE TRIGGER {table}_is_appended BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION history_is_appended()",
            f"CREATE TRIGGER {table}_is_kept BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION history_is_appended()",
        ]
    same = " AND ".join(f"{column} = NEW.{column}" for column in key)
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is appended only'); END"
    return [
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) {refuse}",
    ]
