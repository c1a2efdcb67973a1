"""``punktum check``: what will work, tried before the training starts."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from punktum import instants, reading, values
from punktum.machine import gpu_lines
from punktum.server import Reply, Server, Unreachable
from punktum.settings import Settings, SettingsError, open_to_others
from punktum.sheet import Sheet, campaigns_differ, fetch_sheet, kept_sheet, nearest, sheet_in

LOW_DISK_BYTES: Final = 5 << 30
CLOCK_OFF_S: Final = 120.0
NOT_OURS: Final = "something answers, but not as a Punktum does; is this the right address?"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing tried: ``ok``, ``note`` (works, but know this), ``warn`` (works, but hardly as it
    was meant) or ``fail``."""

    name: str
    state: str
    text: str


def preflight(
    settings: Settings | SettingsError, spool: Path, step: str | None
) -> tuple[list[Finding], int]:
    """Try everything; the findings and the exit code (0, 1 something fails, 5 no answer)."""
    findings: list[Finding] = []
    reply, unreachable = None, False
    if isinstance(settings, SettingsError):
        findings.append(Finding(settings.about, "fail", str(settings)))
    else:
        reply, unreachable = _ask(settings, spool, findings)
        _look_at_token(settings, reply, findings)
    sheet = sheet_in(reply) or kept_sheet(spool)
    differ = campaigns_differ(spool, sheet) if sheet is not None else None
    if differ is not None:
        findings.append(Finding("spool", "fail", f"{differ}: take another folder (--output)"))
    findings += [_step(step, sheet), _disk(spool), _clock(reply), _gpu()]
    if unreachable:
        return findings, 5
    return findings, int(any(finding.state == "fail" for finding in findings))


def _ask(settings: Settings, spool: Path, findings: list[Finding]) -> tuple[Reply | None, bool]:
    if settings.url is None:
        text = "PUNKTUM_URL is not set: events are kept in the spool, for a replay later"
        findings.append(Finding("server", "note", text))
        return None, False
    server = Server(settings, timeout_s=5.0)
    began = time.monotonic()
    try:
        reply = server.get("/api/v1/sheet")
    except Unreachable as error:
        findings.append(Finding("server", "fail", f"{settings.url}: {error}"))
        return None, True
    finally:
        server.close()
    took = f"{(time.monotonic() - began) * 1000:.0f} ms"
    is_ours = sheet_in(reply) is not None
    if is_ours or reply.status in (401, 403):
        findings.append(Finding("server", "ok", f"{settings.url} answers in {took}"))
    else:
        said = NOT_OURS if reply.status == 200 else reply.problem
        findings.append(Finding("server", "fail", f"{settings.url}: {said}"))
    if is_ours:
        keeper = Server(settings, timeout_s=5.0)
        fetch_sheet(keeper, spool)
        keeper.close()
    return reply, False


def _look_at_token(settings: Settings, reply: Reply | None, findings: list[Finding]) -> None:
    if settings.url is None:
        return
    if settings.token is None:
        state = "fail" if reply is not None and reply.status in (401, 403) else "note"
        findings.append(Finding("token", state, "none: set PUNKTUM_TOKEN_FILE or PUNKTUM_TOKEN"))
        return
    note = open_to_others(settings.token_file)
    if note is not None:
        findings.append(Finding("token file", "note", note))
    if reply is None:
        findings.append(Finding("token", "note", "there, not tried"))
    elif (sheet := sheet_in(reply)) is not None:
        findings.append(Finding("token", "ok", f"taken, campaign {sheet.campaign}"))
    elif reply.status == 200:
        findings.append(Finding("token", "note", "there, not tried"))
    else:
        findings.append(Finding("token", "fail", reply.problem))


def _step(step: str | None, sheet: Sheet | None) -> Finding:
    if step is None:
        return Finding("step", "note", "not named: try --step S")
    if sheet is None:
        return Finding("step", "note", f'"{step}" cannot be looked up: no sheet')
    if not sheet.steps:
        return Finding("step", "note", f'"{step}" cannot be looked up: no plan yet')
    if step in sheet.steps_of_people:
        said = f'"{step}" is a person\'s work; a run of it is recorded all the same'
        return Finding("step", "warn", said)
    if step in sheet.steps:
        return Finding("step", "ok", f'"{step}" is in the plan')
    guess = nearest(step, sheet.steps)
    hint = f'did you mean "{guess}"?' if guess else f"there are {', '.join(sheet.steps)}"
    said = f'"{step}" is not in the plan: it will be recorded as unplanned work; {hint}'
    return Finding("step", "warn", said)


def _disk(spool: Path) -> Finding:
    """Write, sync and remove a line where the spool will be."""
    probe = spool / f".probe-{os.getpid()}"
    try:
        spool.mkdir(parents=True, exist_ok=True)
        with probe.open("wb") as stream:
            stream.write(b"punktum\n")
            stream.flush()
            os.fsync(stream.fileno())
        free = shutil.disk_usage(spool).free
    except OSError as error:
        return Finding("disk", "fail", f"{spool}: {error.strerror}")
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    text = f"{spool} takes lines, {free / 2**30:.1f} GiB free"
    return Finding("disk", "ok" if free > LOW_DISK_BYTES else "note", text)


def _clock(reply: Reply | None) -> Finding:
    told = reading.text(reply.body.get("server_time")) if reply is not None else None
    theirs = instants.epoch_s(told) if told else None
    if theirs is None:
        return Finding("clock", "note", f"here it is {instants.now_text()}; not compared")
    off_s = time.time() - theirs
    if abs(off_s) <= CLOCK_OFF_S:
        return Finding("clock", "ok", "agrees with the server's")
    way = "ahead of" if off_s > 0 else "behind"
    text = f"{values.span_text(off_s)} {way} the server's; the server's counts"
    return Finding("clock", "note", text)


def _gpu() -> Finding:
    lines = gpu_lines()
    if lines is None:
        return Finding("gpu", "note", "nvidia-smi is not here or does not answer")
    return Finding("gpu", "ok", "; ".join(line.strip() for line in lines) or "none")
