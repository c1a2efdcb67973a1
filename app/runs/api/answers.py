"""What jobs are answered: the wire's JSON, written without a detour since machines wait for it."""

from __future__ import annotations

import functools
import json
from datetime import datetime
from typing import Any, Final

from app.runs.commands import Recorded, Result
from app.units import instant_text

_encode: Final = json.JSONEncoder(separators=(",", ":")).encode


def single(told: Recorded, now: datetime) -> bytes:
    """The answer to a single post that was stored, or was there already."""
    return f"{{{_standing(told, now, told.results[0].duplicate)}}}".encode()


def batch(told: Recorded, now: datetime) -> bytes:
    """The answer to a batch: one result for each event, and the run of the last one."""
    duplicate = bool(told.results) and all(one.duplicate for one in told.results)
    results = _encode([_result(one) for one in told.results])
    return f'{{"results":{results},{_standing(told, now, duplicate)}}}'.encode()


def _standing(told: Recorded, now: datetime, duplicate: bool) -> str:
    """The members of an object, without its braces; built by hand for what comes every time."""
    stop, head, until = told.stop, told.head, told.window_ends_at
    asked = "null" if stop is None else _encode({"rule": stop.rule, "text": stop.text})
    ends = "null" if until is None else f'"{_ends(until)}"'
    top = "null" if head is None else f'{{"number":{head.number},"sha256":"{head.sha256}"}}'
    warnings = _encode([str(one) for one in told.warnings]) if told.warnings else "[]"
    missing = _encode(told.missing) if told.missing else "[]"
    status = "null" if told.status is None else f'"{told.status}"'
    attempt = "null" if told.attempt is None else told.attempt
    later = "null" if told.superseded_by is None else told.superseded_by
    rules = ""
    if told.rules is not None and told.names is not None:
        rules = f',"rules":{told.rules},"metric_names":{told.names}'
    return (
        f'"status":{status},"silent":{_truth(told.silent)},"stalled":{_truth(told.stalled)},'
        f'"attempt":{attempt},"superseded_by":{later},'
        f'"duplicate":{_truth(duplicate)},"stop_requested":{asked},'
        f'"missing_seq":{missing},"window_ends_at":{ends},"server_time":"{_milliseconds(now)}",'
        f'"head":{top},"warnings":{warnings}{rules}'
    )


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _result(result: Result) -> dict[str, Any]:
    refusal = result.refusal
    if refusal is None:
        return {"status": 200, "duplicate": result.duplicate}
    said: dict[str, Any] = {"status": refusal.status, "problem": refusal.problem()}
    if refusal.retry_after_s is not None:
        said["retry_after"] = refusal.retry_after_s
    return said


@functools.lru_cache(maxsize=256)
def _ends(until: datetime) -> str:
    """The end of a window, which is the same for days."""
    return instant_text(until)


def _milliseconds(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
