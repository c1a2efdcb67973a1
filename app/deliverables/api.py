"""JSON for deliverables: submissions that clients post, where each stands, verdicts of people."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from app import clock
from app.accounts import access
from app.campaigns import queries as campaigns
from app.deliverables import commands, queries
from app.deliverables.rules.evidence import Posted
from app.deliverables.rules.manifest import File
from app.deliverables.rules.objection import Objection
from app.deliverables.rules.recheck import BaseRevision
from app.deliverables.rules.standing import DeliverableStanding, Verdict
from app.deliverables.rules.submission import Submission, prepared
from app.errors import Forbidden, Malformed, NotFound
from app.journal import Actor
from app.texts import Text, text
from app.units import UnitError, instant_text, parse_instant

router = APIRouter(prefix="/api/v1", tags=["deliverables"])


class _Closed(BaseModel):
    """A body in which every field is known."""

    model_config = ConfigDict(extra="forbid")


class FileBody(_Closed):
    """One file of a manifest."""

    path: str
    size: StrictInt
    sha256: str


class BaseRevisionBody(_Closed):
    """The base model of an adapter and the exact revision that was used."""

    base: str | None = Field(None, max_length=500)
    revision: str | None = Field(None, max_length=500)


class ManifestBody(_Closed):
    """The files of an output folder and what made them."""

    files: list[FileBody]
    runs: list[str] | None = Field(None, max_length=1000)
    base_revision: BaseRevisionBody | None = None
    reload_command: str | None = Field(None, max_length=4000)


class CheckBody(_Closed):
    """One check as it was run; `not_run` says that it could not be."""

    kind: str = Field(max_length=64)
    passed: StrictBool
    not_run: StrictBool | None = None
    detail: str | None = Field(None, max_length=20_000)
    evidence: dict[str, Any] | None = None


class SubmissionBody(_Closed):
    """A submission, or with `retrieved` the proof that its files lie on another machine."""

    submission_id: str = Field(pattern="^[0-9a-f]{32}$")
    manifest: ManifestBody
    checks: list[CheckBody] | None = Field(None, max_length=200)
    machine_id: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    host: str | None = Field(None, max_length=255)
    made_at: str | None = Field(None, max_length=64)
    tool: str | None = Field(None, max_length=100)
    retrieved: StrictBool | None = None


class VerdictBody(_Closed):
    """A person's verdict on the newest submission (or on `submission`, when it still is)."""

    verdict: str = Field(max_length=20)
    reason: str | None = Field(None, max_length=5000)
    submission: StrictInt | None = None


@router.post("/deliverables/{deliverable}/submissions", status_code=201)
def submit(
    request: Request,
    deliverable: str,
    body: Annotated[SubmissionBody, Body()],
    campaign: Annotated[str | None, Query(max_length=64)] = None,
) -> JSONResponse:
    """Submit a deliverable with its evidence (job token, or a person with `?campaign=`).

    201 with its new state, 200 for a repetition; 409 for a run that did not complete.
    """
    campaign_id, actor = _sender(request, campaign)
    found = prepared(_submission(deliverable, body))
    if isinstance(found, Objection):
        raise Malformed(found.message, field=found.field)
    act = commands.retrieve if found.retrieved else commands.submit
    now = clock.now()
    answer = request.app.state.db.write(
        campaign_id, lambda tx: act(tx, campaign_id, found, actor=actor, now=now)
    )
    said = {
        "state": answer.state,
        "reason": _plain(answer.reason),
        "duplicate": answer.duplicate,
        "retrieved": answer.retrieved,
        "head": {"number": answer.head.number, "sha256": answer.head.sha256},
    }
    return JSONResponse(said, 200 if answer.duplicate else 201)


@router.get("/campaigns/{campaign_id}/deliverables")
def index(request: Request, campaign_id: str) -> dict[str, object]:
    """Every deliverable of a campaign and where it stands."""
    access.person(request)
    with request.app.state.db.read() as session:
        if campaigns.header(session, campaign_id) is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id[:64]))
        found = queries.standing_of(session, campaign_id)
    return {"items": [_item(standing) for standing in found], "next": None}


