"""Writing a decision down: checked against the plan and the log, then appended for ever."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.campaigns.commands import refuse_closed
from app.db import WriteSession
from app.decisions import queries
from app.decisions.rules.entering import Ground, NewDecision, objections, same, tidied
from app.decisions.rules.log import DecisionEntry, Decisions
from app.deliverables.rules.objection import Objection
from app.errors import AppError, Conflict, Malformed
from app.journal import Actor, Entry, Head, append, canonical, head, projector
from app.plan import queries as plans
from app.runs import queries as runs

_AS_SAID = ("choice", "reason", "step", "version", "link", "corrects")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A decision in the log; `is_new` is False when it stood there already, word for word."""

    entry: DecisionEntry
    is_new: bool
    head: Head


def record(
    tx: WriteSession, campaign_id: str, new: NewDecision, *, actor: Actor, now: datetime
) -> Recorded | AppError:
    """Append a decision to the log.

    The very decision that is the newest entry already is not written twice. Refuses with
    `Malformed` what cannot be read, with `Conflict` what contradicts the plan or the log, with
    `Closed` after the close.
    """
    refuse_closed(tx, campaign_id)
    written = queries.read(tx.orm, campaign_id)
    new = tidied(new, written)
    newest = written.entries[0] if written.entries else None
    if newest is not None and same(new, newest) and newest.actor_name == actor.name:
        return Recorded(newest, False, head(tx, campaign_id))
    found = objections(new, _ground(tx, campaign_id, written, now))
    if found:
        return refusal(found)
    payload = {
        "choice": new.choice,
        "step": new.step,
        "cut": list(new.cut),
        "version": new.version,
        "reason": new.reason,
        "link": new.link,
        "corrects": new.corrects,
    }
    entry = append(tx, campaign_id, "decision.recorded", actor, payload, now)
    stored = DecisionEntry(
        entry.number, now, actor.kind, actor.name, new.choice, new.reason,
        new.step, new.cut, new.version, new.link, new.corrects,
    )  # fmt: skip
    return Recorded(stored, True, Head(entry.number, entry.sha256))


def refusal(found: tuple[Objection, ...]) -> AppError:
    """The refusal for what speaks against a decision; all of it is in `problems`."""
    first = next((one for one in found if not one.contradicts), found[0])
    kind = Conflict if first.contradicts else Malformed
    problems = [{"field": one.field, "detail": str(one.message)} for one in found]
    return kind(first.message, field=first.field, allowed=first.allowed, problems=problems)


def _ground(tx: WriteSession, campaign_id: str, written: Decisions, now: datetime) -> Ground:
    view = plans.current(tx.orm, campaign_id)
    if view is None:
        return Ground((), 0, written)
    done = queries.done_steps(runs.runs_of(tx.orm, campaign_id, now))
    return Ground(view.plan.steps, view.version, written, done)


@projector("decision.recorded", writes=("decisions",))
def project_decision(tx: WriteSession, entry: Entry) -> None:
    """One row of the log."""
    said = entry.payload
    tx.execute(
        "INSERT INTO decisions (campaign_id, number, at, actor_kind, actor_name,"
        " choice, reason, step, cut, version, link, corrects)"
        " VALUES (:campaign_id, :number, :at, :actor_kind, :actor_name,"
        " :choice, :reason, :step, :cut, :version, :link, :corrects)",
        {
            "campaign_id": entry.campaign_id,
            "number": entry.number,
            "at": entry.at,
            "actor_kind": entry.actor.kind,
            "actor_name": entry.actor.name,
            "cut": canonical(said["cut"]).decode(),
            **{
                key: said[key]
                for key in ("choice", "reason", "step", "version", "link", "corrects")
            },
        },
    )
