"""An audit finds every row that was edited, names its entry, and never breaks on what it finds."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from app.db import Database
from app.db.guards import guard, unguard
from app.journal.verify import verify_database
from app.main import create_app
from app.settings import Settings
from tests.orders.campaigns import ID, body, opened

ORDERS = f"/api/v1/campaigns/{ID}/orders"
EXPENSES = f"/api/v1/campaigns/{ID}/expenses"


def _recorded(client: TestClient, database: Database) -> None:
    """A seal, twelve expenses and an order: entries 1, 2 to 13, and 14."""
    opened(database)
    charge = {"kind": "storage", "amount": "1.00", "currency": "USD", "charged_on": "2026-12-01"}
    for _ in range(12):
        assert client.post(EXPENSES, json=charge).status_code == 201
    assert client.post(ORDERS, json=body()).status_code == 201


def _edited(database: Database, *statements: str) -> None:
    """As the database's owner would: the guards taken off first."""
    with database.write_engine.begin() as connection:
        unguard(connection)
        for statement in statements:
            connection.execute(text(statement))
        guard(connection)


@pytest.mark.parametrize(
    ("statements", "entry", "table"),
    [
        (["UPDATE expenses SET amount_minor = 1 WHERE number = 3"], 3, "expenses"),
        (["UPDATE expenses SET note = 'x' WHERE number IN (2, 10, 12)"], 2, "expenses"),
        (["DELETE FROM expenses WHERE number IN (9, 11)"], 9, "expenses"),
        (["UPDATE order_lots SET gpus = 8"], 14, "order_lots"),
        (["UPDATE orders SET amount_minor = 1"], 14, "orders"),
    ],
)
def test_the_first_entry_that_a_table_denies_is_named(
    client: TestClient, database: Database, statements: list[str], entry: int, table: str
) -> None:
    _recorded(client, database)
    assert verify_database(database.write_engine).findings == ()
    _edited(database, *statements)
    (found,) = verify_database(database.write_engine).findings
    assert (found.campaign_id, found.entry) == (ID, entry)
    assert found.what.startswith(f"{table} ")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE expenses SET charged_on = 'no day' WHERE number = 3",
        "UPDATE orders SET logged_at = 'never'",
        "UPDATE plan_versions SET version = 'one'",
    ],
)
def test_what_no_type_can_read_is_a_finding_too(
    settings: Settings, sqlite: Database, statement: str
) -> None:
    """On SQLite: PostgreSQL itself refuses such a value."""
    _recorded(TestClient(create_app(settings, sqlite, b"a secret of the tests")), sqlite)
    _edited(sqlite, "PRAGMA ignore_check_constraints=ON", statement)
    assert verify_database(sqlite.write_engine).findings
