"""One line of the decision table: a variant or the control, its figures and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from app.decisions.rules.results import RunResult, figure, mean, posted_value
from app.decisions.rules.stopped import lost_by_rule, without_value
from app.plan.rules.model import Corpus, DecisionRule, Plan, PlannedStopRule, Step
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class RunValue:
    """A run's value of the decision metric, as it counts in the mean."""

    run: str
    value: Decimal


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the decision table.

    `needed` is the figure that passes; `difference` is mean − control's mean, signed as it is.
    `verdict`: `passes`, `does_not_pass`, `no_evidence`, or `control` (not judged). `dropped`:
    given up, so that its missing evidence keeps nothing open. `notes` are further facts.
    """

    step: str
    title: str
    values: tuple[RunValue, ...]
    mean: Fraction | None
    difference: Fraction | None
    needed: Fraction | None
    verdict: str
    reason: Text | None = None
    notes: tuple[Text, ...] = ()
    dropped: bool = False

    @property
    def n(self) -> int:
        """How many runs the mean is of."""
        return len(self.values)

    def given_up(self, reason: Text) -> Line:
        """The same line where no more evidence is waited for."""
        return replace(self, verdict="no_evidence", reason=reason, dropped=True)


@dataclass(frozen=True, slots=True)
class Basis:
    """What every line is judged by: the rule, the stop rules, and the corpora all must share."""

    rule: DecisionRule
    stop_rules: Mapping[str, PlannedStopRule]
    corpora: Mapping[str, str]  # name → hash that counts
    named: frozenset[str]  # corpora whose hashes are compared
    control: Line | None = None

    @classmethod
    def of(cls, plan: Plan) -> Basis:
        """The basis before the control is known: the sealed hashes alone."""
        return cls(
            plan.decision_rule,
            {rule.id: rule for rule in plan.stop_rules},
            {corpus.id: corpus.sha256 for corpus in plan.corpora if corpus.sha256 is not None},
            frozenset(_names(plan.corpora)),
        )

    def shared(self, results: Sequence[RunResult]) -> Basis:
        """The basis with the hashes of these runs where the plan states none."""
        found = dict(self.corpora)
        for result in results:
            for name, sha256 in result.corpora:
                if name in self.named:
                    found.setdefault(name, sha256)
        return replace(self, corpora=found)

    def against(self, control: Line | None) -> Basis:
        """The basis with a control to compare with."""
        return replace(self, control=control)

    def needed(self) -> Fraction | None:
        """The figure that passes; None while the control that it depends on has none."""
        if self.rule.threshold is not None:
            return Fraction(self.rule.threshold)
        if self.control is None or self.control.mean is None:
            return None
        gain = Fraction(self.rule.gain_over_control or 0)
        return self.control.mean + (gain if self.rule.better == "higher" else -gain)


def _names(corpora: Sequence[Corpus]) -> list[str]:
    return [corpus.id for corpus in corpora]


def control_line(basis: Basis, step: Step, results: Sequence[RunResult]) -> Line:
    """The control's line; the runs of several control steps are one pool under the first."""
    values, notes = _values(basis, results)
    found = mean(tuple(item.value for item in values))
    reason = None if values else without_value(basis.rule, results)
    return Line(step.id, step.title, values, found, None, None, "control", reason, notes)


def variant_line(basis: Basis, step: Step, results: Sequence[RunResult], *, is_cut: bool) -> Line:
    """A variant's line with its verdict by the decision rule."""
    values, notes = _values(basis, results)
    found = mean(tuple(item.value for item in values))
    needed = basis.needed()
    control = basis.control.mean if basis.control is not None else None
    difference = found - control if found is not None and control is not None else None
    line = Line(step.id, step.title, values, found, difference, needed, "no_evidence", None, notes)
    if found is not None and needed is not None:
        passes = found >= needed if basis.rule.better == "higher" else found <= needed
        return replace(line, verdict="passes" if passes else "does_not_pass")
    if found is not None:
        return replace(line, reason=text("the control has no result to compare with"))
    if is_cut:
        return line.given_up(text("cut by a decision"))
    stopped = lost_by_rule(basis.rule, basis.stop_rules, results)
    if stopped is not None:
        return replace(line, verdict="does_not_pass", reason=stopped)
    if notes and any(result.status == "completed" for result in results):
        return replace(line, reason=notes[0], notes=notes[1:])
    return replace(line, reason=without_value(basis.rule, results))


def _values(
    basis: Basis, results: Sequence[RunResult]
) -> tuple[tuple[RunValue, ...], tuple[Text, ...]]:
    """The values of completed runs on the right corpora, and what was left out with why."""
    values: list[RunValue] = []
    notes: list[Text] = []
    for result in results:
        if result.status != "completed":
            continue
        found = _value(basis, result)
        if isinstance(found, RunValue):
            values.append(found)
            notes.extend(_unstated(basis, result))
        else:
            notes.append(found)
    return tuple(values), tuple(notes)


def _value(basis: Basis, result: RunResult) -> RunValue | Text:
    """The figure of one completed run, or why it has none that counts."""
    other = _other_corpus(basis, result)
    if other is not None:
        return other
    posted = posted_value(basis.rule, result)
    if posted is None:
        return text("{run} posted no {metric}", run=result.run, metric=basis.rule.metric)
    name, given = posted
    number = figure(given)
    if number is None:
        return text("{run}: {metric} is {value}", run=result.run, metric=name, value=given)
    return RunValue(result.run, number)


def _other_corpus(basis: Basis, result: RunResult) -> Text | None:
    """Why a run's result is not comparable: another hash of a corpus that all must share."""
    for name, sha256 in result.corpora:
        right = basis.corpora.get(name)
        if name in basis.named and right is not None and right != sha256:
            return text(
                "{run} is not comparable: its corpus {corpus} has the hash {found}, not {right}",
                run=result.run, corpus=name, found=sha256[:12], right=right[:12],
            )  # fmt: skip
    return None


def _unstated(basis: Basis, result: RunResult) -> list[Text]:
    """Corpora whose hash a run did not state, where there is one to compare with."""
    stated = {name for name, _ in result.corpora}
    missing = sorted(name for name in basis.named & set(basis.corpora) if name not in stated)
    return [
        text("{run} did not state the hash of corpus {corpus}", run=result.run, corpus=name)
        for name in missing
    ]
