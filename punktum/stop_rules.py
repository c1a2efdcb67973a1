"""Stop rules, judged by the client on the box and by the server with this one code.

Pure functions on frozen dataclasses: a rule, what it has seen so far, and one observation give the
next state and, at most once per run, a firing. Nothing here reads a clock, a file or the network.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

KINDS: Final = (
    "non_finite",
    "below",
    "above",
    "not_better",
    "input_truncated",
    "no_restore",
    "silent",
    "overtime",
    "custom",
)
JUDGED_HERE: Final = frozenset({"non_finite", "below", "above"})
ACTS: Final = ("stop", "warn")

Value = float | str
"""A metric's value: a number, or text such as ``"nan"`` or ``"0.31"`` as it came over the wire."""


@dataclass(frozen=True, slots=True)
class StopRule:
    """One sealed rule. ``for_`` counts consecutive values; ``after_s`` is in seconds.

    ``steps`` names the steps it holds for (empty: all); ``value`` is the threshold as text, so
    that it is the same number on both sides.
    """

    id: str
    kind: str
    metric: str | None = None
    value: str | None = None
    for_: int = 1
    act: str = "stop"
    steps: tuple[str, ...] = ()
    after_step: int | None = None
    after_s: int | None = None


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

    ``step`` is the job's progress, ``elapsed_s`` whole seconds since the attempt began.
    """

    metrics: Mapping[str, Value] = field(default_factory=dict)
    step: int | None = None
    elapsed_s: int | None = None
    inputs: Mapping[str, InputCount] = field(default_factory=dict)

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
    metric: str
    value: str
    act: str
    hits: int
    text: str


def as_number(value: Value) -> float | None:
    """Read a value as a float: ``"nan"``, ``"-inf"``, ``"1e999"`` are some, ``"good"`` is None."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if not str(value).startswith("-") else -math.inf
    except (TypeError, ValueError):
        return None


def as_text(value: Value) -> str:
    """A value as the text both sides print: ``nan``, ``inf``, ``-inf``, ``3``, ``0.31``."""
    number = as_number(value)
    if number is None:
        return str(value)
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(number)


def evaluate(
    rule: StopRule, state: RuleState, observation: Observation
) -> tuple[RuleState, Firing | None]:
    """Judge one observation. Kinds judged elsewhere, and rules that fired, stay as they are.

    A value that cannot be compared with a threshold (NaN under ``below`` or ``above``) is neither
    a hit nor the end of a row of hits.
    """
    if state.fired or not is_due(rule, observation) or rule.metric is None:
        return state, None
    number = observation.number(rule.metric)
    if number is None:
        return state, None
    hit = _is_hit(rule, number)
    if hit is None:
        return state, None
    seen = RuleState(state.evaluated + 1, state.hits + 1 if hit else 0, as_text(number))
    if seen.hits < rule.for_:
        return seen, None
    firing = Firing(
        rule.id, rule.metric, as_text(number), rule.act, seen.hits, _sentence(rule, number)
    )
    return replace(seen, fired=True), firing


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
    """Whether the rule is judged at this moment: a kind known here, and past its step and hour."""
    if rule.kind not in JUDGED_HERE:
        return False
    if rule.after_step is not None and (
        observation.step is None or observation.step < rule.after_step
    ):
        return False
    return rule.after_s is None or (
        observation.elapsed_s is not None and observation.elapsed_s >= rule.after_s
    )


def rules_for(rules: Iterable[StopRule], step: str | None) -> tuple[StopRule, ...]:
    """The rules that hold for a step; without a step only those that hold for all."""
    return tuple(rule for rule in rules if not rule.steps or step in rule.steps)


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


def parse_rules(items: Iterable[Mapping[str, object]]) -> tuple[StopRule, ...]:
    """Read rules from their wire form or from a campaign file's tables.

    Keys not known here are left alone, so that an older client can read a newer plan. Raises
    ValueError naming the rule and what is wrong with it.
    """
    return tuple(parse_rule(item) for item in items)


def parse_rule(item: Mapping[str, object]) -> StopRule:
    """Read one rule; ValueError when it is malformed. ``after_hours`` becomes ``after_s``."""
    name, kind = item.get("id"), item.get("kind")
    if not isinstance(name, str) or not name:
        raise ValueError(f"a stop rule needs an id, got {name!r}")
    if not isinstance(kind, str) or not kind:
        raise ValueError(f"stop rule {name}: kind is missing")
    metric, value = item.get("metric"), item.get("value")
    gentle = kind == "non_finite" and metric == "grad_norm"
    rule = StopRule(
        id=name,
        kind=kind,
        metric=None if metric is None else str(metric),
        value=None if value is None else _threshold(name, value),
        for_=_whole(name, "for", item.get("for"), least=1) or (5 if gentle else 1),
        act=str(item.get("act") or ("warn" if gentle else "stop")),
        steps=_texts(name, item.get("steps")),
        after_step=_whole(name, "after_step", item.get("after_step")),
        after_s=_after_s(name, item),
    )
    _check(rule)
    return rule


def as_dict(rule: StopRule) -> dict[str, object]:
    """The wire form; what is not set is absent. ``parse_rule(as_dict(rule)) == rule``."""
    form: dict[str, object] = {"id": rule.id, "kind": rule.kind}
    optional: dict[str, object | None] = {
        "metric": rule.metric,
        "value": rule.value,
        "for": rule.for_,
        "act": rule.act,
        "steps": list(rule.steps) or None,
        "after_step": rule.after_step,
        "after_s": rule.after_s,
    }
    form.update({key: value for key, value in optional.items() if value is not None})
    return form


def _check(rule: StopRule) -> None:
    if rule.act not in ACTS:
        raise ValueError(f"stop rule {rule.id}: act is {rule.act!r}, allowed: {', '.join(ACTS)}")
    if rule.kind in JUDGED_HERE and not rule.metric:
        raise ValueError(f"stop rule {rule.id}: {rule.kind} needs a metric")
    if rule.kind in ("below", "above") and rule.value is None:
        raise ValueError(f"stop rule {rule.id}: {rule.kind} needs a value")


def _threshold(name: str, value: object) -> str:
    text = value.strip() if isinstance(value, str) else str(value)
    number = as_number(text)
    if number is None or not math.isfinite(number):
        raise ValueError(f"stop rule {name}: value {value!r} is not a finite number")
    return text


def _whole(name: str, key: str, value: object, least: int = 0) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(
            f"stop rule {name}: {key} is {value!r}, a whole number >= {least} is needed"
        )
    return value


def _after_s(name: str, item: Mapping[str, object]) -> int | None:
    if item.get("after_s") is not None or item.get("after_hours") is None:
        return _whole(name, "after_s", item.get("after_s"))
    hours = as_number(str(item["after_hours"]))
    if hours is None or not math.isfinite(hours) or hours < 0:
        raise ValueError(f"stop rule {name}: after_hours is {item['after_hours']!r}")
    return round(hours * 3600)


def _texts(name: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"stop rule {name}: steps must be a list of step ids")
    return tuple(value)
