"""Saving, putting back and deleting the draft of a plan."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.accounts.commands import forget_tokens
from app.campaigns.commands import refuse_closed, standing, write_header
from app.db import Table, WriteSession
from app.errors import AppError, Conflict, Malformed, NotFound
from app.journal import Actor, canonical
from app.offers.queries import catalogue
from app.plan.queries import read_plan
from app.plan.rules.checks import malformed
from app.plan.rules.differences import differences
from app.plan.rules.document import Problem, to_document
from app.plan.rules.model import Plan
from app.plan.rules.sealing import resolved
from app.texts import text

LISTED = 200
"""Problems and differences that an answer lists at most."""

RESERVED = frozenset({"new", "import"})
"""Ids whose pages would hide behind fixed addresses below `/campaigns`."""

_OWN = frozenset({"campaigns", "drafts", "job_tokens"})


@dataclass(frozen=True, slots=True)
class Saved:
    """A draft as it now stands; `changed` is False where it stood so already."""

    campaign_id: str
    revision: int
    created: bool
    changed: bool


def save_draft(
    tx: WriteSession,
    plan: Plan,
    *,
    revision: int | None,
    replace: bool,
    actor: Actor,
    now: datetime,
) -> Saved | AppError:
    """Make a campaign with its first draft, or change the draft that is there.

    The same content again changes nothing. Other content needs `revision`, the number of
    the draft that it was made from, or `replace`; else `Conflict` says what differs.
    """
    refusal = refuse_malformed(plan)
    if refusal is not None:
        return refusal
    document = canonical(to_document(plan)).decode()
    row = tx.row("SELECT document, revision FROM drafts WHERE campaign_id = :id", {"id": plan.id})
    if row is None:
        if plan.id in RESERVED:
            said = text("“{id}” is an address of ours; choose another id.", id=plan.id)
            return Malformed(said, field="campaign.id")
        if revision is not None:
            return NotFound(text("There is no campaign {id}.", id=plan.id))
        return _open(tx, plan, document, actor, now)
    stored, at = str(row[0]), int(row[1])
    state = refuse_closed(tx, plan.id)
    if document == stored:
        return Saved(plan.id, at, created=False, changed=False)
    if revision is not None and revision != at:
        return _moved(at)
    if revision is None and not replace:
        if _says_the_same(tx, plan, stored):
            return Saved(plan.id, at, created=False, changed=False)
        return _differs(plan.id, stored, document)
    if state == "draft":
        _head(tx, plan, actor, now)
    _keep(tx, plan.id, document, at + 1, actor, now)
    return Saved(plan.id, at + 1, created=False, changed=True)


def _says_the_same(tx: WriteSession, plan: Plan, stored: str) -> bool:
    """Whether two plans are one once their lots are filled in from today's catalogue."""
    offers = catalogue(tx.orm)
    return resolved(plan, offers) == resolved(read_plan(stored), offers)


def refuse_malformed(plan: Plan) -> Malformed | None:
    """The refusal of a plan that contradicts itself; None for one that can be kept."""
    return problems_refused(malformed(plan))


def problems_refused(problems: Iterable[Problem]) -> Malformed | None:
    """One refusal for all the problems of a document, each with its field; None without any."""
    found = tuple(problems)
    if not found:
        return None
    listed = [{"field": one.field, "detail": str(one.message)} for one in found[:LISTED]]
    return Malformed(found[0].message, field=found[0].field, problems=listed)


def discard_changes(
    tx: WriteSession, campaign_id: str, *, actor: Actor, now: datetime
) -> Saved | AppError:
    """Put the draft back to what the newest sealed version says."""
    refuse_closed(tx, campaign_id)
    newest = tx.row(
        "SELECT document FROM plan_versions WHERE campaign_id = :id ORDER BY version DESC LIMIT 1",
        {"id": campaign_id},
    )
    if newest is None:
        return Conflict(text("Nothing is sealed yet, so there is nothing to go back to."))
    at = _revision(tx, campaign_id)
    _keep(tx, campaign_id, str(newest[0]), at + 1, actor, now)
    return Saved(campaign_id, at + 1, created=False, changed=True)


def delete_draft(tx: WriteSession, campaign_id: str) -> AppError | None:
    """Delete a campaign that was never sealed and has no record: no run, order or expense."""
    refuse_closed(tx, campaign_id)
    if standing(tx, campaign_id) != "draft":
        return Conflict(text("A sealed plan is kept; this campaign can be closed, not deleted."))
    for table, column in _referring():
        statement = f"SELECT 1 FROM {table} WHERE {column} = :id LIMIT 1"
        if tx.row(statement, {"id": campaign_id}) is not None:
            said = text("This campaign has a record already; it can be closed, not deleted.")
            return Conflict(said)
    forget_tokens(tx, campaign_id)
    tx.execute("DELETE FROM drafts WHERE campaign_id = :id", {"id": campaign_id})
    tx.execute("DELETE FROM campaigns WHERE id = :id", {"id": campaign_id})
    return None


def _referring() -> list[tuple[str, str]]:
    """Tables and columns of other rooms that name a campaign."""
    return [
        (table.name, key.parent.name)
        for table in Table.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table.name == "campaigns" and table.name not in _OWN
    ]


def _open(
    tx: WriteSession, plan: Plan, document: str, actor: Actor, now: datetime
) -> Saved | AppError:
    _head(tx, plan, actor, now)
    tx.execute(
        "INSERT INTO drafts (campaign_id, document, revision, updated_at, updated_by)"
        " VALUES (:id, :document, 1, :now, :by)",
        {"id": plan.id, "document": document, "now": now, "by": actor.name},
    )
    return Saved(plan.id, 1, created=True, changed=True)


def _keep(
    tx: WriteSession, campaign_id: str, document: str, revision: int, actor: Actor, now: datetime
) -> None:
    tx.execute(
        "UPDATE drafts SET document = :document, revision = :revision, updated_at = :now,"
        " updated_by = :by WHERE campaign_id = :id",
        {
            "id": campaign_id,
            "document": document,
            "revision": revision,
            "now": now,
            "by": actor.name,
        },
    )


def _head(tx: WriteSession, plan: Plan, actor: Actor, now: datetime) -> None:
    write_header(
        tx,
        plan.id,
        question=plan.question,
        zone=plan.zone,
        currency=plan.currency,
        actor=actor,
        now=now,
    )


def _revision(tx: WriteSession, campaign_id: str) -> int:
    row = tx.row("SELECT revision FROM drafts WHERE campaign_id = :id", {"id": campaign_id})
    return int(row[0])


def _moved(at: int) -> Conflict:
    said = text(
        "Somebody saved this plan while you were editing it. Nothing of yours is lost: look at"
        " theirs, then save again to replace it."
    )
    return Conflict(said, revision=at)


def _differs(campaign_id: str, stored: str, sent: str) -> Conflict:
    before: dict[str, Any] = json.loads(stored)
    found = differences(before, json.loads(sent))
    said = text(
        "The draft of {id} says something else at: {paths}. Replace it if that is meant.",
        id=campaign_id,
        paths=tuple(one.path for one in found[:10]) + (("…",) if len(found) > 10 else ()),
    )
    listed = [{"path": one.path, "stored": one.before, "sent": one.after} for one in found[:LISTED]]
    return Conflict(said, difference=listed)
