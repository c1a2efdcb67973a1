"""The report as plain, typed data, in the order a reviewer asks: question, outcome, conclusion,
decision rule, commitment, expenses, acceptance, planned against actual, decisions, stops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from app.closing.rules.checklist import Point
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A variant or the control under the decision rule; a mean is rounded to six places."""

    step: str
    title: str
    n: int
    mean: Decimal | None
    difference: Decimal | None
    needed: Decimal | None
    verdict: str
    reason: Text | None


@dataclass(frozen=True, slots=True)
class OrderLine:
    """One order with its window; a reversed one stays, with the reason."""

    provider: str
    reference: str
    currency: str
    price_minor: int | None
    net_minor: int | None
    gpu: str | None
    starts_at: datetime | None
    ends_at: datetime | None
    reversed_because: str | None


@dataclass(frozen=True, slots=True)
class ExpenseLine:
    """Money charged outside of the lots."""

    kind: str
    amount_minor: int
    currency: str
    charged_on: str
    note: str | None


@dataclass(frozen=True, slots=True)
class MoneyLine:
    """One currency's result; `unit_minor` is rounded half-even where `rounded` says so."""

    currency: str
    committed_minor: int | None
    unpriced_lots: int
    external_minor: int
    accepted: int
    unit_minor: int | None
    rounded: bool
    undefined: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check of a newest submission: who ran it, when, with which tool, what it said; `note`
    is what the server found itself."""

    demands: Text
    status: str
    detail: str
    note: Text | None
    by: str
    host: str | None
    at: datetime
    tool: str | None
    output: str | None


@dataclass(frozen=True, slots=True)
class DeliverableLine:
    """An announced deliverable and how it stands. `files_are` is what is known of its files,
    `reloaded` how loading them at home stood."""

    id: str
    title: str
    essential: bool
    unit: bool
    state: str
    passed: int
    checks: int
    reason: Text | None
    place: str | None
    files_are: str | None = None
    reloaded: str | None = None
    evidence: tuple[CheckLine, ...] = ()


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step's planned and observed seconds, and the word on its deviation."""

    step: str
    title: str
    klass: str
    state: str
    planned_s: int | None
    observed_s: int | None
    duration_delta_s: int | None
    end_delta_s: int | None
    owed: bool
    category: str | None
    sentence: str | None


@dataclass(frozen=True, slots=True)
class DecisionLine:
    """An entry of the decision log."""

    at: datetime
    by: str
    choice: str
    step: str | None
    cut: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class StopLine:
    """A stop record: which run, by which rule or reason, at what value; `warned`: it asked for no
    stop."""

    run: str
    step: str | None
    reason: str
    value: str | None
    text: str
    at: datetime
    warned: bool = False


@dataclass(frozen=True, slots=True)
class Erratum:
    """Events of a run that came after the close; `known` is False where nobody had heard of the
    run before it."""

    run: str
    events: int
    came_at: datetime
    status: str | None
    said: Text
    known: bool


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A proof of retrieval that came after the close; `number` is its journal entry's."""

    number: int
    deliverable: str
    title: str
    at: datetime
    by: str
    host: str | None


@dataclass(frozen=True, slots=True)
class Placed:
    """Where files lie, as a person said after the close; `number` is its journal entry's."""

    number: int
    deliverable: str
    title: str
    at: datetime
    by: str
    place: str
    seen_on: str


@dataclass(frozen=True, slots=True)
class Charged:
    """A refund, a credit or an invoice's row that came after the close; `number` is its journal
    entry's. `order` is set where it changes one, `kind` is the expense's where it is one."""

    number: int
    order: str | None
    kind: str | None
    amount_minor: int | None
    currency: str
    why: str | None
    at: datetime
    by: str


@dataclass(frozen=True, slots=True)
class UnplannedLine:
    """Work that the plan does not know: what it was called, its runs, and their machine time."""

    title: str
    state: str
    runs: tuple[str, ...]
    spent_s: int


@dataclass(frozen=True, slots=True)
class Added:
    """What came after the close: it stands beside the report and changes none of its figures."""

    errata: tuple[Erratum, ...] = ()
    retrievals: tuple[Retrieved, ...] = ()
    places: tuple[Placed, ...] = ()
    charges: tuple[Charged, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing came."""
        return not (self.errata or self.retrievals or self.places or self.charges)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a close says. `closed_at` is None while it is only a preview.

    `checklist` is what was looked at, open or not; None where an earlier version closed, which
    kept the sentences of the open points alone.
    """

    campaign: str
    question: str
    zone: str
    currency: str
    research_decision: bool
    metric: str
    better: str
    threshold: Decimal | None
    gain: Decimal | None
    yes: str
    no: str
    outcome: str | None
    conclusion: str | None
    closed_at: datetime | None
    closed_by: str | None
    spare_s: int | None
    proposed: str | None
    plan_version: int
    plan_sha256: str | None
    sealed_at: datetime | None
    accepted: int
    announced: int
    open_points: tuple[Text, ...]
    rule: tuple[RuleLine, ...]
    orders: tuple[OrderLine, ...]
    expenses: tuple[ExpenseLine, ...]
    money: tuple[MoneyLine, ...]
    deliverables: tuple[DeliverableLine, ...]
    steps: tuple[StepRow, ...]
    decisions: tuple[DecisionLine, ...]
    stops: tuple[StopLine, ...]
    uncertainties: tuple[str, ...]
    head_number: int
    head_sha256: str
    checklist: tuple[Point, ...] | None = None
    unplanned: tuple[UnplannedLine, ...] = ()


def at_the_close(report: Report) -> Report:
    """The report as the close keeps it: what has not begun never will."""
    steps = tuple(
        replace(row, state="never_started") if row.state == "not_started" else row
        for row in report.steps
    )
    return replace(report, steps=steps)


OUTCOMES: dict[str, Text] = {
    "positive": text("Positive: the rule says yes"),
    "negative": text("Negative: no variant reaches the rule; a complete outcome"),
    "inconclusive": text("Inconclusive: the evidence does not decide"),
    "abandoned": text("Abandoned: the question is given up"),
}
"""What a campaign may end with."""
