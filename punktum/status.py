"""``punktum status``: what a spool holds, what the server has of it, and how much time is left."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from punktum import instants, reading, values
from punktum.events import ENDS, Identity, visible
from punktum.ledger import read_left_out, read_standing
from punktum.limits import size_text
from punktum.locks import is_held
from punktum.marks import marked_held, marked_named, marked_proposed, marked_stop
from punktum.sheet import kept_sheet
from punktum.spool import identity_of, last_event, spool_files, starts_with
from punktum.submission import kept_submissions

ENDED: Final = {"finish": "completed", "fail": "failed", "stop": "stopped"}


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One spool file: its size in bytes, written and acknowledged event numbers, how many beats
    were left out for its limit, and how the run stands."""

    run: str
    attempt_id: str
    source: str
    attached: bool
    file: str
    size: int
    writing: bool
    written: int
    acknowledged: int
    left_out: int
    refused: int
    status: str | None
    attempt: int | None
    end: str | None
    answered_at: str | None
    trouble: str | None
    not_recording: str | None
    recorded_as: str | None
    stop: str | None


@dataclass(frozen=True, slots=True)
class SpoolStatus:
    """A spool folder; ``left_s`` seconds until the lot's end by the job's clock."""

    folder: str
    campaign: str | None
    window_ends_at: str | None
    left_s: int | None
    sources: tuple[SourceStatus, ...]
    submissions: int

    def form(self) -> dict[str, object]:
        """For ``--json``."""
        return asdict(self)


def spool_status(folder: Path) -> SpoolStatus:
    """Read a spool folder without touching it."""
    sources, ends = [], []
    for path in spool_files(folder):
        sources.append(_source(folder, path))
        ends.append(read_standing(path).window_ends_at)
    sheet = kept_sheet(folder)
    told = [end for end in ends if end]
    end = told[-1] if told else (sheet.last_window_ends_at if sheet else None)
    epoch_s = instants.epoch_s(end) if end else None
    return SpoolStatus(
        folder=str(folder),
        campaign=sheet.campaign if sheet else None,
        window_ends_at=end,
        left_s=None if epoch_s is None else int(epoch_s - time.time()),
        sources=tuple(sources),
        submissions=len(kept_submissions(folder)),
    )


def _source(folder: Path, path: Path) -> SourceStatus:
    identity = identity_of(path)
    if identity is None:
        raise ValueError(f"{path} is no spool file")
    standing = read_standing(path)
    newest = last_event(path, lambda event: True) or {}
    end = last_event(path, lambda event: event.get("kind") in ENDS)
    held = marked_held(folder, identity)
    stop = marked_stop(folder, identity)
    return SourceStatus(
        run=identity.run,
        attempt_id=identity.attempt_id,
        source=identity.source,
        attached=starts_with(path) != "start",
        file=path.name,
        size=_size(path),
        writing=is_held(path),
        written=reading.whole(newest.get("seq")) or 0,
        acknowledged=standing.acked_seq,
        left_out=read_left_out(path),
        refused=standing.refused,
        status=standing.status,
        attempt=standing.attempt,
        end=str(end["kind"]) if end else None,
        answered_at=standing.answered_at,
        trouble=standing.trouble,
        not_recording=None if held is None else str(held.get("detail") or held.get("title") or ""),
        recorded_as=_recorded_as(folder, identity),
        stop=None if stop is None else f"{stop.rule or 'operator'}: {stop.text}",
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _recorded_as(folder: Path, identity: Identity) -> str | None:
    """The names it was recorded under instead; those that are only being tried do not count."""
    if marked_proposed(folder, identity) is not None:
        return None
    names = marked_named(folder, identity)
    step = [f"step {names['step']}"] if "step" in names else []
    return ", ".join(([names["run"]] if "run" in names else []) + step) or None


def status_lines(status: SpoolStatus) -> list[str]:
    """The status for a person."""
    lines = [f"spool    {status.folder}"]
    if status.campaign:
        lines.append(f"campaign {status.campaign}")
    if status.left_s is not None:
        left = values.span_text(status.left_s)
        word = f"{left} left" if status.left_s >= 0 else f"ended {left} ago"
        lines.append(f"window   until {status.window_ends_at}: {word}")
    for source in status.sources:
        lines += _source_lines(source)
    if not status.sources:
        lines.append("no run in it")
    if status.submissions:
        lines.append(f"submissions kept: {status.submissions}")
    return lines


def _left_out(count: int) -> str:
    return f", {count} beats left out for its limit" if count else ""


def _source_lines(source: SourceStatus) -> list[str]:
    if not source.written and not source.writing:
        life = "nothing written"
    elif source.attached:
        life = "inside, running" if source.writing else "inside, done"
    else:
        life = "running" if source.writing else ENDED.get(source.end or "", "no end written")
    attempt = f"attempt {source.attempt}" if source.attempt else f"attempt {source.attempt_id[:8]}"
    refused = f", {source.refused} refused" if source.refused else ""
    lines = [
        f"{source.run}  {attempt}  {source.source}  {life}",
        f"  written {source.written}, acknowledged {source.acknowledged}{refused}",
        f"  spool file {size_text(source.size)}{_left_out(source.left_out)}",
    ]
    for word, text in (
        (
            "last answer",
            source.answered_at and f"{source.answered_at} {source.status or ''}".strip(),
        ),
        ("NOT RECORDING", source.not_recording),
        ("recorded as", source.recorded_as),
        ("stop asked for", source.stop),
        ("trouble", source.trouble),
    ):
        if text:
            lines.append(f"  {word}: {visible(text)}")
    return lines
