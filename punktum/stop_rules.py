"""Stop rules as the plan seals them and the wire carries them: what ends a run, and why.

Frozen data, the same on the box and on the server; ``evaluating.py`` judges by it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from punktum.instants import epoch_s, instant_text
from punktum.values import as_number

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
ACTS: Final = ("stop", "warn")
OF_A_METRIC: Final = frozenset({"non_finite", "below", "above", "not_better"})
"""Kinds that say nothing without the name of a metric."""


@dataclass(frozen=True, slots=True)
class StopRule:
    """One sealed rule. ``for_`` counts consecutive values; ``after_s`` is in seconds.

    ``steps`` names the steps it holds for (empty: all); ``value`` is the threshold as text, so
    that it is the same number on both sides. ``limits_s`` are the longest times of single steps
    where an ``overtime`` rule states none itself; ``saves_by`` are the instants, in seconds since
    1970, of their last saves that can still be fetched. ``better`` is higher or lower.
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
    better: str | None = None
    limits_s: tuple[tuple[str, int], ...] = ()
    saves_by: tuple[tuple[str, int], ...] = ()

    def for_step(self, step: str | None) -> StopRule:
        """The rule as it holds for one step: the limits of that step alone."""
        if not self.limits_s and not self.saves_by:
            return self
        limits_s = tuple(limit for limit in self.limits_s if limit[0] == step)
        after_s = self.after_s if self.after_s is not None else dict(limits_s).get(step or "")
        saves_by = tuple(save for save in self.saves_by if save[0] == step)
        return replace(self, after_s=after_s, limits_s=limits_s, saves_by=saves_by)

    @property
    def save_by(self) -> int | None:
        """The last save that can still be fetched, of a rule that holds for one step."""
        return self.saves_by[0][1] if len(self.saves_by) == 1 else None


def rules_for(rules: Iterable[StopRule], step: str | None) -> tuple[StopRule, ...]:
    """The rules that hold for a step; without a step only those that hold for all."""
    return tuple(rule.for_step(step) for rule in rules if not rule.steps or step in rule.steps)


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
    metric, value, better = item.get("metric"), item.get("value"), item.get("better")
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
        better=None if better is None else str(better),
        limits_s=_limits(name, item.get("limits_s")),
        saves_by=_saves(name, item.get("saves_by")),
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
        "better": rule.better,
        "limits_s": dict(rule.limits_s) or None,
        "saves_by": {step: instant_text(at) for step, at in rule.saves_by} or None,
    }
    form.update({key: value for key, value in optional.items() if value is not None})
    return form


def _check(rule: StopRule) -> None:
    if rule.act not in ACTS:
        raise ValueError(f"stop rule {rule.id}: act is {rule.act!r}, allowed: {', '.join(ACTS)}")
    if rule.kind in OF_A_METRIC and not rule.metric:
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


def _limits(name: str, value: object) -> tuple[tuple[str, int], ...]:
    found = ((step, _whole(name, "limits_s", limit)) for step, limit in _by_step(name, value))
    return tuple(sorted((step, limit) for step, limit in found if limit is not None))


def _saves(name: str, value: object) -> tuple[tuple[str, int], ...]:
    found = []
    for step, said in _by_step(name, value):
        at = epoch_s(said) if isinstance(said, str) else None
        if at is None:
            raise ValueError(f"stop rule {name}: saves_by is {said!r}, an instant with its offset")
        found.append((step, int(at)))
    return tuple(sorted(found))


def _by_step(name: str, value: object) -> list[tuple[str, object]]:
    if value is None:
        return []
    if not isinstance(value, Mapping):
        raise ValueError(f"stop rule {name}: an object by step is needed, got {value!r}")
    return [(str(step), said) for step, said in value.items()]


def _texts(name: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"stop rule {name}: steps must be a list of step ids")
    return tuple(value)
