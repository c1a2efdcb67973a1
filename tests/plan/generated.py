"""Sound plans made up from a seed, which use every key of the campaign file now and then.

Hypothesis draws only the seed: a plan has hundreds of values, and drawing each would take most of
a second. A failing example names its seed, and `made_up(seed)` is that plan again.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st

from app.plan.rules.document.figures import figure_of, figure_text
from app.plan.rules.model import (
    Check,
    CheckKind,
    Checkpoint,
    Corpus,
    DecisionPoint,
    DecisionRule,
    Deliverable,
    DeliverableKind,
    OnInterruption,
    Parts,
    Plan,
    PlannedLot,
    PlannedStopRule,
    Role,
    Step,
    StepClass,
    StepKind,
    StopKind,
    Tolerance,
    Uncertainty,
)
from app.plan.rules.stopping import TAKEN
from app.plan.rules.working import WAKING, WorkingHours

T = TypeVar("T")

CHARACTERS = (
    "aZ09 _-.,:;#=[]{}()\"'\\/|*%ßđ漢한אع\u0308\u0301\u200d\u2028\ufeff\ue000\uffff🙂𝔘é\u00a0"
)
PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789"


def plans() -> st.SearchStrategy[Plan]:
    """Plans in which nothing is malformed."""
    return st.integers(0, 2**32 - 1).map(made_up)


def made_up(seed: int) -> Plan:
    """The plan of a seed."""
    return _Maker(Random(seed)).plan()


class _Maker:
    """Makes one plan; every choice comes from its random source."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def maybe(self, make: Callable[[], T]) -> T | None:
        """A value, or None for what is not stated."""
        return make() if self.random.random() < 0.5 else None

    def flag(self) -> bool:
        return self.random.random() < 0.5

    def length(self) -> int:
        return self.random.choice([1, 60, 3600, self.random.randint(1, 1_000_000)])

    def amount(self) -> int:
        return self.random.choice([0, 4714, self.random.randint(0, 10**12)])

    def line(self, characters: str = CHARACTERS) -> str:
        written = "".join(self.random.choices(characters, k=self.random.randint(0, 12)))
        composed = unicodedata.normalize("NFC", written)
        return composed if composed.strip() else f"x{composed}"

    def prose(self) -> str:
        return self.line(CHARACTERS + "\n\n")

    def digest(self) -> str:
        return f"{self.random.getrandbits(256):064x}"

    def figure(self) -> Decimal:
        plain = Decimal(self.random.randint(-(10**6), 10**6)).scaleb(-self.random.randint(0, 9))
        return figure_of(figure_text(plain)) or Decimal(0)

    def names(self, most: int = 4) -> list[str]:
        made = {
            self.random.choice(PLAIN) + "".join(self.random.choices(PLAIN + "-", k=5))
            for _ in range(self.random.randint(0, most))
        }
        return sorted(made, key=lambda _: self.random.random())

    def lines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.line() for _ in range(self.random.randint(0, 3))))

    def some(self, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.random.sample(items, self.random.randint(0, min(3, len(items)))))

    def decision_rule(self) -> DecisionRule:
        absolute = self.flag()
        figure = self.figure()
        return DecisionRule(
            metric=self.line(),
            better=self.random.choice(["higher", "lower"]),
            take=self.random.choice(["final", "best"]),
            yes=self.prose(),
            no=self.prose(),
            threshold=figure if absolute else None,
            gain_over_control=None if absolute else figure,
            metrics=tuple(sorted((name, self.line()) for name in self.lines())),
        )

    def corpus(self, name: str) -> Corpus:
        ids = self.maybe(self.lines)
        return Corpus(
            name,
            revision=self.maybe(self.line),
            sha256=self.maybe(self.digest),
            rows=len(ids) if ids is not None else self.maybe(self.length),
            ids_file=self.maybe(self.line),
            ids=ids,
        )

    def lot(self, name: str) -> PlannedLot:
        return PlannedLot(
            name,
            offer=self.maybe(self.line),
            gpus=self.random.randint(1, 16),
            hours=self.random.randint(1, 720),
            price_minor=self.maybe(self.amount),
            starts_at=self.maybe(self.instant),
        )

    def instant(self) -> datetime:
        seconds = self.random.randint(0, 180 * 365 * 86400)
        return datetime(2001, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)

    def parts(self) -> Parts:
        counted = self.flag()
        return Parts(
            load_s=self.maybe(self.length),
            warm_up_s=self.maybe(self.length),
            train_s=self.length(),
            per_unit_s=self.length() if counted else None,
            units=self.random.randint(0, 100) if counted else None,
            long_inputs_s=self.random.choice([None, 0, 600]),
            validate_s=self.maybe(self.length),
            write_s=self.maybe(self.length),
            restore_s=self.maybe(self.length),
            transfer_s=self.maybe(self.length),
        )

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(
            write_s=self.maybe(self.length),
            restore_s=self.maybe(self.length),
            tolerable_loss_s=self.maybe(self.length),
            mean_time_between_interruptions_s=self.maybe(self.length),
            size_bytes=self.random.choice([None, 0, 1025, 40 * 2**30, 2**53 - 1]),
        )

    def step(self, name: str, earlier: Sequence[Step]) -> Step:
        """A step that waits for earlier ones only."""
        kind, klass = self.random.choice(list(StepKind)), self.random.choice(list(StepClass))
        machine = kind is StepKind.MACHINE
        names = [step.id for step in earlier]
        certain = [step.id for step in earlier if step.klass is StepClass.ESSENTIAL]
        parts = self.maybe(self.parts) if machine else None
        step = Step(
            name,
            title=self.line(),
            kind=kind,
            klass=klass,
            p50_s=self.maybe(self.length) if parts is None else None,
            parts=parts,
            gpus=self.random.randint(1, 8) if machine else 0,
            per_lot=self.flag(),
            before_window=not machine and self.flag(),
            after=self.some(certain if klass is StepClass.ESSENTIAL else names),
            follows=("*",) if self.random.random() < 0.2 else self.some(names),
            role=self.maybe(lambda: self.random.choice(list(Role))),
            on_interruption=self.maybe(lambda: self.random.choice(list(OnInterruption))),
            checkpoint=self.maybe(self.checkpoint),
            isolates=self.maybe(self.prose),
            changes_choice_if=self.maybe(self.prose),
            needed_if=f"{self.random.choice(names)} does not pass" if names else None,
            include=self.flag(),
        )
        if step.estimate_s() and self.flag():
            return replace(step, p90_s=step.estimate_s() + self.length())
        return step

    def stop_rule(self, name: str, steps: Sequence[str]) -> PlannedStopRule:
        """A rule that says what its kind needs and nothing else."""
        kind = self.random.choice([kind for kind in StopKind if kind is not StopKind.NOT_BETTER])
        said: dict[str, Any] = {
            "metric": self.random.choice(["loss", "grad_norm", self.line()]),
            "value": self.figure(),
            "for": self.random.choice([1, 5, 1000]),
            "after_step": self.maybe(self.length),
            "after_hours": self.figure(),
        }
        kept = {key: value for key, value in said.items() if key in TAKEN[kind]}
        return PlannedStopRule(
            name,
            kind=kind,
            metric=kept.get("metric"),
            value=kept.get("value"),
            for_=kept.get("for", 1),
            act=self.random.choice(["stop", "warn"]),
            steps=self.some(steps),
            after_step=kept.get("after_step"),
            after_hours=kept.get("after_hours"),
        )

    def check(self, corpora: Sequence[str]) -> Check:
        """A check that says what its kind needs and nothing else."""
        kind = self.random.choice(list(CheckKind))
        if kind is CheckKind.EXPECTED_IDS:
            named = corpora and self.flag()
            return Check(
                kind,
                corpus=self.random.choice(corpora) if named else None,
                ids=None if named else self.lines() or (self.line(),),
                file=self.random.choice(["predictions.csv", "out/metrics.csv"]),
                column=self.maybe(self.line),
                match=self.random.choice(["exact", "superset"]),
            )
        if kind is CheckKind.PARAMETERS:
            return Check(kind, file="parameters.json", keys=self.lines() or (self.line(),))
        if kind is CheckKind.SCHEMA:
            exact = self.flag()
            return Check(
                kind,
                file="out/table.jsonl",
                columns=self.lines() if exact else (),
                rows=self.length() if exact else None,
                min_rows=None if exact else 1 + self.length(),
            )
        if kind is CheckKind.REPRODUCE:
            return Check(
                kind,
                command=self.line(),
                value=self.figure(),
                tolerance=self.maybe(lambda: abs(self.figure())),
                keep_env=self.lines(),
            )
        if kind is CheckKind.RELOAD:
            return Check(kind, command=self.line(), keep_env=self.lines())
        return Check(kind, except_=self.lines() if kind is CheckKind.NO_TEMPORARY_PATHS else ())

    def deliverable(self, name: str, corpora: Sequence[str]) -> Deliverable:
        return Deliverable(
            name,
            title=self.line(),
            kind=self.random.choice(list(DeliverableKind)),
            unit=self.flag(),
            essential=self.flag(),
            checks=tuple(self.check(corpora) for _ in range(self.random.randint(0, 3))),
        )

    def decision_point(self, name: str) -> DecisionPoint:
        standing = "continue if no rule fired"
        return DecisionPoint(name, self.random.choice([None, standing, f"{standing}; else wait"]))

    def plan(self) -> Plan:
        """The whole plan; what refers to a part is made after it."""
        corpora = tuple(self.corpus(name) for name in self.names())
        steps: list[Step] = []
        for name in self.names(7):
            steps.append(self.step(name, steps))
        names = [step.id for step in steps]
        deciding = [step.id for step in steps if step.kind is StepKind.DECISION_POINT]
        corpus_ids = [corpus.id for corpus in corpora]
        return Plan(
            id="-".join(self.names()) or "plan",
            question=self.line(),
            zone=self.random.choice(["UTC", "Europe/Berlin", "Asia/Ho_Chi_Minh"]),
            currency=self.random.choice(["USD", "JPY", "KWD"]),
            decision_rule=self.decision_rule(),
            research_decision=self.flag(),
            people=self.random.randint(1, 5),
            variants_elsewhere=self.random.choice([None, False, True]),
            working_hours=self.random.choice(
                [None, WAKING, WorkingHours(540, 1080, frozenset({0, 2, 3}))]
            ),
            tolerance=Tolerance(self.random.choice([0, 10, 50]), self.random.choice([0, 30, 90])),
            budget_minor=self.maybe(self.amount),
            transfer_rate_bps=self.random.choice([None, 1, 1500, 200_000_000, 2**53 - 1]),
            corpora=corpora,
            lots=tuple(self.lot(name) for name in self.names()),
            steps=tuple(steps),
            decision_points=tuple(self.decision_point(name) for name in deciding),
            stop_rules=tuple(self.stop_rule(name, names) for name in self.names()),
            deliverables=tuple(self.deliverable(name, corpus_ids) for name in self.names()),
            uncertainties=tuple(Uncertainty(name, self.prose()) for name in self.names()),
        )
