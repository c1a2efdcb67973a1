"""Stop rules judged on the events of one source, with the code that the client judges with.

A gap in the numbers ends every row of hits: so an event that comes late can only make a rule
fire earlier, never take a firing back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.runs.rules.events import CLOCK, ENDS, Stored
from punktum.evaluating import (
    OF_TIME,
    Firing,
    InputCount,
    Observation,
    RuleState,
    evaluate_all,
)
from punktum.stop_rules import StopRule


@dataclass(frozen=True, slots=True)
class Fired:
    """A rule that fired: on which value, when by the job's clock, and who found it.

    `on_box`: the client fired it itself; `confirmed`: so did the server's own evaluation.
    `step_no` is the job's progress, `elapsed_s` counts from the start of the attempt.
    """

    rule: str
    metric: str | None
    value: str | None
    act: str
    text: str
    seq: int
    at_us: int
    elapsed_s: int | None
    step_no: int | None
    on_box: bool
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Told:
    """What the client says that a rule has seen, also in values that were never sent."""

    evaluated: int
    hits: int
    last: str | None


@dataclass(frozen=True, slots=True)
class Judged:
    """The rules as one source has met them."""

    states: Mapping[str, RuleState] = field(default_factory=dict)
    told: Mapping[str, Told] = field(default_factory=dict)
    firings: tuple[Fired, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """What events are judged by: the rules that hold for the step, and our names of metrics."""

    rules: tuple[StopRule, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_timed(self) -> bool:
        """Whether any rule is judged on an event that measures nothing."""
        return any(rule.kind in OF_TIME and rule.after_s is not None for rule in self.rules)

    @property
    def acts(self) -> Mapping[str, str]:
        """What the plan says of each rule: `stop` or `warn`."""
        return {rule.id: rule.act for rule in self.rules}


def judge(
    before: Judged,
    event: Stored,
    metrics: Mapping[str, float | str],
    context: Context,
    *,
    gap: bool,
    elapsed_s: int | None = None,
) -> Judged:
    """What the rules have seen after an event that measured `metrics`.

    `gap` says that numbers before it are missing; `elapsed_s` how long the attempt has run.
    """
    fields = event.fields
    states = _row_ended(before.states) if gap else before.states
    found: list[Firing] = []
    inputs = fields.get("inputs")
    if context.rules and (metrics or inputs or context.is_timed):
        counted = {name: InputCount(**counts) for name, counts in (inputs or {}).items()}
        seen = Observation(metrics, fields.get("progress"), elapsed_s, counted)
        states, found = evaluate_all(context.rules, states, seen.named(context.names))
    if event.kind in ENDS:
        states, found = _left_in_time(context, before.states, states, found)
    said = [*fields.get("fired", ()), *_named_by_end(event, context, before.firings, found)]
    told = before.told
    if "judged" in fields:
        told = {**told, **{name: _told(item) for name, item in fields["judged"].items()}}
    if not found and not said:
        return Judged(states, told, before.firings)
    firings = before.firings
    for firing in found:
        firings = _with(firings, _own(firing, event))
    for item in said:
        firings = _with(firings, _told_of(item, event, context.acts))
    return Judged(states, told, firings)


def _left_in_time(
    context: Context,
    before: Mapping[str, RuleState],
    states: Mapping[str, RuleState],
    found: list[Firing],
) -> tuple[Mapping[str, RuleState], list[Firing]]:
    """A job that leaves anyway is judged for the time it took, but not stopped for it."""
    timed = {rule.id for rule in context.rules if rule.kind in OF_TIME}
    if not timed:
        return states, found
    kept = {
        name: replace(state, fired=before.get(name, RuleState()).fired) if name in timed else state
        for name, state in states.items()
    }
    return kept, [firing for firing in found if firing.rule not in timed]


def _named_by_end(
    event: Stored, context: Context, known: tuple[Fired, ...], found: list[Firing]
) -> list[dict[str, Any]]:
    """The rule of the plan that a job names when it ends: so it says that this rule fired."""
    rule = event.fields.get("rule") if event.kind in ENDS else None
    if rule is None or rule not in context.acts:
        return []
    if rule in {fired.rule for fired in known} | {firing.rule for firing in found}:
        return []
    return [{"rule": rule, "text": event.fields.get("reason_text")}]


def _row_ended(states: Mapping[str, RuleState]) -> Mapping[str, RuleState]:
    if not any(state.hits and not state.fired for state in states.values()):
        return states
    return {
        name: state if state.fired else replace(state, hits=0) for name, state in states.items()
    }


def _told(item: Mapping[str, Any]) -> Told:
    return Told(item.get("evaluated", 0), item.get("hits", 0), item.get("last"))


def _with(firings: tuple[Fired, ...], new: Fired) -> tuple[Fired, ...]:
    """Each rule once: the first word stands, a second from the other side confirms it."""
    for at, known in enumerate(firings):
        if known.rule == new.rule:
            both = replace(
                known,
                on_box=known.on_box or new.on_box,
                confirmed=known.confirmed or new.confirmed,
            )
            return (*firings[:at], both, *firings[at + 1 :])
    return (*firings, new)


def _own(firing: Firing, event: Stored) -> Fired:
    return Fired(
        firing.rule, firing.metric, firing.value, firing.act, firing.text,
        event.seq, event.at_us, event.fields.get("elapsed_s"), event.fields.get("progress"),
        on_box=False, confirmed=True,
    )  # fmt: skip


def _told_of(item: Mapping[str, Any], event: Stored, acts: Mapping[str, str]) -> Fired:
    """What a job, or the server's clock, says has fired; the plan says what that leads to.

    A rule that the plan does not have for this step stops nothing: it is kept as a warning.
    """
    found_here = event.source == CLOCK
    return Fired(
        item["rule"], item.get("metric"), item.get("value"), acts.get(item["rule"], "warn"),
        item.get("text") or item["rule"], event.seq, event.at_us,
        event.fields.get("elapsed_s"), event.fields.get("progress"),
        on_box=not found_here, confirmed=found_here,
    )  # fmt: skip
