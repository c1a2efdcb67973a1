"""What the values of a plan are called where people choose among them."""

from __future__ import annotations

from collections.abc import Mapping

from app.plan.rules.model import (
    CheckKind,
    DeliverableKind,
    OnInterruption,
    Role,
    StepClass,
    StepKind,
    StopKind,
)
from app.plan.rules.typed.fields import Option
from app.texts import Text, text

STEP_KINDS: Mapping[str, Text] = {
    StepKind.MACHINE: text("On the GPU"),
    StepKind.HUMAN: text("By a person"),
    StepKind.TRANSFER: text("Transfer"),
    StepKind.DECISION_POINT: text("Decision point"),
}
CLASSES: Mapping[str, Text] = {
    StepClass.ESSENTIAL: text("Essential"),
    StepClass.USEFUL: text("Useful"),
    StepClass.EXPLORATORY: text("Exploratory"),
}
ROLES: Mapping[str, Text] = {
    Role.CONTROL: text("Control"),
    Role.VARIANT: text("Variant"),
    Role.DATA_CHECK: text("Data check"),
    Role.RESTORE_CHECK: text("Restore check"),
    Role.PILOT: text("Pilot"),
    Role.ANALYSIS: text("Analysis"),
    Role.RETRIEVAL: text("Retrieval"),
}
INTERRUPTIONS: Mapping[str, Text] = {
    OnInterruption.RESUME: text("Resume learning"),
    OnInterruption.INFERENCE_ONLY: text("Only run inference again"),
    OnInterruption.RESTART: text("Start again from the beginning"),
}
STOP_KINDS: Mapping[str, Text] = {
    StopKind.NON_FINITE: text("A value is not finite"),
    StopKind.BELOW: text("A value is below"),
    StopKind.ABOVE: text("A value is above"),
    StopKind.NOT_BETTER: text("Not better than the control"),
    StopKind.INPUT_TRUNCATED: text("An essential input is truncated"),
    StopKind.NO_RESTORE: text("No usable restore"),
    StopKind.SILENT: text("No sign for too long"),
    StopKind.OVERTIME: text("Over its time"),
    StopKind.CUSTOM: text("Reported by the job"),
}
DELIVERABLE_KINDS: Mapping[str, Text] = {
    DeliverableKind.PREDICTIONS: text("Predictions"),
    DeliverableKind.ERROR_ANALYSIS: text("Error analysis"),
    DeliverableKind.ARTIFACT: text("Artifact"),
    DeliverableKind.ADAPTER: text("Adapter"),
    DeliverableKind.DATASET: text("Data set"),
    DeliverableKind.REPORT: text("Report"),
    DeliverableKind.OTHER: text("Something else"),
}
CHECK_KINDS: Mapping[str, Text] = {
    CheckKind.NON_EMPTY: text("No file is empty"),
    CheckKind.EXPECTED_IDS: text("All expected ids are there, once each"),
    CheckKind.NO_TEMPORARY_PATHS: text("No path leads into a temporary folder"),
    CheckKind.BASE_REVISION: text("The exact revision of the base model is stated"),
    CheckKind.RELOAD: text("A new process can load it again"),
    CheckKind.PARAMETERS: text("The parameters are there"),
    CheckKind.SCHEMA: text("A table has its columns and rows"),
    CheckKind.REPRODUCE: text("A new process reproduces a value"),
}


def options(labels: Mapping[str, Text], nothing: Text | None = None) -> tuple[Option, ...]:
    """The values with their labels; `nothing` is the label of choosing none."""
    chosen = tuple((str(value), label) for value, label in labels.items())
    return chosen if nothing is None else (("", nothing), *chosen)
