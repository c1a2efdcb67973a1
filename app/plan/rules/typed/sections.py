"""The lists of a plan, each edited as the rows of one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.plan.rules.typed.fields import Field
from app.plan.rules.typed.steps import BLANK_STEP, STEP_ROW
from app.plan.rules.typed.tables import (
    CORPUS,
    DECISION_POINT,
    LOT,
    STOP_RULE,
    UNCERTAINTY,
)
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class Section:
    """One list: its key in the mapping, its address, its words, its fields.

    A row in which none of the `telling` fields says anything is left out. An id that was not
    typed is made from `named_by`, else from `otherwise` and a number.
    """

    key: str
    slug: str
    title: Text
    lead: Text
    row_label: Text
    add_label: Text
    fields: tuple[Field, ...]
    telling: tuple[str, ...]
    named_by: tuple[str, ...]
    otherwise: str
    blank: Mapping[str, str]
    name_key: str = "id"


STEPS = Section(
    key="steps",
    slug="steps",
    title=text("Steps"),
    lead=text("In the order of their rank. Times like 4h, 1h 30m or 1,5 h."),
    row_label=text("Step"),
    add_label=text("Add a step"),
    fields=STEP_ROW,
    telling=("id", "title", "p50", "p90", "after"),
    named_by=("title",),
    otherwise="step",
    blank=BLANK_STEP,
)
LOTS = Section(
    key="lots",
    slug="lots",
    title=text("Lots"),
    lead=text(
        "A price is for the whole lot and its whole window. GPUs, hours and price that are left "
        "empty are what the offer says."
    ),
    row_label=text("Lot"),
    add_label=text("Add a lot"),
    fields=LOT,
    telling=("id", "offer", "gpus", "hours", "price", "starts_at"),
    named_by=(),
    otherwise="lot",
    blank={},
)
STOP_RULES = Section(
    key="stop_rules",
    slug="stop-rules",
    title=text("Stop rules"),
    lead=text("Written before the runs: what ends a run, and why."),
    row_label=text("Stop rule"),
    add_label=text("Add a stop rule"),
    fields=STOP_RULE,
    telling=("id", "metric", "value", "steps", "after_step", "after_hours"),
    named_by=("metric", "kind"),
    otherwise="rule",
    blank={"kind": "non_finite", "metric": "loss"},
)
DECISION_POINTS = Section(
    key="decision_points",
    slug="decision-points",
    title=text("Decision points"),
    lead=text("Where a person continues, cuts a variant or revises the question."),
    row_label=text("Decision point"),
    add_label=text("Add a standing decision"),
    fields=DECISION_POINT,
    telling=("standing",),
    named_by=(),
    otherwise="",
    blank={},
    name_key="step",
)
CORPORA = Section(
    key="corpora",
    slug="corpora",
    title=text("Corpora"),
    lead=text("The fixed data that results are compared on. Sealed with the plan."),
    row_label=text("Corpus"),
    add_label=text("Add a corpus"),
    fields=CORPUS,
    telling=("id", "revision", "sha256", "rows", "ids_file", "ids"),
    named_by=(),
    otherwise="corpus",
    blank={},
)
UNCERTAINTIES = Section(
    key="uncertainties",
    slug="uncertainties",
    title=text("Uncertainties"),
    lead=text("What the campaign hopes to settle on the way; the close says whether it did."),
    row_label=text("Uncertainty"),
    add_label=text("Add an uncertainty"),
    fields=UNCERTAINTY,
    telling=("text",),
    named_by=("text",),
    otherwise="uncertainty",
    blank={},
)

SECTIONS: tuple[Section, ...] = (
    STEPS,
    LOTS,
    STOP_RULES,
    DECISION_POINTS,
    CORPORA,
    UNCERTAINTIES,
)
BY_SLUG: Mapping[str, Section] = {section.slug: section for section in SECTIONS}
