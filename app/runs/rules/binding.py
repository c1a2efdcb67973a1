"""What of an attempt goes to the journal: starts, stop records and ends, when they change.

Compared are the facts before and after an event. A fact that evidence which came late has moved
(a rule fired on an earlier value, a lost run had finished after all) is written again; the newest
entry counts and the earlier ones stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from app.runs.rules.attempts import Ended, Facts
from app.runs.rules.events import Status
from app.runs.rules.judging import Fired
from app.runs.rules.metrics import MetricSeen
from app.runs.rules.parts import Ask, Restored
from app.runs.rules.times import text_of

STARTED = "run.started"
STOP_RECORDED = "run.stop_recorded"
ENDED = "run.ended"
RESTORE_CHECKED = "run.restore_checked"


@dataclass(frozen=True, slots=True)
class Subject:
    """Which attempt of which run is spoken of, and what its start said."""

    run: str
    attempt: int
    attempt_id: str
    step: str | None
    config_sha256: str | None
    machine_s: int
    start: Mapping[str, Any]
    start_us: int | None
    supersedes: int | None = None
    metrics: Mapping[str, MetricSeen] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Binding:
    """An entry to write; `by` is `job`, `rule:<id>` or `person`."""

    kind: str
    by: str
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class StopFact:
    """One line of the stop register; `key` tells the lines of an attempt apart."""

    key: str
    by: str
    payload: Mapping[str, object]


def bindings(
    subject: Subject, before: Facts, now: Facts, measured: Mapping[str, MetricSeen] | None = None
) -> Iterator[Binding]:
    """The entries that bring the journal from one set of facts to the other.

    `measured` are the metrics as they were before. An end carries the values, so that what a
    decision rests on cannot be changed in the events alone; later values are written again.
    """
    about = _about(subject)
    starts = now.started and not before.started
    if starts:
        yield Binding(STARTED, "job", {**about, **_start(subject)})
    known = {fact.key: fact for fact in stop_facts(before)}
    for fact in stop_facts(now):
        # A start that comes late tells step and configuration of what was recorded before it.
        if starts or known.get(fact.key) != fact:
            yield Binding(STOP_RECORDED, fact.by, {**about, "key": fact.key, **fact.payload})
    for key in known.keys() - {fact.key for fact in stop_facts(now)}:
        withdrawn = {"key": key, **known[key].payload, "withdrawn": True}
        yield Binding(STOP_RECORDED, known[key].by, {**about, **withdrawn})
    if now.restored is not None and now.restored != before.restored:
        yield Binding(RESTORE_CHECKED, "job", {**about, **_restored(now.restored)})
    is_remeasured = dict(measured or {}) != dict(subject.metrics)
    # A start that comes after the end tells what the entry about the end could not say.
    if now.end is not None and (now.end != before.end or is_remeasured or starts):
        yield Binding(ENDED, now.end.by, ended_payload(subject, now.end, before.end))


def stop_facts(facts: Facts) -> tuple[StopFact, ...]:
    """The stop register's lines of an attempt: rules that fired, a person's ask, other stops."""
    lines = [_fired(fired) for fired in facts.firings]
    if facts.ask is not None:
        lines.append(_asked(facts.ask))
    end = facts.end
    if end is not None and end.status is Status.STOPPED:
        told = {fired.rule for fired in facts.firings}
        was_asked = facts.ask is not None and end.reason_code in (None, "operator")
        if end.rule not in told and not was_asked:
            lines.append(_stopped(end))
    return tuple(lines)


def _fired(fired: Fired) -> StopFact:
    by = "job" if fired.on_box else f"rule:{fired.rule}"
    payload = _line(fired.rule, f"rule:{fired.rule}", fired.text, fired.act, fired.at_us)
    seen: dict[str, object] = {
        "metric": fired.metric,
        "value": fired.value,
        "fired_on_box": fired.on_box,
        "confirmed": fired.confirmed,
    }
    return StopFact(f"rule:{fired.rule}", by, {**payload, **seen})


def _asked(ask: Ask) -> StopFact:
    return StopFact("asked", "person", _line(None, "operator", ask.text, "stop", ask.at_us))


def _stopped(end: Ended) -> StopFact:
    code = end.reason_code or "operator"
    payload = _line(end.rule, code, end.reason_text or "", "stop", end.at_us)
    return StopFact("ended", end.by, payload)


def _line(rule: str | None, code: str, said: str, act: str, at_us: int) -> dict[str, object]:
    return {
        "rule": rule,
        "reason_code": code,
        "text": said,
        "act": act,
        "metric": None,
        "value": None,
        "fired_on_box": False,
        "confirmed": False,
        "at": text_of(at_us),
    }


def _about(subject: Subject) -> dict[str, object]:
    return {
        "run": subject.run,
        "attempt": subject.attempt,
        "attempt_id": subject.attempt_id,
        "step": subject.step,
        "config_sha256": subject.config_sha256,
    }


def _restored(found: Restored) -> dict[str, object]:
    """What a restore check found; seconds as decimal text."""
    said = asdict(found)
    for name in ("save_s", "restore_s"):
        said[name] = None if said[name] is None else f"{said[name]:.3f}"
    return {**said, "states": list(found.states), "at": text_of(said.pop("at_us"))}


def _values(seen: MetricSeen) -> dict[str, str]:
    """The texts that are known of a metric."""
    return {name: said for name, said in seen._asdict().items() if said is not None}


def _start(subject: Subject) -> dict[str, object]:
    said = {name: subject.start.get(name) for name in ("host", "lot", "gpus", "parent")}
    at = None if subject.start_us is None else text_of(subject.start_us)
    return {**said, "at": at, "supersedes": subject.supersedes}


def ended_payload(subject: Subject, end: Ended, before: Ended | None) -> dict[str, object]:
    """What the entry about an end says."""
    return {
        **_about(subject),
        "status": end.status.value,
        "reason_code": end.reason_code,
        "reason_text": end.reason_text,
        "rule": end.rule,
        "exit_code": end.exit_code,
        "signal": end.signal,
        "at": text_of(end.at_us),
        "machine_s": subject.machine_s,
        "corpora": (subject.start.get("config") or {}).get("corpora"),
        "metrics": {name: _values(seen) for name, seen in subject.metrics.items()},
        "corrects": None if before is None else before.status.value,
    }


def disagreement(
    subject: Subject, now: Facts, written: Mapping[str, Any] | None
) -> tuple[str, ...]:
    """What of an attempt's events contradicts its newest entry `run.ended`; () when all agrees.

    Compared is what the entry says: a value that was not written then is not missed now. Machine
    time may still grow when a second source goes on after the end, so it is left out.
    """
    if now.end is None or written is None:
        return () if (now.end is None) == (written is None) else ("end",)
    said = ended_payload(subject, now.end, None)
    compared = written.keys() - {"corrects", "machine_s"}
    return tuple(sorted(name for name in compared if written[name] != said.get(name)))
