"""The fields of everything else that a plan holds beside its steps."""

from __future__ import annotations

from app.plan.rules.stopping import kinds_of
from app.plan.rules.typed.fields import Control, Field
from app.plan.rules.typed.hints import HINTS
from app.plan.rules.typed.labels import STOP_KINDS, options
from app.texts import text

_ID = Field("id", Control.LINE, text("Id"), size="medium")

LOT: tuple[Field, ...] = (
    _ID,
    Field("offer", Control.CHOICE, text("Offer")),
    Field("gpus", Control.WHOLE, text("GPUs"), size="short"),
    Field("hours", Control.WHOLE, text("Hours"), size="short"),
    Field(
        "price",
        Control.AMOUNT,
        text("Price of the lot"),
        size="short",
    ),
    Field(
        "starts_at",
        Control.LOCAL,
        text("Begins"),
        text("May be left open: the plan then counts in hours."),
        size="medium",
    ),
)

STOP_RULE: tuple[Field, ...] = (
    Field("kind", Control.CHOICE, text("Stops when"), options=options(STOP_KINDS)),
    Field(
        "metric",
        Control.LINE,
        text("Metric or input"),
        size="medium",
        kinds=kinds_of("metric"),
        hints=HINTS["metric"],
    ),
    Field(
        "value",
        Control.FIGURE,
        text("Value"),
        size="short",
        kinds=kinds_of("value"),
        hints=HINTS["value"],
    ),
    Field(
        "for",
        Control.WHOLE,
        text("Times in a row"),
        size="short",
        kinds=kinds_of("for"),
        hints=HINTS["for"],
    ),
    Field(
        "after_step",
        Control.WHOLE,
        text("Training step"),
        size="short",
        kinds=kinds_of("after_step"),
        hints=HINTS["after_step"],
    ),
    Field(
        "after_hours",
        Control.FIGURE,
        text("Hours of the run"),
        size="short",
        kinds=kinds_of("after_hours"),
        hints=HINTS["after_hours"],
    ),
    Field(
        "better",
        Control.CHOICE,
        text("Better is"),
        options=(
            ("", text("As the decision rule says")),
            ("higher", text("Higher")),
            ("lower", text("Lower")),
        ),
        size="medium",
        kinds=kinds_of("better"),
        hints=HINTS["better"],
    ),
    Field(
        "act",
        Control.CHOICE,
        text("Then"),
        options=(
            ("", text("Stop; grad_norm only warns")),
            ("stop", text("Stop the run")),
            ("warn", text("Only warn")),
        ),
        size="medium",
    ),
    Field("id", Control.LINE, text("Id"), text("Left empty, it is made for you."), size="medium"),
    Field("steps", Control.NAMES, text("For the steps"), text("Empty: for all.")),
)

DECISION_POINT: tuple[Field, ...] = (
    Field("step", Control.CHOICE, text("Decision point"), size="medium"),
    Field(
        "standing",
        Control.LINE,
        text("May decide by itself"),
        text("For example: continue if pilot <= 1.3 x estimate and no rule fired; else wait"),
    ),
)

CORPUS: tuple[Field, ...] = (
    Field("id", Control.LINE, text("Id"), text("For example eval."), size="medium"),
    Field("revision", Control.LINE, text("Revision"), size="medium"),
    Field("sha256", Control.LINE, text("SHA-256"), text("64 hex digits.")),
    Field("rows", Control.WHOLE, text("Rows"), size="short"),
    Field("ids_file", Control.LINE, text("File of ids"), size="medium"),
    Field("ids", Control.LINES, text("Ids"), text("One on each line.")),
)

UNCERTAINTY: tuple[Field, ...] = (
    Field("text", Control.AREA, text("What is uncertain")),
    Field("id", Control.LINE, text("Id"), text("Left empty, it is made for you."), size="medium"),
)

QUESTION = Field(
    "question",
    Control.AREA,
    text("Question"),
    text("What will be decided? For example: which adapter rank do we ship, 16, 32, or none?"),
    required=True,
)
CAMPAIGN: tuple[Field, ...] = (
    QUESTION,
    Field(
        "zone",
        Control.LINE,
        text("Time zone"),
        text("Every time is shown on this clock. For example Europe/Berlin."),
        required=True,
        size="medium",
    ),
    Field("currency", Control.CHOICE, text("Currency"), size="medium"),
    Field("people", Control.WHOLE, text("People"), size="short", otherwise="1"),
    Field(
        "tolerance.percent",
        Control.WHOLE,
        text("Tolerance, percent"),
        size="short",
        otherwise="10",
    ),
    Field(
        "tolerance.minutes", Control.WHOLE, text("Tolerance, minutes"), size="short", otherwise="30"
    ),
    Field(
        "variants_elsewhere",
        Control.ASKED,
        text("Variants on another machine than their control"),
        text("Another machine may be a second cause. What is not said is taken as allowed."),
        options=(("", text("Not said")), ("yes", text("May run there")), ("no", text("Same lot"))),
        size="medium",
    ),
    Field(
        "working_hours",
        Control.LINE,
        text("Working hours"),
        text("For example mon-fri 09:00-18:00. They move nothing; they warn of waiting GPUs."),
        size="medium",
    ),
    Field("budget", Control.AMOUNT, text("Budget"), size="medium"),
    Field(
        "transfer_rate",
        Control.LINE,
        text("Rate of transfer"),
        text("As measured from the rented machine, for example 200 Mbit/s."),
        size="medium",
    ),
    Field(
        "research_decision",
        Control.TICK,
        text("A research decision: its result is a conclusion, no unit cost is made up"),
    ),
)

DECISION_RULE: tuple[Field, ...] = (
    Field(
        "metric",
        Control.LINE,
        text("Metric"),
        text("For example f1."),
        required=True,
        size="medium",
    ),
    Field(
        "better",
        Control.CHOICE,
        text("Better is"),
        options=(("higher", text("Higher")), ("lower", text("Lower"))),
        size="medium",
    ),
    Field(
        "gain_over_control",
        Control.FIGURE,
        text("Yes from a gain over the control"),
        text("An absolute difference, for example 0.02. Reaching it passes."),
        size="medium",
    ),
    Field(
        "threshold",
        Control.FIGURE,
        text("Or yes from a value of"),
        text("One of the two, for example 0.82."),
        size="medium",
    ),
    Field("yes", Control.AREA, text("Yes leads to"), required=True),
    Field(
        "no",
        Control.AREA,
        text("No leads to"),
        text("A negative result is a complete answer."),
        required=True,
    ),
    Field(
        "take",
        Control.CHOICE,
        text("Of a run counts"),
        options=(("final", text("Its final value")), ("best", text("Its best value"))),
        size="medium",
    ),
    Field(
        "metrics",
        Control.PAIRS,
        text("Names that the jobs use"),
        text("Ours = theirs on each line, for example f1 = eval_f1."),
    ),
)
