"""The fields of a step: few in the list of all steps, all of them on the step's own page."""

from __future__ import annotations

from dataclasses import dataclass

from app.plan.rules.typed.fields import Control, Field
from app.plan.rules.typed.labels import CLASSES, INTERRUPTIONS, ROLES, STEP_KINDS, options
from app.texts import Text, text

ID = Field(
    "id", Control.LINE, text("Id"), text("Left empty, it is made from the title."), size="medium"
)
TITLE = Field("title", Control.LINE, text("Title"))
KIND = Field(
    "kind", Control.CHOICE, text("How it is done"), options=options(STEP_KINDS), size="medium"
)
CLASS = Field("class", Control.CHOICE, text("Class"), options=options(CLASSES), size="medium")
P50 = Field("p50", Control.LENGTH, text("P50"), size="short")
P90 = Field("p90", Control.LENGTH, text("P90"), size="short")
GPUS = Field("gpus", Control.WHOLE, text("GPUs"), size="short")
AFTER = Field("after", Control.NAMES, text("After"))

STEP_ROW: tuple[Field, ...] = (TITLE, ID, KIND, CLASS, P50, P90, GPUS, AFTER)
"""What stands in the list of all steps."""

BLANK_STEP = {"kind": "machine", "class": "essential"}


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that belong together, under one heading."""

    key: str
    title: Text
    fields: tuple[Field, ...]
    hint: Text | None = None


def _part(name: str, label: Text) -> Field:
    return Field(f"parts.{name}", Control.LENGTH, label, size="short")


def _saving(name: str, label: Text, hint: Text | None = None) -> Field:
    return Field(f"checkpoint.{name}", Control.LENGTH, label, hint, size="short")


STEP_GROUPS: tuple[Group, ...] = (
    Group(
        "step",
        text("Step"),
        (
            TITLE,
            ID,
            KIND,
            CLASS,
            Field(
                "role",
                Control.CHOICE,
                text("Part it plays"),
                options=options(ROLES, text("No part of its own")),
            ),
            GPUS,
            Field(
                "include",
                Control.TICK,
                text("Plan it although it is exploratory"),
            ),
        ),
    ),
    Group(
        "estimate",
        text("Estimate"),
        (P50, P90),
        text("One figure, or the parts below instead of it. For example 4h, 1h 30m, 1,5 h."),
    ),
    Group(
        "parts",
        text("Estimate from its parts"),
        (
            _part("load", text("Loading")),
            _part("warm_up", text("Warm-up")),
            _part("train", text("Training")),
            _part("per_unit", text("Time for one unit")),
            Field("parts.units", Control.WHOLE, text("Units"), size="short"),
            _part("long_inputs", text("Long inputs")),
            _part("validate", text("Validation")),
            _part("write", text("Writing output files")),
            _part("restore", text("Restoring")),
            _part("transfer", text("Transfer")),
        ),
        text("One warm training step forgets loading, long inputs, validation and output files."),
    ),
    Group(
        "order",
        text("Order of the steps"),
        (
            Field(
                "after",
                Control.NAMES,
                text("Needs the results of"),
                text("Never planned without them."),
            ),
            Field(
                "follows",
                Control.NAMES,
                text("Only comes behind"),
                text("Order alone, for steps that are in the plan; * stands for everything else."),
            ),
            Field("per_lot", Control.TICK, text("Once for each lot")),
            Field("before_window", Control.TICK, text("May lie before the window")),
        ),
    ),
    Group(
        "interruption",
        text("When it is interrupted"),
        (
            Field(
                "on_interruption",
                Control.CHOICE,
                text("Then"),
                options=options(INTERRUPTIONS, text("Not said")),
                size="medium",
            ),
            _saving("write", text("Writing a checkpoint takes")),
            _saving("restore", text("Restoring takes")),
            _saving("tolerable_loss", text("Work one can bear to lose")),
            _saving("mean_time_between_interruptions", text("Mean time between interruptions")),
            Field(
                "checkpoint.size",
                Control.LINE,
                text("Size of a checkpoint"),
                text("For example 40 GiB."),
                size="short",
            ),
        ),
    ),
    Group(
        "use",
        text("Its use for the decision"),
        (
            Field("isolates", Control.AREA, text("What it isolates, and against what")),
            Field("changes_choice_if", Control.AREA, text("Which result would change the choice")),
            Field(
                "needed_if",
                Control.LINE,
                text("Needed if"),
                text("For example: variant-a does not pass"),
            ),
        ),
    ),
)

STEP_ALL: tuple[Field, ...] = tuple(one for group in STEP_GROUPS for one in group.fields)
"""Every field of a step."""
