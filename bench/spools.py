"""A spool as boxes without a server leave it: attempts of three sources, written by the client."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from punktum.events import Identity
from punktum.spool import SpoolWriter

BEGAN = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)
ATTEMPTS = 10
_FIRED = {
    "rule": "loss-not-finite",
    "metric": "loss",
    "value": "nan",
    "act": "stop",
    "text": "loss is nan",
}


def write(folder: Path, events: int) -> int:
    """Write `events` events of ten attempts, and return how many there are.

    The second attempt goes on where the first was killed; a rule stops the third; the fourth has no
    end, as when its box went away; one run was resumed, so there are nine.
    """
    clock = itertools.count(1)
    each = events // ATTEMPTS
    for number in range(ATTEMPTS):
        _attempt(folder, number, each, clock)
    return each * ATTEMPTS


def _attempt(folder: Path, number: int, events: int, clock: Iterator[int]) -> None:
    run = f"s-{max(number, 1):02}"
    writers = {
        source: SpoolWriter(folder, Identity(run, f"{number + 1:032x}", source))
        for source in ("wrapper", "main", "rank-1")
    }
    began = next(clock)

    def say(source: str, kind: str, fields: Mapping[str, object]) -> None:
        now = next(clock)
        at = (BEGAN + timedelta(seconds=now)).isoformat().replace("+00:00", ".000Z")
        writers[source].append({"kind": kind, "at": at, "elapsed_s": now - began, **fields})

    say("wrapper", "start", _start(number))
    end = _end(number)
    for n in range(1, events - 1 + (end is None)):
        say(*_turn(n), _said(n, events))
    if end is not None:
        say("wrapper", *end)
    for writer in writers.values():
        writer.close()


def _start(number: int) -> dict[str, object]:
    step = f"step-{max(number, 1) % 3}"
    return {"step": step, "config_sha256": "0" * 64, "host": f"box-{number}", "expect_next_s": 90}


def _turn(n: int) -> tuple[str, str]:
    """Who says the n-th event, and of what kind it is."""
    if n % 200 == 0:
        return "main", "checkpoint"
    return ("wrapper" if n % 10 == 0 else "rank-1" if n % 5 == 0 else "main"), "beat"


def _said(n: int, events: int) -> dict[str, object]:
    if n % 200 == 0:
        return {"path": f"ckpt/{n}", "size": n, "states": ["parameters", "optimizer"]}
    if n % 10 == 0:
        return {}
    found: dict[str, object] = {"metrics": {"loss": 1 / n, "grad_norm": n % 7}}
    if n % 5:
        found |= {"progress": n, "total": events}
    return found


def _end(number: int) -> tuple[str, dict[str, object]] | None:
    """How an attempt ends: the kind of its last event, and what that says."""
    if number == 0:
        return "fail", {"signal": 9, "reason_code": "infra"}
    if number == 2:
        return "stop", {"rule": "loss-not-finite", "exit_code": 1, "fired": [_FIRED]}
    if number == 3:
        return None
    return "finish", {"exit_code": 0, "metrics": {"f1": 0.8 + number / 100}}
