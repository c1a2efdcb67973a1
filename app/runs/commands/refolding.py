"""Making the folded tables of a campaign again from its events, for `rebuild` and `audit`."""

from __future__ import annotations

from app import journal
from app.db import WriteSession
from app.runs.commands.opening import Open, RunRow
from app.runs.commands.writing import fold_again, write_run, write_state
from app.runs.rules.records import read_streams

_REGISTER = """
SELECT a.id, a.run_id, a.attempt_id, a.number, a.late, a.created_us,
       coalesce(max(t.first_event), min(e.number)), coalesce(max(t.last_event), max(e.number)),
       max(t.streams)
FROM attempts a JOIN run_events e ON e.attempt_key = a.id
LEFT JOIN thinned t ON t.attempt_key = a.id
WHERE a.campaign_id = :campaign
GROUP BY a.id, a.run_id, a.attempt_id, a.number, a.late, a.created_us
ORDER BY a.run_id, a.number
"""


@journal.refold(writes=("attempt_states", "runs"))
def refold(tx: WriteSession, campaign_id: str) -> None:
    """Make `attempt_states` and `runs` of one campaign again; both are empty when it begins."""
    rows: dict[str, RunRow] = {}
    register = tx.rows(_REGISTER, {"campaign": campaign_id})
    firsts: dict[str, int] = {}
    for row in register:
        firsts[row[1]] = min(row[6], firsts.get(row[1], row[6]))
    for key, run, attempt_id, number, late, created, _, last, thinned in register:
        attempt = Open(
            key, run, attempt_id, number, bool(late), created, rows.setdefault(run, RunRow()),
            last_event=last, first_event=firsts[run], is_new=True,
        )  # fmt: skip
        fold_again(tx, attempt)
        if thinned is not None:
            attempt.streams = read_streams(thinned)
        write_state(tx, campaign_id, attempt)
        write_run(tx, campaign_id, attempt, is_first=True)
