"""The evidence of one verification: kept beside the spool, posted when there is a server."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from urllib.parse import quote

import punktum
from punktum import instants, reading
from punktum.answers import is_retried
from punktum.checks import Verdict
from punktum.checks.base_revision import CONFIG, base_of
from punktum.events import Identity
from punktum.machine import host_name, machine_id
from punktum.manifest import FileEntry
from punktum.marks import read_whole, write_whole
from punktum.naming import recorded_run
from punktum.server import Reply, Server, Unreachable
from punktum.settings import Settings
from punktum.streaming import json_pieces, write_pieces

FOLDER: Final = "submissions"


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of a submission: ``taken`` None when no server took or refused it.

    ``state`` is where the deliverable stands by the server's answer; ``not_allowed`` says that
    the token was turned away.
    """

    taken: bool | None
    text: str
    state: str | None = None
    not_allowed: bool = False
    deliverable: str = ""


def evidence_of(
    folder: Path,
    files: Sequence[FileEntry],
    verdicts: Sequence[Verdict],
    runs: Sequence[str],
    reload_command: str | None,
    spool: Path,
) -> dict[str, object]:
    """The evidence, its files as they are: written out one at a time (``json_pieces``)."""
    manifest: dict[str, object] = {"files": tuple(files), "runs": list(runs)}
    configs = [entry.path for entry in files if entry.path.split("/")[-1] == CONFIG]
    base = base_of(folder / configs[0]) if configs else None
    if base:
        manifest["base_revision"] = base
    if reload_command:
        manifest["reload_command"] = reload_command
    return {
        "submission_id": secrets.token_hex(16),
        "manifest": manifest,
        "checks": [verdict.form() for verdict in verdicts],
        "machine_id": machine_id(spool),
        "host": host_name(),
        "made_at": instants.now_text(),
        "tool": f"punktum/{punktum.__version__}",
    }


def proof_of(evidence: dict[str, object]) -> dict[str, object]:
    """The evidence as proof that a submission's files arrived on this machine."""
    return {**evidence, "retrieved": True}


def own_attempt(spool: Path) -> Identity | None:
    """The attempt that this process is part of, under the id that it is recorded by."""
    run, attempt = os.environ.get("PUNKTUM_RUN_ID"), os.environ.get("PUNKTUM_ATTEMPT_ID") or ""
    return Identity(recorded_run(spool, run, attempt), attempt) if run else None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A submission in memory, and what is kept beside it.

    ``own`` is the attempt that made the files, where no run was named; ``campaign`` is needed
    where a person posts it.
    """

    deliverable: str
    submission: dict[str, object]
    own: Identity | None = None
    campaign: str | None = None

    def keep(self, spool: Path, posted: Posted | None = None) -> bool:
        """Write it beside the spool, before it is posted and once more with the answer; False
        when the disk does not take it."""
        answered = posted is not None and posted.taken is not None
        kept: dict[str, object] = {
            "deliverable": self.deliverable,
            "campaign": self.campaign,
            "submission": self.submission,
            "taken": posted.taken if answered and posted else None,
            "answer": posted.text if answered and posted else None,
        }
        if self.own is not None:
            kept["own"] = {"run": self.own.run, "attempt_id": self.own.attempt_id}
        path = spool / FOLDER / f"{self.submission['submission_id']}.json"
        return write_pieces(path, json_pieces(kept))

    def post(self, server: Server) -> Posted:
        """Post it."""
        return post_submission(server, self.deliverable, self.submission, self.campaign)


def kept_submissions(spool: Path) -> list[Path]:
    """The submissions kept in a spool folder, oldest first."""
    found = []
    for path in (spool / FOLDER).glob("*.json"):
        kept = read_whole(path) or {}
        made_at = reading.text(reading.record(kept.get("submission")).get("made_at"))
        if made_at is not None and reading.text(kept.get("deliverable")):
            found.append((made_at, path))
    return [path for _, path in sorted(found)]


def post_kept(server: Server, path: Path) -> Posted:
    """Post a kept submission, any number of times: the server knows it by its id."""
    kept = _under_its_run(read_whole(path) or {}, path.parent.parent)
    posted = post_submission(
        server,
        reading.text(kept.get("deliverable")) or "",
        reading.record(kept.get("submission")),
        reading.text(kept.get("campaign")),
    )
    if posted.taken is not None:
        write_whole(path, {**kept, "taken": posted.taken, "answer": posted.text})
    return replace(posted, deliverable=reading.text(kept.get("deliverable")) or "")


def _under_its_run(kept: dict[str, object], spool: Path) -> dict[str, object]:
    """The run that made the files goes by the id that its attempt was given since; what a server
    has judged stays as it was."""
    own, submission = reading.record(kept.get("own")), reading.record(kept.get("submission"))
    run, attempt_id = reading.text(own.get("run")), reading.text(own.get("attempt_id"))
    if run is None or attempt_id is None or kept.get("taken") is not None:
        return kept
    manifest = reading.record(submission.get("manifest"))
    manifest["runs"] = [recorded_run(spool, run, attempt_id)]
    return {**kept, "submission": {**submission, "manifest": manifest}}


def post_submission(
    server: Server, deliverable: str, submission: dict[str, object], campaign: str | None = None
) -> Posted:
    """Post evidence for a deliverable. Proof of retrieval needs no job token at the server's own
    machine, where ``campaign`` is named: the token ends with the campaign, the proof may come
    later."""
    where = f"/api/v1/deliverables/{quote(deliverable, safe='')}/submissions"
    as_person = bool(submission.get("retrieved")) and campaign is not None
    try:
        reply = server.post_pieces(where, lambda: json_pieces(submission))
        if as_person and reply.status in (401, 403):
            person = Server(Settings(server.url))
            named = f"{where}?campaign={quote(campaign or '', safe='')}"
            answered = person.post_pieces(named, lambda: json_pieces(submission), as_person=True)
            person.close()
            reply = reply if answered.status in (401, 403) else answered
    except Unreachable as error:
        return Posted(None, f"{server.url} does not answer: {error}")
    if reply.status in (200, 201):
        return _taken(reply, bool(submission.get("retrieved")))
    if is_retried(reply.status):
        return Posted(None, reply.problem, not_allowed=reply.status in (401, 403))
    return Posted(False, reply.problem)


def _taken(reply: Reply, is_proof: bool) -> Posted:
    state = reading.text(reply.body.get("state")) or "submitted"
    if is_proof:
        return Posted(True, "retrieved", state)
    reason = reading.text(reply.body.get("reason"))
    return Posted(True, f"{state}: {reason}" if reason else state, state)
