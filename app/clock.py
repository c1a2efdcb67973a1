"""The only reader of the wall clock. Everything else is given `now`."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def now() -> datetime:
    """The present instant in UTC, to the microsecond.

    `PUNKTUM_NOW` (an instant with offset) holds the clock still: tests and screenshots that
    must look the same every time set it; a server never does.
    """
    fixed = os.environ.get("PUNKTUM_NOW")
    return datetime.fromisoformat(fixed).astimezone(UTC) if fixed else datetime.now(UTC)
