"""A small campaign for the timeline's tests: the schedule family of the vectors, with facts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from app.plan.rules.lots import LotWindow
from app.plan.rules.model import DecisionRule, Plan, PlannedLot, Step, StepClass, StepKind
from app.plan.rules.schedule import schedule
from app.texts import text
from app.timeline.rules.facts import DONE, RUNNING, STOPPED, Decided, Facts, Stretch, Window

ZERO = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
H = 3600


def step(name: str, kind: str, hours: float, after: Sequence[str] = (), **more: object) -> Step:
    """A step of the family; machine steps take one GPU."""
    values: dict[str, object] = {
        "klass": StepClass.ESSENTIAL,
        "gpus": 1 if kind == "machine" else 0,
        "after": tuple(after),
        **more,
    }
    return Step(name, name.title(), StepKind(kind), p50_s=round(hours * H), **values)  # type: ignore[arg-type]


FAMILY = (
    step("prepare", "human", 4),
    step("install", "machine", 2, ["prepare"]),
    step("pilot", "machine", 4, ["install"]),
    step("decide", "decision_point", 2, ["pilot"]),
    step("control", "machine", 10, ["decide"]),
    step("a", "machine", 10, ["decide"]),
    step("b", "machine", 10, ["decide"], klass=StepClass.USEFUL),
    step("retrieve", "transfer", 6, follows=("*",)),
)


def at(hour: float) -> datetime:
    """An instant by hours from hour 0."""
    return ZERO + timedelta(hours=hour)


def work(
    name: str, starts: float, ends: float, run: str | None = None, kind: str = DONE, **more: object
) -> Stretch:
    """An observed stretch from hour to hour; running ones are open."""
    values: dict[str, object] = {
        "lot": "lot-1" if run else None,
        "gpus": (0,) if run else (),
        **more,
    }
    return Stretch(name, at(starts), at(ends), kind == RUNNING, kind, run, 1, **values)  # type: ignore[arg-type]


def facts(
    now: float,
    stretches: Sequence[Stretch] = (),
    *,
    steps: Sequence[Step] = FAMILY,
    window_h: int = 72,
    dated: bool = True,
    **more: object,
) -> Facts:
    """The family in one lot of `window_h` hours, sealed, at hour `now`."""
    lots = [LotWindow("lot-1", None, "RTX 4090", 1, 0, window_h * 60, window_h * 60, None, None)]
    rule = DecisionRule("f1", "higher", "final", "ship", "keep", gain_over_control=Decimal("0.02"))
    plan = Plan(
        "family",
        "Which?",
        "Europe/Berlin",
        "USD",
        rule,
        steps=tuple(steps),
        lots=(PlannedLot("lot-1"),),
    )
    values: dict[str, object] = {"version": 1, "sealed_at": at(-2), **more}
    return Facts(
        plan=plan,
        sealed=schedule(plan.steps, lots, 1),
        sealed_steps=plan.steps,
        windows=(Window("lot-1", "RTX 4090", 1, 0, window_h * H, window_h * H, True),),
        zero_at=ZERO if dated else None,
        now_at=at(now),
        stretches=tuple(sorted(stretches, key=lambda one: one.starts_at)),
        **values,  # type: ignore[arg-type]
    )


def middle() -> Facts:
    """Hour 31.2: pilot and control done, a-01 stopped by a rule, a-02 running since hour 27.6."""
    return facts(
        31.2,
        [
            work("prepare", 0, 5.1),
            work("install", 5.1, 7, "i-01"),
            work("pilot", 7, 11.2, "p-01"),
            work("control", 12, 22.7, "c-01"),
            work("a", 22.7, 26.9, "a-01", STOPPED, reason=text("loss is not finite")),
            work("a", 27.6, 31.2, "a-02", RUNNING, last_seen_at=at(31.19)),
        ],
        decided=Decided(points=(("decide", at(11.7)),)),
    )
