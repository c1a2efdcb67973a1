"""The plan as people write it: everything that a seal makes binding.

One frozen `Plan` holds the question, the decision rule, corpora, intended lots, steps, stop
rules and announced deliverables. `document` reads and writes it as the campaign file's mapping.
Durations are whole seconds, money is minor units, names are ids unique within their kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from app.plan.rules.delivering import Check as Check
from app.plan.rules.delivering import CheckKind as CheckKind
from app.plan.rules.delivering import Deliverable as Deliverable
from app.plan.rules.delivering import DeliverableKind as DeliverableKind
from app.plan.rules.working import WorkingHours


class StepKind(StrEnum):
    """What a step occupies: a person, GPUs of one lot, the wire, or a person deciding."""

    HUMAN = "human"
    MACHINE = "machine"
    TRANSFER = "transfer"
    DECISION_POINT = "decision_point"


class StepClass(StrEnum):
    """How much the conclusion needs a step; said before anything is ordered."""

    ESSENTIAL = "essential"
    USEFUL = "useful"
    EXPLORATORY = "exploratory"


class Role(StrEnum):
    """The part a step plays in the protocol."""

    CONTROL = "control"
    VARIANT = "variant"
    DATA_CHECK = "data_check"
    RESTORE_CHECK = "restore_check"
    PILOT = "pilot"
    ANALYSIS = "analysis"
    RETRIEVAL = "retrieval"


class OnInterruption(StrEnum):
    """What is done with a run whose process ended before its work did."""

    RESUME = "resume"
    INFERENCE_ONLY = "inference_only"
    RESTART = "restart"


class StopKind(StrEnum):
    """What a stop rule watches for."""

    NON_FINITE = "non_finite"
    BELOW = "below"
    ABOVE = "above"
    NOT_BETTER = "not_better"
    INPUT_TRUNCATED = "input_truncated"
    NO_RESTORE = "no_restore"
    SILENT = "silent"
    OVERTIME = "overtime"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """Metric, comparator and the value that separates yes from no.

    Exactly one of `threshold` (absolute) and `gain_over_control` (absolute difference to the
    control) is set; equality passes. `metrics` maps our metric names to the job's names.
    """

    metric: str
    better: str  # higher | lower
    take: str  # final | best
    yes: str
    no: str
    threshold: Decimal | None = None
    gain_over_control: Decimal | None = None
    metrics: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Tolerance:
    """An explanation is owed for a deviation of duration above both figures."""

    percent: int = 10
    minutes: int = 30


@dataclass(frozen=True, slots=True)
class Corpus:
    """A fixed data set that results are compared on."""

    id: str
    revision: str | None = None
    sha256: str | None = None
    rows: int | None = None
    ids_file: str | None = None
    ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class PlannedLot:
    """A lot meant to be rented: a catalogue offer, or its own capacity, hours and price."""

    id: str
    offer: str | None = None
    gpus: int | None = None
    hours: int | None = None
    price_minor: int | None = None
    starts_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """An estimate built from its parts, in seconds; `per_unit_s` counts `units` times."""

    load_s: int | None = None
    warm_up_s: int | None = None
    train_s: int | None = None
    per_unit_s: int | None = None
    units: int | None = None
    long_inputs_s: int | None = None
    validate_s: int | None = None
    write_s: int | None = None
    restore_s: int | None = None
    transfer_s: int | None = None

    def total_s(self) -> int:
        """Sum of the stated parts in seconds."""
        stated = (
            self.load_s, self.warm_up_s, self.train_s, self.long_inputs_s,
            self.validate_s, self.write_s, self.restore_s, self.transfer_s,
        )  # fmt: skip
        return sum(part or 0 for part in stated) + (self.per_unit_s or 0) * (self.units or 0)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What saving costs and how much work one can bear to lose, in seconds and bytes."""

    write_s: int | None = None
    restore_s: int | None = None
    tolerable_loss_s: int | None = None
    mean_time_between_interruptions_s: int | None = None
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One row of the plan. `after` needs the result; `follows` is order only (`*` = all else)."""

    id: str
    title: str
    kind: StepKind
    klass: StepClass
    p50_s: int | None = None
    p90_s: int | None = None
    parts: Parts | None = None
    gpus: int = 0
    per_lot: bool = False
    before_window: bool = False
    after: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    role: Role | None = None
    on_interruption: OnInterruption | None = None
    checkpoint: Checkpoint | None = None
    isolates: str | None = None
    changes_choice_if: str | None = None
    needed_if: str | None = None
    include: bool = False

    def estimate_s(self) -> int:
        """The planned duration in seconds: P50, or the sum of the parts."""
        return self.parts.total_s() if self.parts is not None else self.p50_s or 0


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """A rule that may decide at a decision point when its facts are in."""

    step: str
    standing: str | None = None


@dataclass(frozen=True, slots=True)
class PlannedStopRule:
    """Written before the runs: what ends a run, and why. `for_` counts consecutive values.

    `after_hours` is when a rule about values begins, by when one about the control or a restore
    decides, and how long silence or a run may last. `better` is higher or lower.
    """

    id: str
    kind: str  # a StopKind's value
    metric: str | None = None
    value: Decimal | None = None
    for_: int = 1
    act: str = "stop"  # stop | warn
    steps: tuple[str, ...] = ()
    after_step: int | None = None
    after_hours: Decimal | None = None
    better: str | None = None


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """A question that the campaign hopes to settle on the way."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole campaign as planned. The order of steps is their rank.

    `variants_elsewhere` says whether variants may run on another lot than their control; None
    where nobody said.
    `transfer_rate_bps` is the rate in bits per second at which files leave the rented machine.
    """

    id: str
    question: str
    zone: str
    currency: str
    decision_rule: DecisionRule
    research_decision: bool = False
    people: int = 1
    variants_elsewhere: bool | None = None
    working_hours: WorkingHours | None = None
    tolerance: Tolerance = field(default_factory=Tolerance)
    budget_minor: int | None = None
    transfer_rate_bps: int | None = None
    corpora: tuple[Corpus, ...] = ()
    lots: tuple[PlannedLot, ...] = ()
    steps: tuple[Step, ...] = ()
    decision_points: tuple[DecisionPoint, ...] = ()
    stop_rules: tuple[PlannedStopRule, ...] = ()
    deliverables: tuple[Deliverable, ...] = ()
    uncertainties: tuple[Uncertainty, ...] = ()
