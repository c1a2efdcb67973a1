"""What clients and people post about deliverables, and a submission made of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from app.deliverables.rules.evidence import Posted
from app.deliverables.rules.manifest import File
from app.deliverables.rules.recheck import BaseRevision
from app.deliverables.rules.submission import Submission
from app.errors import Malformed
from app.texts import Text
from app.units import UnitError, parse_instant


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


class LossBody(_Closed):
    """A person's word that the newest submission's files are lost, and how that is known."""

    reason: str = Field(max_length=5000)
    submission: StrictInt | None = None


def submission_of(deliverable: str, body: SubmissionBody) -> Submission:
    """What a body says, not yet judged. Raises `Malformed` for a moment that is none."""
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
