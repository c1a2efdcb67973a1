"""What one source of one attempt has said so far: a fold over its events in the order of `seq`.

Events may come in any order and any number of times. The state is defined by the set of them:
an event that comes after all others takes one step, anything else folds the set anew. Times in
microseconds since 1970, durations in whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from app.runs.rules.events import CLOSINGS, ENDS, Kind, Stored
from app.runs.rules.judging import Context, Fired, Judged, judge
from app.runs.rules.metrics import MetricSeen, metric_text, with_metrics
from app.runs.rules.numbers import Numbers


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


@dataclass(frozen=True, slots=True)
class Stream:
    """The state of one source."""

    numbers: Numbers = field(default_factory=Numbers)
    signs: Signs | None = None
    started_at_us: int | None = None
    progress: Progress | None = None
    metrics: Mapping[str, MetricSeen] = field(default_factory=dict)
    judged: Judged = field(default_factory=Judged)
    saved: Saved | None = None
    end: End | None = None
    ask: Ask | None = None
    late: int = 0
    ids: tuple[str, ...] = ()
    step: str | None = None
    inputs: Mapping[str, Inputs] = field(default_factory=dict)
    restored: Restored | None = None

    @property
    def firings(self) -> tuple[Fired, ...]:
        """The stop rules that fired here, each once."""
        return self.judged.firings


EMPTY = Stream()
_IDS_KEPT = 20
_NOTHING: Mapping[str, float | str] = {}


def fold(events: Iterable[Stored], context: Context) -> Stream:
    """The state after a set of events of one source, whatever their order and repetition."""
    state = EMPTY
    for event in sorted({event.seq: event for event in events}.values(), key=lambda e: e.seq):
        state = step(state, event, context)
    return state


def step(state: Stream, event: Stored, context: Context) -> Stream:
    """The state with an event whose number is above all others; raises ValueError otherwise."""
    if event.seq <= state.numbers.last:
        raise ValueError("an earlier number folds the set anew")
    numbers = state.numbers.including(event.seq)
    if state.end is not None:
        return replace(state, numbers=numbers, late=state.late + 1)
    gap = event.seq != state.numbers.last + 1
    fields = event.fields
    return Stream(
        numbers,
        _signs(state.signs, event),
        _started(state, event),
        _progress(state.progress, event),
        with_metrics(state.metrics, fields, context.names, is_end=event.kind in ENDS),
        judge(state.judged, event, _measured(state, event), context, gap=gap),
        _saved(event) if event.kind is Kind.CHECKPOINT else state.saved,
        _end(event) if event.kind in ENDS or event.kind in CLOSINGS else None,
        _ask(event) if event.kind is Kind.ASK else state.ask,
        state.late,
        (*state.ids, fields["event_id"])[-_IDS_KEPT:] if "event_id" in fields else state.ids,
        _step_named(state, event),
        _inputs(state.inputs, fields),
        _restored(event) if "restore" in fields else state.restored,
    )


def with_gap_filled(state: Stream, seq: int) -> Stream:
    """The state that only counts an earlier event, until the set is folded anew."""
    return replace(state, numbers=state.numbers.including(seq))


def _measured(state: Stream, event: Stored) -> Mapping[str, float | str]:
    """The values that are new with this event: an end says the last ones again."""
    metrics: Mapping[str, float | str] = event.fields.get("metrics", _NOTHING)
    if event.kind not in ENDS:
        return metrics
    known = state.metrics
    return {
        name: value
        for name, value in metrics.items()
        if name not in known or known[name].last != metric_text(value)
    }


def _signs(before: Signs | None, event: Stored) -> Signs:
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


def _started(state: Stream, event: Stored) -> int | None:
    if state.started_at_us is None and event.kind is Kind.START:
        return event.at_us
    return state.started_at_us


def _step_named(state: Stream, event: Stored) -> str | None:
    """The step by the first start, else by the first event that names one."""
    is_first_start = event.kind is Kind.START and state.started_at_us is None
    if is_first_start or state.step is None:
        said: str | None = event.fields.get("step", state.step)
        return said
    return state.step


def _progress(before: Progress | None, event: Stored) -> Progress | None:
    done, total = event.fields.get("progress"), event.fields.get("total")
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


def _inputs(before: Mapping[str, Inputs], fields: Mapping[str, Any]) -> Mapping[str, Inputs]:
    said = fields.get("inputs")
    if not said:
        return before
    return {**before, **{name: Inputs(**counts) for name, counts in said.items()}}


def _restored(event: Stored) -> Restored:
    said = event.fields["restore"]
    return Restored(event.at_us, **{**said, "states": tuple(said.get("states", ()))})


def _saved(event: Stored) -> Saved:
    said = event.fields
    return Saved(
        event.at_us,
        said.get("path"),
        said.get("size"),
        tuple(said.get("states", ())),
        said.get("progress"),
        said.get("write_s"),
    )


def _end(event: Stored) -> End:
    said = event.fields
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


def _ask(event: Stored) -> Ask:
    return Ask(event.fields.get("reason_text") or "", event.at_us)
