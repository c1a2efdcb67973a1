"""A plan as the campaign file's mapping, and back.

The mapping holds only texts, whole numbers, flags, lists and tables, so it has one canonical JSON
(RFC 8785), and that JSON's hash is the hash of the plan. Reading notes every problem at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.plan.rules.document.kinds import Constant, Kind
from app.plan.rules.document.problem import Path, Problem, Reader, dotted, nearest, unknown_name
from app.plan.rules.document.shape import Key, Shape, TableOf
from app.plan.rules.document.tables import CAMPAIGN, SECTIONS
from app.plan.rules.model import Plan
from app.units import CURRENCIES

__all__ = [
    "FORMAT",
    "Path",
    "Problem",
    "dotted",
    "from_document",
    "nearest",
    "to_document",
    "unknown_name",
]

FORMAT = "punktum/1"
"""The first line of every campaign file: which grammar it is written in."""


@dataclass(frozen=True, slots=True)
class _CampaignTable(Kind):
    """The `[campaign]` table, whose keys belong to the plan itself."""

    @property
    def example(self) -> str:
        """A right value as one would type it."""
        return TableOf(CAMPAIGN).example

    def read(self, reader: Reader, path: Path, value: object) -> dict[str, object]:
        """The plan's attributes that the table states."""
        return CAMPAIGN.values(reader, path, value)


_WHOLE = Shape(
    Plan,
    (Key("format", Constant(FORMAT)), Key("campaign", _CampaignTable()), *SECTIONS.keys),
)


def from_document(mapping: object) -> Plan | tuple[Problem, ...]:
    """The plan that a campaign file's mapping (from TOML or JSON) states, or all its problems.

    Texts come back in NFC, instants in UTC. Whether the parts agree with each other is for
    `checks.malformed` to say.
    """
    reader = Reader(_stated_currency(mapping))
    values: dict[str, Any] = _WHOLE.values(reader, (), mapping)
    if reader.problems:
        return tuple(reader.problems)
    del values["format"]
    return Plan(**values.pop("campaign"), **values)


def to_document(plan: Plan) -> dict[str, object]:
    """The plan as the campaign file's mapping: keys in order, None and defaults left out.

    `from_document` of it (also after a way through canonical JSON) is the same plan.
    """
    return {
        "format": FORMAT,
        "campaign": CAMPAIGN.write(plan, plan.currency),
        **SECTIONS.write(plan, plan.currency),
    }


def _stated_currency(mapping: object) -> str | None:
    """The currency when it is a valid one; amounts cannot be read without it."""
    campaign = mapping.get("campaign") if isinstance(mapping, Mapping) else None
    currency = campaign.get("currency") if isinstance(campaign, Mapping) else None
    return currency if isinstance(currency, str) and currency in CURRENCIES else None
