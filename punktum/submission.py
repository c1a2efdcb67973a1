"""The evidence of one verification: kept beside the spool, posted when there is a server."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
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


def make_submission(
    folder: Path,
    files: Sequence[FileEntry],
    verdicts: Sequence[Verdict],
    runs: Sequence[str],
    reload_command: str | None,
    spool: Path,
) -> dict[str, object]:
    """The wire form of the evidence."""
    manifest: dict[str, object] = {"files": [entry.form() for entry in files], "runs": list(runs)}
    bases = [base_of(folder / entry.path) for entry in files if entry.path.split("/")[-1] == CONFIG]
    if bases and bases[0]:
        manifest["base_revision"] = bases[0]
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


def own_attempt(spool: Path) -> Identity | None:
    """The attempt that this process is part of, under the id that it is recorded by."""
    run, attempt = os.environ.get("PUNKTUM_RUN_ID"), os.environ.get("PUNKTUM_ATTEMPT_ID") or ""
    return Identity(recorded_run(spool, run, attempt), attempt) if run else None


def keep_submission(
    spool: Path, deliverable: str, submission: dict[str, object], own: Identity | None = None
) -> Path | None:
    """Write it beside the spool before it is posted; None when the disk does not take it.

    ``own`` is the attempt that made the files, where no run was named.
    """
    path = spool / FOLDER / f"{submission['submission_id']}.json"
    kept = {"deliverable": deliverable, "submission": submission, "taken": None, "answer": None}
    if own is not None:
        kept["own"] = {"run": own.run, "attempt_id": own.attempt_id}
    return path if write_whole(path, kept) else None


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
        server, reading.text(kept.get("deliverable")) or "", reading.record(kept.get("submission"))
    )
    if posted.taken is not None:
        write_whole(path, {**kept, "taken": posted.taken, "answer": posted.text})
    return posted


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


def post_submission(server: Server, deliverable: str, submission: dict[str, object]) -> Posted:
    """Post evidence for a deliverable."""
    where = f"/api/v1/deliverables/{quote(deliverable, safe='')}/submissions"
    try:
        reply = server.post(where, submission)
    except Unreachable as error:
        return Posted(None, f"{server.url} does not answer: {error}")
    if reply.status in (200, 201):
        return _taken(reply)
    if is_retried(reply.status):
        return Posted(None, reply.problem, not_allowed=reply.status in (401, 403))
    return Posted(False, reply.problem)


def _taken(reply: Reply) -> Posted:
    state = reading.text(reply.body.get("state")) or "submitted"
    reason = reading.text(reply.body.get("reason"))
    return Posted(True, f"{state}: {reason}" if reason else state, state)
