"""The tables of the campaign file with their keys, in the order in which they are written."""

from __future__ import annotations

from app.plan.rules.document.figures import Bytes, Digest, Figure, Rate
from app.plan.rules.document.kinds import Choice, Flag, Line, Name, Whole
from app.plan.rules.document.lists import ListOf, Pairs
from app.plan.rules.document.measures import (
    Amount,
    CurrencyCode,
    Hours,
    Length,
    Moment,
    ZoneName,
)
from app.plan.rules.document.shape import Key, Shape, TableOf, Tables, Values
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

PROSE = Line(longest=4000, lines=True)
CONDITION = Line(longest=500, sample="variant-a does not pass")
FILE = Line(longest=500, sample="predictions.csv")
IDS = ListOf(Line(sample="invoice-0001"), longest=100_000)
GRAD_NORM = "grad_norm"

CAMPAIGN = Shape(
    Plan,
    (
        Key("id", Name("invoice-adapter")),
        Key("question", Line(longest=500, sample="Which adapter rank do we ship?")),
        Key("zone", ZoneName()),
        Key("currency", CurrencyCode()),
        Key("research_decision", Flag()),
        Key("people", Whole(1, 1000)),
        Key("variants_elsewhere", Flag()),
        Key("working_hours", Hours()),
        Key(
            "tolerance",
            TableOf(
                Shape(
                    Tolerance,
                    (
                        Key("percent", Whole(0, 1000, sample=10)),
                        Key("minutes", Whole(0, 100_000, sample=30)),
                    ),
                )
            ),
        ),
        Key("budget", Amount(), "budget_minor"),
        Key("transfer_rate", Rate(), "transfer_rate_bps"),
    ),
)

DECISION_RULE = Shape(
    DecisionRule,
    (
        Key("metric", Line(sample="f1")),
        Key("better", Choice(("higher", "lower"))),
        Key("take", Choice(("final", "best"))),
        Key("threshold", Figure("0.82")),
        Key("gain_over_control", Figure("0.02")),
        Key("yes", Line(4000, lines=True, sample="Ship the smallest rank that passes.")),
        Key("no", Line(4000, lines=True, sample="Keep the control.")),
        Key("metrics", Pairs()),
    ),
)

CORPUS = Shape(
    Corpus,
    (
        Key("id", Name("eval")),
        Key("revision", Line(sample="2026-11-20")),
        Key("sha256", Digest()),
        Key("rows", Whole(sample=1200)),
        Key("ids_file", FILE),
        Key("ids", IDS),
    ),
)

LOT = Shape(
    PlannedLot,
    (
        Key("id", Name("lot-1")),
        Key("offer", Line(sample="iteragpu/rtx-4090/3d")),
        Key("gpus", Whole(1, 4096)),
        Key("hours", Whole(1, 87_600, sample=72)),
        Key("price", Amount(), "price_minor"),
        Key("starts_at", Moment()),
    ),
)

PARTS = Shape(
    Parts,
    (
        Key("load", Length("20m"), "load_s"),
        Key("warm_up", Length("5m"), "warm_up_s"),
        Key("train", Length("9h"), "train_s"),
        Key("per_unit", Length("3m"), "per_unit_s"),
        Key("units", Whole(0, 10**9, sample=100)),
        Key("long_inputs", Length("20m"), "long_inputs_s"),
        Key("validate", Length("30m"), "validate_s"),
        Key("write", Length("10m"), "write_s"),
        Key("restore", Length("5m"), "restore_s"),
        Key("transfer", Length("10m"), "transfer_s"),
    ),
)

CHECKPOINT = Shape(
    Checkpoint,
    (
        Key("write", Length("2m"), "write_s"),
        Key("restore", Length("5m"), "restore_s"),
        Key("tolerable_loss", Length("1h"), "tolerable_loss_s"),
        Key(
            "mean_time_between_interruptions",
            Length("24h"),
            "mean_time_between_interruptions_s",
        ),
        Key("size", Bytes(), "size_bytes"),
    ),
)

