"""When a job token ends, and whether it still opens anything."""

from __future__ import annotations

from datetime import datetime, timedelta

AFTER_THE_WINDOW = timedelta(days=30)
WITHOUT_A_WINDOW = timedelta(days=90)


def expiry(now: datetime, last_window_ends_at: datetime | None) -> datetime:
    """When a token made now ends: 30 days after the last window, 90 days without any."""
    if last_window_ends_at is None:
        return now + WITHOUT_A_WINDOW
    return max(now, last_window_ends_at) + AFTER_THE_WINDOW


def token_state(
    expires_at: datetime, revoked_at: datetime | None, now: datetime, *, is_closed: bool = False
) -> str:
    """`valid`, `revoked` or `ended`; the close of its campaign ends a token too."""
    if revoked_at is not None:
        return "revoked"
    return "valid" if now < expires_at and not is_closed else "ended"
