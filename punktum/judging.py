"""Judges the sealed rules on every value measured, and says which values must be sent at once.

A beat carries only the newest value of each metric. Values that are a hit, or that end a row of
hits, are sent at once, and values seen before a rule became due are sent before later ones; so a
server that judges the values it sees counts the same hits as the client that saw them all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from punktum.evaluating import Firing, InputCount, Observation, RuleState, evaluate, is_due
from punktum.events import metric_number, plain
from punktum.stop_rules import StopRule

UNRULED_ROW: Final = 16
"""Values in a row that are not finite and are sent at once even where no rule is known."""
MOST_WATCHED: Final = 100
"""So many metrics that the plan names have their room, however many others come."""
AT_ONCE_PER_S: Final = 10.0
AT_ONCE_BURST: Final = 100.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """``flush_first``: send what waits before these values; ``at_once``: then send these."""

    firings: tuple[Firing, ...] = ()
    flush_first: bool = False
    at_once: bool = False


class Judge:
    """The rules of one step and what they have seen in this attempt. Not thread-safe by itself."""

    def __init__(self) -> None:
        self._rules: tuple[StopRule, ...] = ()
        self._names: dict[str, str] = {}
        self._states: dict[str, RuleState] = {}
        self._due: frozenset[str] = frozenset()
        self._rows: dict[str, int] = {}
        self._allowance = AT_ONCE_BURST
        self._allowed_at = time.monotonic()

    def use(self, rules: tuple[StopRule, ...], names: Mapping[str, str]) -> None:
        """Take over the sealed rules; what known rules have seen stays."""
        self._rules = rules
        self._names = dict(names)

    @property
    def rules(self) -> tuple[StopRule, ...]:
        """The rules judged here."""
        return self._rules

    def see(
        self,
        values: Mapping[str, float],
        progress: int | None,
        elapsed_s: int,
        *,
        inputs: Mapping[str, InputCount] | None = None,
        now_s: float | None = None,
    ) -> Judgement:
        """Judge new values and counts of inputs; without any of them, only what time decides.

        ``now_s``: seconds since 1970 by a clock that was set right by the server's.
        """
        seen = Observation(dict(values), progress, elapsed_s, inputs or {}, now_s)
        observation = seen.named(self._names)
        due = frozenset(rule.id for rule in self._rules if is_due(rule, observation))
        flush_first, self._due = due != self._due, due
        firings = []
        at_once = self._unruled(values)
        for rule in self._rules:
            before = self._states.get(rule.id, RuleState())
            after, firing = evaluate(rule, before, observation)
            self._states[rule.id] = after
            at_once = at_once or after.hits != before.hits
            if firing is not None:
                firings.append(firing)
        at_once = bool(firings) or (at_once and self._may_send())
        return Judgement(tuple(firings), flush_first, at_once)

    @property
    def watched(self) -> frozenset[str]:
        """The metrics that the plan names: by its rules, or under a name of its own."""
        named = {rule.metric for rule in self._rules if rule.metric is not None}
        return frozenset([*named, *self._names, *self._names.values()][:MOST_WATCHED])

    def note(self, rule: str, seen: str | None) -> None:
        """Count that the job itself judged a rule, and what it saw."""
        before = self._states.get(rule, RuleState())
        self._states[rule] = replace(before, evaluated=before.evaluated + 1, last=seen)

    def summary(self) -> dict[str, object]:
        """The wire's ``judged``: what every rule that saw a value has seen."""
        return {
            name: {"evaluated": state.evaluated, "hits": state.hits, "last": state.last}
            for name, state in self._states.items()
            if state.evaluated
        }

    def _unruled(self, values: Mapping[str, float]) -> bool:
        """Whether a value that is not finite is among them, early in its row."""
        early = False
        for name, value in values.items():
            row = 0 if math.isfinite(value) else self._rows.get(name, 0) + 1
            self._rows[name] = row
            early = early or 0 < row <= UNRULED_ROW
        return early

    def _may_send(self) -> bool:
        """At most ten a second in the long run, so that a flapping value cannot flood a server."""
        now = time.monotonic()
        earned = (now - self._allowed_at) * AT_ONCE_PER_S
        self._allowed_at = now
        self._allowance = min(AT_ONCE_BURST, self._allowance + earned)
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True


def fired_form(firing: Firing) -> dict[str, object]:
    """The wire's entry of ``fired``."""
    metric = None if firing.metric is None else plain(firing.metric, 128)
    return {
        "rule": plain(firing.rule, 64),
        "metric": metric,
        "value": firing.value,
        "act": firing.act,
        "text": plain(firing.text),
    }


def metrics_form(values: Mapping[str, float]) -> dict[str, object]:
    """The wire's ``metrics``."""
    return {name: metric_number(value) for name, value in values.items()}
