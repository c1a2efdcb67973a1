"""What one source of one attempt has said so far: a fold over its events in the order of `seq`.

Events may come in any order and any number of times. The state is defined by the set of them:
an event that comes after all others takes one step, anything else folds the set anew. Times in
microseconds since 1970, durations in whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from app.runs.rules.events import CLOSINGS, ENDS, Kind, Stored
from app.runs.rules.judging import Context, Fired, Judged, judge
from app.runs.rules.metrics import MetricSeen, metric_text, with_metrics
from app.runs.rules.numbers import Numbers
from app.runs.rules.parts import (
    Ask,
    End,
    Inputs,
    Progress,
    Restored,
    Saved,
    Signs,
    ask_by,
    end_by,
    inputs_after,
    progress_after,
    restored_by,
    saved_by,
    signs_after,
)


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
        signs_after(state.signs, event),
        _started(state, event),
        progress_after(state.progress, event),
        with_metrics(state.metrics, fields, context.names, is_end=event.kind in ENDS),
        judge(
            state.judged,
            event,
            _measured(state, event),
            context,
            gap=gap,
            elapsed_s=_elapsed_s(state, event),
        ),
        saved_by(event) if event.kind is Kind.CHECKPOINT else state.saved,
        end_by(event, context) if event.kind in ENDS or event.kind in CLOSINGS else None,
        ask_by(event) if event.kind is Kind.ASK else state.ask,
        state.late,
        (*state.ids, fields["event_id"])[-_IDS_KEPT:] if "event_id" in fields else state.ids,
        _step_named(state, event),
        inputs_after(state.inputs, fields),
        restored_by(event) if "restore" in fields else state.restored,
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


def _elapsed_s(state: Stream, event: Stored) -> int | None:
    """How long the attempt has run: by its own measure, else since the start by its clock."""
    measured: int | None = event.fields.get("elapsed_s")
    if measured is not None or state.started_at_us is None:
        return measured
    return max(0, event.at_us - state.started_at_us) // 1_000_000


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
