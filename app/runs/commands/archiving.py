"""A person puts a run away that does not go on, and brings it back; it counts as before."""

from __future__ import annotations

from datetime import datetime

from app import journal
from app.db import WriteSession
from app.errors import AppError, Conflict, Malformed, NotFound
from app.journal import Actor, Entry, projector
from app.runs.commands.opening import Found, look
from app.runs.commands.refusals import closed
from app.runs.rules.archiving import may_be_archived
from app.runs.rules.times import us_of
from app.runs.tables import Archival
from app.texts import text

ARCHIVED = "run.archived"
REASON_LENGTH = 500


def archive(
    tx: WriteSession, campaign_id: str, run: str, reason: str, *, actor: Actor, now: datetime
) -> AppError | None:
    """Leave a run out of the lists; new events for it are refused until it is brought back.

    Said twice with the same reason it is written once.
    """
    found = _open_run(tx, campaign_id, run)
    if isinstance(found, AppError):
        return found
    row, attempt = found.row, found.attempt
    if not reason.strip() or len(reason) > REASON_LENGTH:
        said = text("A reason is needed, at most {n} characters.", n=REASON_LENGTH)
        return Malformed(said, field="reason")
    if row.archived:
        same = _reason(tx, campaign_id, run) == reason.strip()
        return None if same else Conflict(text("{run} is archived already.", run=run))
    due = attempt.due_us if attempt is not None else None
    if not may_be_archived(row.status, silent=due is not None and due < us_of(now)):
        return Conflict(text("{run} still goes on. Archived is what has ended.", run=run))
    _write(tx, campaign_id, run, True, reason, actor, now)
    return None


def bring_back(
    tx: WriteSession, campaign_id: str, run: str, reason: str, *, actor: Actor, now: datetime
) -> AppError | None:
    """Put an archived run into the lists again; a reason may be given. One that is there stays."""
    found = _open_run(tx, campaign_id, run)
    if isinstance(found, AppError):
        return found
    if not found.row.archived:
        return None
    if len(reason) > REASON_LENGTH:
        said = text("A reason has at most {n} characters.", n=REASON_LENGTH)
        return Malformed(said, field="reason")
    _write(tx, campaign_id, run, False, reason, actor, now)
    return None


def _reason(tx: WriteSession, campaign_id: str, run: str) -> str:
    """The newest reason for which it was put away."""
    row = tx.row(
        "SELECT reason FROM archivals WHERE campaign_id = :campaign AND run_id = :run"
        " ORDER BY number DESC LIMIT 1",
        {"campaign": campaign_id, "run": run},
    )
    return str(row[0])


def _open_run(tx: WriteSession, campaign_id: str, run: str) -> Found | AppError:
    found = look(tx, campaign_id, run, None)
    if found is not None and found.campaign.standing == "closed":
        return closed()
    if found is None or found.row.attempt == 0:
        return NotFound(text("There is no run {run} here.", run=run))
    return found


def _write(
    tx: WriteSession,
    campaign_id: str,
    run: str,
    archived: bool,
    reason: str,
    actor: Actor,
    now: datetime,
) -> None:
    said = {"run": run, "archived": archived, "reason": reason.strip()}
    journal.append(tx, campaign_id, ARCHIVED, actor, said, now)


@projector(ARCHIVED, writes=("archivals",))
def project_archival(tx: WriteSession, entry: Entry) -> None:
    """A run put away or brought back."""
    tx.add(
        Archival(
            campaign_id=entry.campaign_id,
            number=entry.number,
            run_id=str(entry.payload["run"]),
            archived=bool(entry.payload["archived"]),
            reason=str(entry.payload["reason"]),
            by=entry.actor.name,
            at=entry.at,
        )
    )
