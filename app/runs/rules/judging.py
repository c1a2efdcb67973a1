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
    def untimed(self) -> tuple[StopRule, ...]:
        """The rules that time alone does not decide."""
        return tuple(rule for rule in self.rules if rule.kind not in OF_TIME)


def judge(
    before: Judged,
    event: Stored,
    metrics: Mapping[str, float | str],
    context: Context,
    *,
    gap: bool,
) -> Judged:
    """What the rules have seen after an event that measured `metrics`.

    `gap` says that numbers before it are missing.
    """
    fields = event.fields
    states = _row_ended(before.states) if gap else before.states
    found: list[Firing] = []
    inputs = fields.get("inputs")
    if context.rules and (metrics or inputs or context.is_timed):
        counted = {name: InputCount(**counts) for name, counts in (inputs or {}).items()}
        # A job that leaves anyway is not stopped for the time it took.
        rules = context.untimed if event.kind in ENDS else context.rules
        seen = Observation(metrics, fields.get("progress"), fields.get("elapsed_s"), counted)
        states, found = evaluate_all(rules, states, seen.named(context.names))
    said = fields.get("fired")
    told = before.told
    if "judged" in fields:
        told = {**told, **{name: _told(item) for name, item in fields["judged"].items()}}
    if not found and not said:
        return Judged(states, told, before.firings)
    firings = before.firings
    for firing in found:
        firings = _with(firings, _own(firing, event))
    acts = {rule.id: rule.act for rule in context.rules}
    for item in said or ():
        firings = _with(firings, _told_of(item, event, acts))
    return Judged(states, told, firings)


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
