"""Reading one event of the job API: every field by its name, its values and its kinds of event."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from app.runs.rules.events import (
    ATTEMPT_ID,
    ENDS,
    JOB_KINDS,
    MAIN,
    REASONS,
    RUN_ID,
    SHELL,
    SOURCE,
    SOURCES,
    STATES,
    Event,
    Kind,
)
from app.runs.rules.values import (
    LOG_TAIL_BYTES,
    MOST_SEQ,
    Reader,
    Unreadable,
    addresses_by_name,
    finite,
    flag,
    instant,
    listed,
    log_tail,
    matching,
    metrics,
    one_of,
    part_of,
    sha256,
    table,
    tables_by_name,
    texts_by_name,
    unknown,
    whole,
    words,
)
from app.texts import text

WEEK_S: Final = 7 * 86400
SIGNALS: Final = 64
"""The greatest number of a signal."""
_ID = matching(ATTEMPT_ID, text("32 of the characters 0-9 and a-f"))
_REVISION = matching(re.compile(r"[0-9a-f]{7,64}\Z"), text("7 to 64 of the characters 0-9 and a-f"))
_RUN = matching(
    RUN_ID, text("1 to 64 letters, digits, dots, lines and underscores, a letter or digit first")
)
_SOURCE = matching(
    SOURCE, text("wrapper, main, tracker, or the like of rank-3 and main-2"), SOURCES
)
_COUNT = whole(0)
_CONFIG = table(
    {
        "params": texts_by_name(5000, 20_000),
        "config_file": sha256,
        "git_commit": _REVISION,
        "git_diff": sha256,
        "corpora": texts_by_name(200, 200),
    }
)
_JUDGED = part_of(
    table({"evaluated": _COUNT, "hits": _COUNT, "last": words(100)}), "hits", "evaluated"
)
_FIRED = table(
    {
        "rule": words(64),
        "metric": words(128),
        "value": words(100),
        "act": one_of(("stop", "warn")),
        "text": words(500),
    },
    needed=("rule",),
)
_INPUT = part_of(
    table({"expected": _COUNT, "truncated": _COUNT}, needed=("expected", "truncated")),
    "truncated",
    "expected",
)
_RESTORE = table(
    {
        "passed": flag,
        "reason": words(500),
        "save_s": finite,
        "restore_s": finite,
        "size": _COUNT,
        "states": listed(one_of(STATES), 20),
        "compared": words(128),
        "steps": _COUNT,
        "expected": words(100),
        "found": words(100),
        "path": words(4096),
    },
    needed=("passed",),
)
IDENTITY: Final[Mapping[str, Reader]] = {
    "run": _RUN,
    "attempt_id": _ID,
    "source": _SOURCE,
    "seq": whole(1, MOST_SEQ),
    "kind": one_of(JOB_KINDS),
    "at": instant,
}
_ALL: Final[Mapping[str, Reader]] = {
    "elapsed_s": whole(0, 10**9),
    "step": words(64),
    "progress": _COUNT,
    "total": _COUNT,
    "metrics": metrics,
    "inputs": tables_by_name(_INPUT, 100),
    "judged": tables_by_name(_JUDGED, 200),
    "fired": listed(_FIRED, 200),
    "expect_next_s": whole(1, WEEK_S),
    "note": words(500),
    "event_id": words(64),
    "host": words(500),
    "links": addresses_by_name,
}
_START: Final[Mapping[str, Reader]] = {
    "config_sha256": sha256,
    "config": _CONFIG,
    "not_config": texts_by_name(5000, 20_000),
    "pid": _COUNT,
    "machine_id": sha256,
    "parent": _RUN,
    "takeover": flag,
    "gone_attempts": listed(_ID, 1000),
    "lot": words(64),
    "gpus": listed(whole(0, 4095), 4096),
    "command": words(1000),
    "client": words(200),
}
_CHECKPOINT: Final[Mapping[str, Reader]] = {
    "path": words(4096),
    "size": _COUNT,
    "states": listed(one_of(STATES), 20),
    "write_s": finite,
}
_RESTORED: Final[Mapping[str, Reader]] = {"restore": _RESTORE}
_END: Final[Mapping[str, Reader]] = {
    "exit_code": whole(-(2**31), 2**32 - 1),
    "signal": whole(1, 127),
    "reason_code": words(80),
    "reason_text": words(500),
    "rule": words(64),
    "log_tail": log_tail,
}
FIELDS: Final[Mapping[Kind, Mapping[str, Reader]]] = {
    Kind.START: {**IDENTITY, **_ALL, **_START},
    Kind.BEAT: {**IDENTITY, **_ALL, **_RESTORED},
    Kind.CHECKPOINT: {**IDENTITY, **_ALL, **_CHECKPOINT, **_RESTORED},
    **{
        kind: {**IDENTITY, **_ALL, **_END, **_RESTORED}
        for kind in (Kind.STOP, Kind.FAIL, Kind.FINISH)
    },
}
"""Kind of event → the fields it takes and how each is read."""


def read_event(body: object, *, run: str | None = None, kind: str | None = None) -> Event:
    """One event from JSON; `run` and `kind` come from the address where it names them.

    Raises Unreadable naming the field and, where there are few, the values that are right.
    """
    if not isinstance(body, Mapping):
        raise Unreadable("body", text("The body is a JSON object."))
    said = _named(body, "kind", kind)
    about = _named(body, "run", run)
    if not isinstance(said, str) or said not in FIELDS:
        raise Unreadable(
            "kind", text("The kind of an event is one of the words that are allowed."), JOB_KINDS
        )
    of_kind = Kind(said)
    readers = FIELDS[of_kind]
    found: dict[str, Any] = {}
    for name, value in body.items():
        reader = readers.get(name)
        if reader is None:
            raise unknown(name, tuple(readers))
        if value is not None:
            found[name] = reader(value, name)
    found.pop("kind", None)
    found.pop("run", None)
    seq = found.pop("seq", None)
    source = found.pop("source", MAIN if seq is not None else SHELL)
    event = Event(
        _RUN(about, "run_id" if run is not None else "run"),
        found.pop("attempt_id", None),
        source,
        seq,
        of_kind,
        found.pop("at", None),
        found,
    )
    _check(event)
    return event


def _named(body: Mapping[str, Any], name: str, given: str | None) -> Any:
    """A part of the identity: from the address, where the body may repeat it but not differ."""
    said = body.get(name)
    if given is None:
        return said
    if said is not None and said != given:
        raise Unreadable(name, text("{field} differs from the one in the address.", field=name))
    return given


def _check(event: Event) -> None:
    """What must hold between fields."""
    fields = event.fields
    if event.kind is Kind.START:
        for name in ("step", "config_sha256"):
            if name not in fields:
                raise Unreadable(name, text("A start needs {field}.", field=name))
    if event.kind in ENDS:
        _check_end(event)


def _check_end(event: Event) -> None:
    fields = event.fields
    code, rule = fields.get("reason_code"), fields.get("rule")
    if code is not None and code.startswith("rule:") and len(code) > len("rule:"):
        named = code.removeprefix("rule:")
        if rule not in (None, named):
            raise Unreadable(
                "rule", text("{field} differs from the rule in reason_code.", field="rule")
            )
        _set(fields, "rule", named)
    elif code is not None and code not in REASONS:
        said = text("{field} is one of the words that are allowed.", field="reason_code")
        raise Unreadable("reason_code", said, (*REASONS, "rule:<id>"))
    elif rule is not None:
        _set(fields, "reason_code", f"rule:{rule}")
    _check_kind_of_end(event.kind, code, fields.get("exit_code"))
    last = _last_line(fields.get("log_tail", "")) if event.kind is Kind.FAIL else ""
    if last and "reason_text" not in fields:
        _set(fields, "reason_text", last)


def _check_kind_of_end(kind: Kind, reason: str | None, exit_code: int | None) -> None:
    """What is said of an end goes with its kind: that it finished, failed, or was stopped."""
    if kind is Kind.FINISH and exit_code not in (None, 0):
        raise Unreadable("exit_code", text("A run that finished has the exit code 0."), ("0",))
    if kind is Kind.FINISH and reason in REASONS:
        said = text("A run that finished has no reason beside a stop rule: say stop or fail.")
        raise Unreadable("reason_code", said, ("rule:<id>",))
    if kind is Kind.FAIL and exit_code == 0:
        said = text("A run that failed has another exit code than 0: say finish, or leave it out.")
        raise Unreadable("exit_code", said)


def _set(fields: Mapping[str, Any], name: str, value: str) -> None:
    assert isinstance(fields, dict)
    fields[name] = value


def _last_line(tail: str) -> str:
    """The last line of a log that says something: most likely why it failed."""
    lines = [line.strip() for line in tail.splitlines() if line.strip()]
    return lines[-1].replace("\t", " ")[:500] if lines else ""


def exit_event(run: str, code: int, tail: bytes) -> Event:
    """How a shell tells an exit code; `tail` is the end of its log, whatever its encoding.

    Codes from 129 to 192 are signals as shells report them: INT is the operator's, TERM the
    infrastructure's stop, any other signal a failure of the infrastructure. The code is kept
    beside the signal. There is no signal above 64: such a code is the program's own, as 255 is.
    """
    if not 0 <= code <= 255:
        raise Unreadable("code", text("An exit code is a number from 0 to 255."))
    fields: dict[str, Any] = {}
    kind = Kind.FINISH if code == 0 else Kind.FAIL
    number = code - 128
    if 1 <= number <= SIGNALS:
        kind = Kind.STOP if number in (2, 15) else Kind.FAIL
        reason = "operator" if number == 2 else "infra"
        fields = {"exit_code": code, "signal": number, "reason_code": reason}
    elif code:
        fields = {"exit_code": code, "reason_code": "code_error"}
    else:
        fields = {"exit_code": 0}
    decoded = tail[-LOG_TAIL_BYTES:].decode("utf-8", "replace")
    if decoded.strip():
        fields["log_tail"] = log_tail(decoded.replace("\r\n", "\n"), "body")
        if code:
            fields["reason_text"] = _last_line(fields["log_tail"])
    return Event(_RUN(run, "run_id"), None, SHELL, None, kind, None, fields)
