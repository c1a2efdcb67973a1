"""What closes a campaign: deliverables, each with the checks that a submission must pass."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class DeliverableKind(StrEnum):
    """What a deliverable is; an adapter must name the exact revision of its base model."""

    PREDICTIONS = "predictions"
    ERROR_ANALYSIS = "error_analysis"
    ARTIFACT = "artifact"
    ADAPTER = "adapter"
    DATASET = "dataset"
    REPORT = "report"
    OTHER = "other"


class CheckKind(StrEnum):
    """The announced checks that a submission must pass."""

    NON_EMPTY = "non_empty"
    EXPECTED_IDS = "expected_ids"
    NO_TEMPORARY_PATHS = "no_temporary_paths"
    BASE_REVISION = "base_revision"
    RELOAD = "reload"
    PARAMETERS = "parameters"
    SCHEMA = "schema"
    REPRODUCE = "reproduce"


@dataclass(frozen=True, slots=True)
class Check:
    """One announced check of a deliverable.

    `match` is exact or superset; `rows` and `min_rows` count without the head of a table;
    `tolerance` is the largest absolute difference from `value`.
    """

    kind: CheckKind
    corpus: str | None = None
    ids: tuple[str, ...] | None = None
    file: str | None = None
    column: str | None = None
    except_: tuple[str, ...] = ()
    command: str | None = None
    keep_env: tuple[str, ...] = ()
    match: str = "exact"
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: int | None = None
    min_rows: int | None = None
    value: Decimal | None = None
    tolerance: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Deliverable:
    """What closes the campaign; `unit` counts for the cost per accepted unit."""

    id: str
    title: str
    kind: DeliverableKind
    unit: bool = False
    essential: bool = True
    checks: tuple[Check, ...] = ()
