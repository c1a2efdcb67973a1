"""The parts of a source's state, and what one event makes of each.

Times in microseconds since 1970, durations in whole seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.runs.rules.events import Kind, Stored
from app.runs.rules.judging import Context


class Signs(NamedTuple):
    """Signs of life: by the job's clock, by the job's own measure, and by our clock."""

    first_at_us: int
    last_at_us: int
    elapsed_s: int | None
    received_us: int
    promise_s: int | None


class Progress(NamedTuple):
    """How far the work is, since when, and the longest that it ever stood still.

    `before` is the work that was done before the attempt, as far as it says: a start says it, a
    first sign that names step n means that it did the steps before n.
    """

    done: int
    total: int | None
    since_us: int
    since_s: int | None
    longest_s: int = 0
    before: int = 0


class Inputs(NamedTuple):
    """How many inputs of one name a job expected, and how many of them it cut short."""

    expected: int
    truncated: int


@dataclass(frozen=True, slots=True)
class End:
    """How a source says that its attempt ended."""

    kind: Kind
    seq: int
    at_us: int
    received_us: int
    elapsed_s: int | None
    reason_code: str | None
    reason_text: str | None
    rule: str | None
    exit_code: int | None
    signal: int | None


@dataclass(frozen=True, slots=True)
class Ask:
    """A person asked the job to stop."""

    text: str
    at_us: int


@dataclass(frozen=True, slots=True)
class Saved:
    """The newest checkpoint that was reported."""

    at_us: int
    path: str | None
    size: int | None
    states: tuple[str, ...]
    progress: int | None
    write_s: float | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """The newest result of a restore check: saved early, loaded in a new process, compared.

    `compared` names the metric of which `expected` and `found` are the values as text; `steps`
    were compared. `size` in bytes, `save_s` and `restore_s` in seconds.
    """

    at_us: int
    passed: bool
    reason: str | None = None
    save_s: float | None = None
    restore_s: float | None = None
    size: int | None = None
    states: tuple[str, ...] = ()
    compared: str | None = None
    steps: int | None = None
    expected: str | None = None
    found: str | None = None
    path: str | None = None


def signs_after(before: Signs | None, event: Stored) -> Signs:
    """The signs of life after an event."""
    elapsed_s = event.fields.get("elapsed_s")
    promise_s = event.fields.get("expect_next_s")
    if before is None:
        return Signs(event.at_us, event.at_us, elapsed_s, event.received_us, promise_s)
    if before.elapsed_s is not None and (elapsed_s is None or elapsed_s < before.elapsed_s):
        elapsed_s = before.elapsed_s
    return Signs(
        min(before.first_at_us, event.at_us),
        max(before.last_at_us, event.at_us),
        elapsed_s,
        max(before.received_us, event.received_us),
        promise_s if promise_s is not None else before.promise_s,
    )


def progress_after(before: Progress | None, event: Stored) -> Progress | None:
    """How far the work is after an event; None while nothing was said of it."""
    done, total = event.fields.get("progress"), event.fields.get("total")
    if done is not None and before is not None and event.kind is Kind.CHECKPOINT:
        done = max(done, before.done)  # what is saved may be told later than what was done since
    if done is None:
        return before._replace(total=total) if before and total is not None else before
    now_s: int | None = event.fields.get("elapsed_s")
    if before is None:
        earlier = done if event.kind is Kind.START else max(0, done - 1)
        return Progress(done, total, event.received_us, now_s, 0, earlier)
    total = total if total is not None else before.total
    if done == before.done:
        return before if total == before.total else before._replace(total=total)
    stood_s = now_s - before.since_s if now_s is not None and before.since_s is not None else 0
    longest_s = max(before.longest_s, stood_s)
    return Progress(done, total, event.received_us, now_s, longest_s, before.before)


def inputs_after(before: Mapping[str, Inputs], fields: Mapping[str, Any]) -> Mapping[str, Inputs]:
    """The inputs counted so far, by name, after an event; the newest count of a name stands."""
    said = fields.get("inputs")
    if not said:
        return before
    return {**before, **{name: Inputs(**counts) for name, counts in said.items()}}


def restored_by(event: Stored) -> Restored:
    """What an event says of a restore check."""
    said = event.fields["restore"]
    return Restored(event.at_us, **{**said, "states": tuple(said.get("states", ()))})


def saved_by(event: Stored) -> Saved:
    """What a checkpoint says of itself."""
    said = event.fields
    return Saved(
        event.at_us,
        said.get("path"),
        said.get("size"),
        tuple(said.get("states", ())),
        said.get("progress"),
        said.get("write_s"),
    )


def end_by(event: Stored, context: Context) -> End:
    """How an event says that its attempt ended; a rule that the plan does not have is words."""
    said = _without_unknown_rule(event.fields, context)
    return End(
        event.kind,
        event.seq,
        event.at_us,
        event.received_us,
        said.get("elapsed_s"),
        said.get("reason_code"),
        said.get("reason_text"),
        said.get("rule"),
        said.get("exit_code"),
        said.get("signal"),
    )


def _without_unknown_rule(said: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
    """A job that stops by a rule which the plan does not have stopped by its own judgement."""
    rule = said.get("rule")
    if rule is None or rule in context.acts:
        return said
    text = said.get("reason_text")
    told = f"{rule}: {text}" if text else str(rule)
    return {**said, "rule": None, "reason_code": None, "reason_text": told[:500]}


def ask_by(event: Stored) -> Ask:
    """What a person asked for."""
    return Ask(event.fields.get("reason_text") or "", event.at_us)
