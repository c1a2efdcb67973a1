"""Judging stop rules, on the box and on the server with this one code.

Pure functions on frozen dataclasses: a rule, what it has seen so far, and one observation give the
next state and, at most once per run, a firing. Nothing here reads a clock, a file or the network.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from punktum.stop_rules import StopRule
from punktum.values import Value, as_number, as_text, span_text

OF_VALUES: Final = frozenset({"non_finite", "below", "above"})
OF_TIME: Final = frozenset({"overtime"})
JUDGED_HERE: Final = OF_VALUES | OF_TIME | {"input_truncated"}
"""Kinds that one observation decides. The others need what only the server knows, or are the
job's own word."""


@dataclass(frozen=True, slots=True)
class RuleState:
    """What a rule has seen in one run: values judged, consecutive hits, the last value as text."""

    evaluated: int = 0
    hits: int = 0
    last: str | None = None
    fired: bool = False


@dataclass(frozen=True, slots=True)
class InputCount:
    """How many inputs of one name were expected and how many of them were truncated."""

    expected: int
    truncated: int


@dataclass(frozen=True, slots=True)
class Observation:
    """New values of one moment: only what was measured now, never an older value again.

    ``step`` is the job's progress, ``elapsed_s`` whole seconds since the attempt began, ``now_s``
    the instant in seconds since 1970 where a clock is known that can be trusted.
    """

    metrics: Mapping[str, Value] = field(default_factory=dict)
    step: int | None = None
    elapsed_s: int | None = None
    inputs: Mapping[str, InputCount] = field(default_factory=dict)
    now_s: float | None = None

    def named(self, names: Mapping[str, str]) -> Observation:
        """The same with our names added; ``names`` is ``{our name: the job's name}``."""
        ours = {our: self.metrics[job] for our, job in names.items() if job in self.metrics}
        return replace(self, metrics={**self.metrics, **ours}) if ours else self

    def number(self, metric: str) -> float | None:
        """The metric's value as a float, None when it was not measured now or is no number."""
        value = self.metrics.get(metric)
        return None if value is None else as_number(value)


@dataclass(frozen=True, slots=True)
class Firing:
    """A rule that fired: on which value, and after how many consecutive hits."""

    rule: str
    metric: str | None
    value: str | None
    act: str
    hits: int
    text: str


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one observation holds for a rule."""

    hit: bool
    last: str
    text: str
    metric: str | None = None
    value: str | None = None


def evaluate(
    rule: StopRule, state: RuleState, observation: Observation
) -> tuple[RuleState, Firing | None]:
    """Judge one observation. Kinds judged elsewhere, and rules that fired, stay as they are.

    A value that cannot be compared with a threshold (NaN under ``below`` or ``above``) is neither
    a hit nor the end of a row of hits.
    """
    seen = None if state.fired else _look(rule, observation)
    if seen is None:
        return state, None
    hits = state.hits + 1 if seen.hit else 0
    after = RuleState(state.evaluated + 1, hits, seen.last)
    if not seen.hit or hits < rule.for_:
        return after, None
    firing = Firing(rule.id, seen.metric, seen.value, rule.act, hits, seen.text)
    return replace(after, fired=True), firing


def evaluate_all(
    rules: Iterable[StopRule], states: Mapping[str, RuleState], observation: Observation
) -> tuple[dict[str, RuleState], list[Firing]]:
    """Judge one observation by all rules; ``states`` is by rule id, unseen rules start empty."""
    after = dict(states)
    firings = []
    for rule in rules:
        after[rule.id], firing = evaluate(rule, after.get(rule.id, RuleState()), observation)
        if firing is not None:
            firings.append(firing)
    return after, firings


def is_due(rule: StopRule, observation: Observation) -> bool:
    """Whether a rule about values is judged at this moment: it is past its step and hour."""
    if rule.kind not in OF_VALUES:
        return False
    return is_past(rule, observation.step, observation.elapsed_s)


def is_past(rule: StopRule, step: int | None, elapsed_s: int | None) -> bool:
    """Whether a run is past the step and the hour that a rule names."""
    if rule.after_step is not None and (step is None or step < rule.after_step):
        return False
    return rule.after_s is None or (elapsed_s is not None and elapsed_s >= rule.after_s)


def _look(rule: StopRule, observation: Observation) -> _Seen | None:
    if rule.kind in OF_VALUES:
        return _value(rule, observation)
    if rule.kind == "input_truncated":
        return _inputs(rule, observation)
    return _time(rule, observation) if rule.kind == "overtime" else None


def _value(rule: StopRule, observation: Observation) -> _Seen | None:
    if rule.metric is None or not is_due(rule, observation):
        return None
    number = observation.number(rule.metric)
    hit = None if number is None else _is_hit(rule, number)
    if number is None or hit is None:
        return None
    said = as_text(number)
    return _Seen(hit, said, _sentence(rule, number), rule.metric, said)


def _is_hit(rule: StopRule, number: float) -> bool | None:
    if rule.kind == "non_finite":
        return not math.isfinite(number)
    threshold = None if rule.value is None else as_number(rule.value)
    if threshold is None or math.isnan(number):
        return None
    return number < threshold if rule.kind == "below" else number > threshold


def _sentence(rule: StopRule, number: float) -> str:
    row = f", {rule.for_} values in a row" if rule.for_ > 1 else ""
    if rule.kind == "non_finite":
        return f"{rule.metric} is {as_text(number)}{row}"
    return f"{rule.metric} {as_text(number)} is {rule.kind} {rule.value}{row}"


def _inputs(rule: StopRule, observation: Observation) -> _Seen | None:
    """The input that was cut most often, of the one the rule names or of all."""
    counted = {
        name: count
        for name, count in observation.inputs.items()
        if rule.metric is None or name == rule.metric
    }
    if not counted:
        return None
    name = max(sorted(counted), key=lambda one: counted[one].truncated)
    count, most = counted[name], int(as_number(rule.value or "0") or 0)
    beyond = f", at most {most} may be" if most else ""
    text = f"{count.truncated} of {count.expected} {name} are truncated{beyond}"
    last = f"{count.truncated} of {count.expected}"
    return _Seen(count.truncated > most, last, text, name, str(count.truncated))


def _time(rule: StopRule, observation: Observation) -> _Seen | None:
    """Over its time, or past the last save that can still be fetched from the lot."""
    elapsed_s, now_s = observation.elapsed_s, observation.now_s
    if rule.after_s is not None and elapsed_s is not None:
        took = span_text(elapsed_s)
        text = f"{took} is over {span_text(rule.after_s)}"
        if elapsed_s > rule.after_s:
            return _Seen(True, took, text, None, took)
    if rule.save_by is not None and now_s is not None:
        left = span_text(abs(rule.save_by - now_s))
        if now_s >= rule.save_by:
            text = f"past the last save that can still be fetched, by {left}"
            return _Seen(True, f"{left} past", text, None, f"{left} past")
        return _Seen(False, f"{left} left", "")
    if rule.after_s is not None and elapsed_s is not None:
        return _Seen(False, span_text(elapsed_s), "")
    return None