@router.post("/campaigns/{campaign_id}/deliverables/{deliverable}/verdicts", status_code=201)
def judge(
    request: Request, campaign_id: str, deliverable: str, body: Annotated[VerdictBody, Body()]
) -> dict[str, object]:
    """Accept or reject the newest submission as a person; a rejection needs its reason."""
    actor = access.person(request)
    now = clock.now()
    verdict = request.app.state.db.write(
        campaign_id,
        lambda tx: commands.judge(
            tx, campaign_id, deliverable, body.verdict, body.reason or "",
            actor=actor, now=now, submission=body.submission,
        ),
    )  # fmt: skip
    return _verdict(verdict)


def _sender(request: Request, campaign: str | None) -> tuple[str, Actor]:
    """Whose campaign a submission goes to, and who sends it."""
    job = access.job(request)
    if job is not None:
        if campaign is not None and campaign != job.campaign_id:
            raise Forbidden(text("This token belongs to another campaign."))
        return job.campaign_id, Actor("job", job.name)
    if campaign is None:
        message = text("Without a job token the address needs ?campaign= and its id.")
        raise Malformed(message, field="campaign")
    return campaign, access.person(request)


def _submission(deliverable: str, body: SubmissionBody) -> Submission:
    manifest, base = body.manifest, body.manifest.base_revision
    return Submission(
        deliverable=deliverable,
        submission_id=body.submission_id,
        files=tuple(File(file.path, file.size, file.sha256) for file in manifest.files),
        runs=tuple(manifest.runs or ()),
        base=BaseRevision(base.base, base.revision) if base is not None else None,
        reload_command=manifest.reload_command,
        checks=tuple(
            Posted(
                check.kind,
                check.passed,
                bool(check.not_run),
                check.detail or "",
                check.evidence or {},
            )
            for check in body.checks or ()
        ),
        machine_id=body.machine_id,
        host=body.host,
        made_at=_instant(body.made_at),
        tool=body.tool,
        retrieved=bool(body.retrieved),
    )


def _instant(given: str | None) -> datetime | None:
    try:
        return parse_instant(given) if given is not None else None
    except UnitError as error:
        raise Malformed(Text(error.msgid, error.params), field="made_at") from None


def _item(standing: DeliverableStanding) -> dict[str, object]:
    newest = standing.newest
    return {
        "id": standing.id,
        "title": standing.title,
        "kind": standing.kind,
        "essential": standing.essential,
        "unit": standing.unit,
        "announced": standing.announced,
        "state": str(standing.state),
        "reason": _plain(standing.reason),
        "checks": {
            "passed": standing.passed,
            "failed": standing.failed,
            "not_run": standing.not_run,
        },
        "submissions": standing.submissions,
        "submission": None
        if newest is None
        else {
            "number": newest.number,
            "submission_id": newest.submission_id,
            "at": instant_text(newest.at),
            "by": newest.actor_name,
            "runs": list(newest.runs),
            "files": newest.files,
            "size_bytes": newest.size_bytes,
            "manifest_sha256": newest.manifest_sha256,
            "host": newest.host,
        },
        "verdict": None if standing.judged is None else _verdict(standing.judged),
        "retrieved": None
        if standing.retrieved is None
        else {"at": instant_text(standing.retrieved.at), "host": standing.retrieved.host},
        "place": None
        if standing.place is None
        else {"where": standing.place.where, "seen_on": standing.place.seen_on.isoformat()},
    }


def _verdict(verdict: Verdict) -> dict[str, object]:
    return {
        "number": verdict.number,
        "deliverable": verdict.deliverable,
        "submission": verdict.submission,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
        "by": verdict.actor_name,
        "actor": verdict.actor_kind,
        "at": instant_text(verdict.at),
    }


def _plain(said: Text | None) -> str | None:
    return None if said is None else str(said)
