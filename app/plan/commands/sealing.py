"""Sealing a plan: what was prepared is appended to the journal, if its draft has not moved."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.campaigns.commands import refuse_closed, write_header
from app.db import WriteSession
from app.errors import AppError, Conflict, Malformed, NotFound
from app.journal import Actor, Entry, append, canonical, projector
from app.plan.commands.drafts import problems_refused
from app.plan.queries import PlanView, seal_sha256
from app.plan.rules.checks import unsealable
from app.plan.rules.document import to_document
from app.plan.rules.document.kinds import Line
from app.plan.rules.document.problem import Reader
from app.plan.rules.facts import to_record
from app.plan.rules.lots import resolve_lots
from app.plan.rules.model import Plan
from app.plan.rules.sealing import (
    knowledge_of,
    offer_record,
    resolved,
    seal_warnings,
    used_offers,
)
from app.plan.rules.validator import violations
from app.texts import Text, sentence_record, text

REASON = Line(longest=2000, lines=True, sample="Variant B is cut: A passed.")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A seal made ready before the writer: nothing in it is computed again."""

    plan: Plan
    revision: int
    document: dict[str, object]
    schedule: dict[str, object]
    offers: list[object]
    sha256: str
    warnings: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed version and the hash that proves its content."""

    version: int
    sha256: str


def prepare(view: PlanView, now: datetime) -> Prepared:
    """Make a draft ready to be sealed: offers resolved, schedule placed and judged, hash taken.

    Raises `Malformed` for a plan that contradicts itself or has steps without an estimate.
    """
    refusal = problems_refused(unsealable(view.plan))
    if refusal is not None:
        raise refusal
    if view.revision is None:
        raise ValueError("only a draft is sealed")
    plan = resolved(view.plan, view.offers)
    used = used_offers(plan, view.offers)
    lots = resolve_lots(plan, used)
    found = violations(
        plan.steps,
        lots.windows,
        plan.people,
        view.schedule,
        elsewhere=plan.variants_elsewhere,
    )
    if found and not view.schedule.problems:
        raise AssertionError(f"our own schedule breaks a rule: {found[0]}")
    document, schedule = to_document(plan), to_record(view.schedule)
    return Prepared(
        plan=plan,
        revision=view.revision,
        document=document,
        schedule=schedule,
        offers=[offer_record(offer) for offer in used],
        sha256=seal_sha256(document, schedule),
        warnings=seal_warnings(view.plan, lots, view.schedule, used, now),
    )


def seal(
    tx: WriteSession, prepared: Prepared, *, reason: str | None, actor: Actor, now: datetime
) -> Sealed | AppError:
    """Append a prepared seal as the next version.

    Refused where the draft has moved since, where nothing differs from the newest version,
    and, from version 2 on, without a reason. What was already known is counted here, from
    the journal, in the same transaction.
    """
    campaign_id = prepared.plan.id
    refuse_closed(tx, campaign_id)
    row = tx.row("SELECT revision FROM drafts WHERE campaign_id = :id", {"id": campaign_id})
    if row is None:
        return NotFound(text("There is no campaign {id}.", id=campaign_id))
    if int(row[0]) != prepared.revision:
        said = text("The draft was changed meanwhile. Look at it again before you seal it.")
        return Conflict(said, revision=int(row[0]))
    newest = _newest(tx, campaign_id)
    version = newest[0] + 1 if newest else 1
    if newest and newest[1] == canonical(prepared.document).decode():
        said = text("Nothing differs from version {version}, which is sealed.", version=newest[0])
        return Conflict(said, version=newest[0])
    given = (reason or "").strip()
    if refusal := _reason_refused(given, version):
        return refusal
    append(tx, campaign_id, "plan.sealed", actor, _payload(tx, prepared, version, given), now)
    plan = prepared.plan
    header = {"question": plan.question, "zone": plan.zone, "currency": plan.currency}
    write_header(tx, campaign_id, **header, actor=actor, now=now)
    return Sealed(version, prepared.sha256)


def _reason_refused(given: str, version: int) -> Malformed | None:
    if not given:
        said = text(
            "Version {version} needs a reason: what is different, and why.", version=version
        )
        return Malformed(said, field="reason") if version > 1 else None
    reader = Reader()
    REASON.read(reader, ("reason",), given)
    return problems_refused(reader.problems)


def _payload(tx: WriteSession, prepared: Prepared, version: int, reason: str) -> dict[str, object]:
    rows = tx.rows(
        "SELECT kind, count(*) FROM journal WHERE campaign_id = :id"
        " AND kind IN ('run.started', 'run.ended', 'order.logged') GROUP BY kind",
        {"id": prepared.plan.id},
    )
    counts = {str(kind): int(n) for kind, n in rows}
    known = knowledge_of(counts.get("run.started", 0), counts.get("run.ended", 0))
    warnings = list(prepared.warnings)
    if version == 1 and counts.get("order.logged"):
        warnings.append(text("An order was logged before the seal."))
    return {
        "version": version,
        "document": prepared.document,
        "schedule": prepared.schedule,
        "offers": prepared.offers,
        "sha256": prepared.sha256,
        "reason": reason or None,
        "knowledge": {"level": known.level, "started": known.started, "ended": known.ended},
        "warnings": [sentence_record(one) for one in warnings],
    }


def _newest(tx: WriteSession, campaign_id: str) -> tuple[int, str] | None:
    row = tx.row(
        "SELECT version, document FROM plan_versions WHERE campaign_id = :id"
        " ORDER BY version DESC LIMIT 1",
        {"id": campaign_id},
    )
    return (int(row[0]), str(row[1])) if row else None


@projector("plan.sealed", writes=("plan_versions",))
def project_version(tx: WriteSession, entry: Entry) -> None:
    """A sealed version as a row, from its journal entry and nothing else."""
    payload = entry.payload
    known = payload["knowledge"]
    assert isinstance(known, dict)
    tx.execute(
        "INSERT INTO plan_versions (campaign_id, version, document, schedule, offers, sha256,"
        " reason, knowledge, started, ended, warnings, sealed_at, sealed_by) VALUES (:campaign,"
        " :version, :document, :schedule, :offers, :sha256, :reason, :knowledge, :started,"
        " :ended, :warnings, :at, :by)",
        {
            "campaign": entry.campaign_id,
            "version": payload["version"],
            "document": canonical(payload["document"]).decode(),
            "schedule": canonical(payload["schedule"]).decode(),
            "offers": canonical(payload["offers"]).decode(),
            "sha256": payload["sha256"],
            "reason": payload["reason"],
            "knowledge": known["level"],
            "started": known["started"],
            "ended": known["ended"],
            "warnings": canonical(payload["warnings"]).decode(),
            "at": entry.at,
            "by": entry.actor.name,
        },
    )
