"""Expenses of before the budgets came are kept row by row when the database is migrated."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import sqlalchemy as sa
from alembic.migration import MigrationContext
from alembic.operations import Operations

from app.db.migrate import MIGRATIONS

OURS = "0007"


def steps() -> list[ModuleType]:
    """Every migration up to ours, in their order."""
    found = []
    for file in sorted((MIGRATIONS / "versions").glob("[0-9]*.py")):
        if file.name[:4] <= OURS:
            spec = importlib.util.spec_from_file_location(file.stem, file)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            found.append(module)
    return found


def test_rows_and_their_corrections_are_kept() -> None:
    *before, ours = steps()
    assert ours.revision == OURS
    engine = sa.create_engine("sqlite://")
    with (
        engine.begin() as connection,
        Operations.context(MigrationContext.configure(connection)),
    ):
        for step in before:
            step.upgrade()
        old = sa.Table("expenses", sa.MetaData(), autoload_with=connection, resolve_fks=False)
        row = {
            "campaign_id": "rank", "number": 3, "kind": "storage", "amount_minor": 1200,
            "currency": "USD", "charged_on": sa.func.date("2026-12-01"), "note": "40 GiB",
            "reference": None, "corrects_number": None, "logged_by": "local",
            "logged_at": sa.func.datetime("2026-12-01 14:12:00"),
        }  # fmt: skip
        connection.execute(old.insert().values(**row))
        less = {**row, "number": 4, "amount_minor": -200, "corrects_number": 3}
        connection.execute(old.insert().values(**less))
        kept = connection.execute(sa.select(old).order_by(old.c.number)).mappings().all()
        ours.upgrade()
        new = sa.Table("expenses", sa.MetaData(), autoload_with=connection, resolve_fks=False)
        found = connection.execute(sa.select(new).order_by(new.c.number)).mappings().all()
        assert [{name: row[name] for name in kept[0]} for row in found] == [dict(r) for r in kept]
        added = [(row["tax_state"], row["provider"], row["after_close"]) for row in found]
        assert added == [(None, None, False)] * 2
