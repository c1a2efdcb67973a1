"""Whether the events of every attempt still say what the journal wrote down about its end."""

from __future__ import annotations

from collections.abc import Iterator

from app import journal
from app.db import WriteSession
from app.journal import Entry
from app.runs.commands.opening import RunRow, attempts_of
from app.runs.commands.writing import subject_of
from app.runs.rules.binding import ENDED, disagreement


@journal.agreement
def ends_agree(tx: WriteSession, campaign_id: str) -> Iterator[tuple[int | None, str]]:
    """The ends, reasons and deciding values: the journal carries them, the events must too."""
    newest: dict[tuple[object, object], Entry] = {}
    for ended in journal.entries(tx.orm, campaign_id, kind=ENDED):
        newest[ended.payload["run"], ended.payload["attempt_id"]] = ended
    runs = tx.rows(
        "SELECT run_id FROM runs WHERE campaign_id = :id ORDER BY run_id", {"id": campaign_id}
    )
    for (run,) in runs:
        for attempt in attempts_of(tx, campaign_id, run, RunRow()):
            key = (run, attempt.attempt_id)
            entry = newest.pop(key) if key in newest else None
            written = None if entry is None else entry.payload
            wrong = disagreement(subject_of(attempt), attempt.facts, written)
            if wrong:
                about = f"the events of run {run}, attempt {attempt.number}, say otherwise of"
                yield None if entry is None else entry.number, f"{about}: {', '.join(wrong)}"
    for (run, _), orphan in newest.items():
        yield orphan.number, f"run {run} has no events of the attempt that this entry ended"
