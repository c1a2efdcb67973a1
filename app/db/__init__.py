"""The database: one writer with group commit, read sessions, guards, migrations.

Everything that is acknowledged was committed to disk before. Nothing outside this package
opens a connection, begins or commits.
"""

from app.db.base import Table
from app.db.database import Database, open_database
from app.db.writer import WriteSession

__all__ = ["Database", "Table", "WriteSession", "open_database"]
