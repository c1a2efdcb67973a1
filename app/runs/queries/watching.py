"""Which attempts need a look because time has passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import text as text_of_sql
from sqlmodel import Session

from app.runs.rules.times import us_of

_MOST = 500
_ATTENTION = text_of_sql("""
SELECT s.campaign_id, a.run_id, a.attempt_id FROM attempt_states s
JOIN attempts a ON a.id = s.attempt_key
LEFT JOIN watches w ON w.attempt_key = s.attempt_key
WHERE s.look_us <= :now AND (w.attempt_key IS NULL OR w.seen_us <> s.look_us OR w.next_us <= :now)
UNION ALL
SELECT s.campaign_id, a.run_id, a.attempt_id FROM watches w
JOIN attempt_states s ON s.attempt_key = w.attempt_key
JOIN attempts a ON a.id = s.attempt_key
WHERE w.marked <> '' AND (s.look_us IS NULL OR s.look_us > :now)
ORDER BY 1 LIMIT :most
""")

Attempts = Mapping[str, Sequence[tuple[str, str]]]
"""Campaign → the attempts to look at, each by its run and its own id."""


def attention(session: Session, now: datetime) -> Attempts:
    """The attempts of which time alone may have changed something; one statement."""
    values = {"now": us_of(now), "most": _MOST}
    found: dict[str, list[tuple[str, str]]] = {}
    for campaign_id, run, attempt_id in session.connection().execute(_ATTENTION, values):
        found.setdefault(campaign_id, []).append((run, attempt_id))
    return found
