"""A FOCUS file: the columns of a version as CSV, and the strict check that comes before it.

The public validator passes times with an offset or without the Z, and does not say what a file
means that holds invoices' charges beside charges without an invoice; this check refuses both.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from app.budget.rules.focus import Row
from app.budget.rules.focus_terms import (
    CATEGORIES,
    COLUMNS,
    CORRECTION,
    FREQUENCIES,
    PURCHASE,
    RENAMED_14,
    SERVICES,
    TAX_ROW,
    USAGE_BASED,
)
from app.offers.rules.sheet import cell
from app.texts import Text, text
from app.units import CURRENCIES

_COSTS = ("BilledCost", "ContractedCost", "EffectiveCost", "ListCost")
_NUMBERS = (*_COSTS, "PricingQuantity")
_TIMES = ("BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd")
_NULLABLE = frozenset(
    {"BillingAccountName", "ChargeClass", "InvoiceId", "PricingQuantity", "PricingUnit"}
)
_PLACEHOLDERS = frozenset({"-", "–", "n/a", "na", "none", "null", "not applicable", "unknown"})
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_SUBCATEGORIES = {one.subcategory: one.category for one in SERVICES.values()}


@dataclass(frozen=True, slots=True)
class FocusProblem:
    """What is wrong with one cell; `row` counts from 1, 0 is the header or the whole file."""

    row: int
    column: str
    why: Text


def of_version(row: Row, version: str) -> dict[str, str | None]:
    """A row by the columns of a version, in their order."""
    if version == "1.2":
        return {name: row.get(name) for name in COLUMNS[version]}
    old = {new: name for name, new in RENAMED_14.items()}
    return {name: row.get(old.get(name, name)) for name in COLUMNS[version]}


def by_invoice(rows: Iterable[Row]) -> dict[str, tuple[Row, ...]]:
    """The rows that belong to an invoice ("with") and those that do not ("without")."""
    found: dict[str, list[Row]] = {"with": [], "without": []}
    for row in rows:
        found["without" if row["InvoiceId"] is None else "with"].append(row)
    return {name: tuple(some) for name, some in found.items()}


def write_focus(rows: Iterable[Row], version: str) -> str:
    """The file: UTF-8 text with a header; null is an empty cell, numbers are left as they are."""
    names = COLUMNS[version]
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(names)
    for row in rows:
        said = of_version(row, version)
        writer.writerow([_cell(name, said[name]) for name in names])
    return target.getvalue()


def _cell(name: str, value: str | None) -> str:
    if value is None:
        return ""
    return value if name in _NUMBERS else cell(value)


def focus_problems(
    rows: Sequence[Mapping[str, str | None]], version: str = "1.2"
) -> tuple[FocusProblem, ...]:
    """Everything that is wrong with rows by the columns of a version; empty for a good file."""
    return tuple(_problems(rows, version))


def _problems(rows: Sequence[Mapping[str, str | None]], version: str) -> Iterator[FocusProblem]:
    for n, row in enumerate(rows, 1):
        if tuple(row) != COLUMNS[version]:
            listed = text("The columns are not those of version {version}.", version=version)
            yield FocusProblem(n, "", listed)
            continue
        for name in COLUMNS[version]:
            why = _cell_problem(name, row[name])
            if why is not None:
                yield FocusProblem(n, name, why)
        for name, why in _row_problems(row):
            yield FocusProblem(n, name, why)
    if len({row.get("InvoiceId") is None for row in rows}) > 1:
        mixed = text("Charges of an invoice and charges without one do not stand in one file.")
        yield FocusProblem(0, "InvoiceId", mixed)


def _cell_problem(name: str, value: str | None) -> Text | None:
    """What is wrong with one value by itself; our own columns may hold anything."""
    if name.startswith("x_"):
        return None
    if value is None:
        return None if name in _NULLABLE else text("A value is needed here.")
    if not value.strip() or value.strip().casefold() in _PLACEHOLDERS:
        return text("“{given}” stands for no value.", given=value)
    if name in _TIMES and not _is_time(value):
        return text("“{given}” is no time in UTC that ends with Z.", given=value)
    if name in _NUMBERS and not _NUMBER.fullmatch(value):
        return text("“{given}” is no plain number.", given=value)
    allowed = _ALLOWED.get(name)
    if allowed is not None and value not in allowed:
        return text("“{given}” is not one of the words for it.", given=value)
    return None


_ALLOWED: dict[str, frozenset[str]] = {
    "BillingCurrency": frozenset(CURRENCIES),
    "ChargeCategory": frozenset(CATEGORIES),
    "ChargeClass": frozenset({CORRECTION}),
    "ChargeFrequency": frozenset(FREQUENCIES),
    "ServiceCategory": frozenset(_SUBCATEGORIES.values()),
    "ServiceSubcategory": frozenset(_SUBCATEGORIES),
}


def _is_time(value: str) -> bool:
    if not _TIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _row_problems(row: Mapping[str, str | None]) -> Iterator[tuple[str, Text]]:
    """What the cells of one row say against each other."""
    for period in ("BillingPeriod", "ChargePeriod"):
        start, end = row[f"{period}Start"], row[f"{period}End"]
        if start and end and _is_time(start) and _is_time(end) and start >= end:
            yield f"{period}End", text("A period ends after it starts; its end is exclusive.")
    numbers = [value for name in _COSTS if (value := row[name]) and _NUMBER.fullmatch(value)]
    if len({Decimal(value) for value in numbers}) > 1:
        yield "EffectiveCost", text("The costs of a row are equal: nothing is amortised.")
    yield from _quantity_problems(row)
    if row["ChargeFrequency"] == USAGE_BASED and row["ChargeCategory"] == PURCHASE:
        yield "ChargeFrequency", text("A purchase is not charged by usage.")
    if _SUBCATEGORIES.get(row["ServiceSubcategory"] or "") != row["ServiceCategory"]:
        yield "ServiceSubcategory", text("The subcategory belongs to another category.")


def _quantity_problems(row: Mapping[str, str | None]) -> Iterator[tuple[str, Text]]:
    quantity, unit, category = row["PricingQuantity"], row["PricingUnit"], row["ChargeCategory"]
    if (quantity is None) != (unit is None):
        yield "PricingUnit", text("A quantity has a unit, and a unit a quantity.")
    if category == TAX_ROW and quantity is not None:
        yield "PricingQuantity", text("A tax has no quantity.")
    needs = category in ("Usage", PURCHASE) and row["ChargeClass"] != CORRECTION
    if needs and quantity is None:
        yield "PricingQuantity", text("A purchase states its quantity.")