STEP = Shape(
    Step,
    (
        Key("id", Name()),
        Key("title", Line()),
        Key("kind", Choice(StepKind)),
        Key("class", Choice(StepClass), "klass"),
        Key("gpus", Whole(0, 4096)),
        Key("p50", Length(), "p50_s"),
        Key("p90", Length("6h"), "p90_s"),
        Key("per_lot", Flag()),
        Key("before_window", Flag()),
        Key("after", ListOf(Name("pilot-decision"))),
        Key("follows", ListOf(Name("variant-b", star=True))),
        Key("parts", TableOf(PARTS)),
        Key("role", Choice(Role)),
        Key("on_interruption", Choice(OnInterruption)),
        Key("checkpoint", TableOf(CHECKPOINT)),
        Key("isolates", PROSE),
        Key("changes_choice_if", PROSE),
        Key("needed_if", CONDITION),
        Key("include", Flag()),
    ),
)

DECISION_POINT = Shape(
    DecisionPoint,
    (Key("step", Name("pilot-decision")), Key("standing", Line(longest=1000))),
)


def stop_rule_defaults(values: Values) -> Values:
    """Gradient norms are infinite in healthy runs too: five in a row, and then only a warning."""
    return {"for_": 5, "act": "warn"} if values.get("metric") == GRAD_NORM else {}


STOP_RULE = Shape(
    PlannedStopRule,
    (
        Key("id", Name("loss-not-finite")),
        Key("kind", Choice(StopKind)),
        Key("metric", Line(sample="loss")),
        Key("value", Figure("0.5")),
        Key("for", Whole(1, 1_000_000), "for_"),
        Key("act", Choice(("stop", "warn"))),
        Key("steps", ListOf(Name())),
        Key("after_step", Whole(sample=1000)),
        Key("after_hours", Figure("2")),
        Key("better", Choice(("higher", "lower"))),
    ),
    stop_rule_defaults,
)

CHECK = Shape(
    Check,
    (
        Key("kind", Choice(CheckKind)),
        Key("corpus", Name("eval")),
        Key("ids", IDS),
        Key("file", FILE),
        Key("column", Line(sample="id")),
        Key("match", Choice(("exact", "superset"))),
        Key("keys", ListOf(Line(sample="learning_rate"))),
        Key("columns", ListOf(Line(sample="id"))),
        Key("rows", Whole(sample=1200)),
        Key("min_rows", Whole(1, sample=1000)),
        Key("except", ListOf(Line(sample="logs/*")), "except_"),
        Key("command", Line(longest=4000, sample="python reload.py")),
        Key("value", Figure("0.82")),
        Key("tolerance", Figure("0.001")),
        Key("keep_env", ListOf(Line(sample="PATH"))),
    ),
)

DELIVERABLE = Shape(
    Deliverable,
    (
        Key("id", Name("predictions")),
        Key("title", Line(sample="Predictions of control and variants")),
        Key("kind", Choice(DeliverableKind)),
        Key("unit", Flag()),
        Key("essential", Flag()),
        Key("checks", Tables(CHECK, longest=50, unique="")),
    ),
)

UNCERTAINTY = Shape(
    Uncertainty,
    (
        Key("id", Name("long-inputs")),
        Key("text", Line(4000, lines=True, sample="How long do the longest invoices take?")),
    ),
)

SECTIONS = Shape(
    Plan,
    (
        Key("decision_rule", TableOf(DECISION_RULE)),
        Key("corpora", Tables(CORPUS, longest=100)),
        Key("lots", Tables(LOT, longest=100)),
        Key("steps", Tables(STEP)),
        Key("decision_points", Tables(DECISION_POINT, unique="step")),
        Key("stop_rules", Tables(STOP_RULE, longest=200)),
        Key("deliverables", Tables(DELIVERABLE, longest=200)),
        Key("uncertainties", Tables(UNCERTAINTY, longest=200)),
    ),
)
