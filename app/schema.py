"""All tables of all rooms in one place, for migrations and `rebuild`."""

from __future__ import annotations

import importlib
from pathlib import Path

from sqlalchemy import MetaData
from sqlmodel import SQLModel

from app.journal import JournalEntry


def metadata() -> MetaData:
    """The metadata with every room's tables registered."""
    assert JournalEntry.metadata is SQLModel.metadata
    for tables in sorted(Path(__file__).parent.glob("*/tables.py")):
        importlib.import_module(f"app.{tables.parent.name}.tables")
    return SQLModel.metadata
