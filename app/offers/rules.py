"""Offers of lots: what one price buys, for how long, and who says so.

A price belongs to the whole lot and its whole duration; nothing here divides it. What the
source does not state is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from importlib import resources

import tomllib

from app.units import parse_amount


@dataclass(frozen=True, slots=True)
class Offer:
    """One catalogue line; `hours` and `price_minor` are for one lot of `gpus` GPUs together."""

    id: str
    provider: str
    gpu: str
    gpus: int
    memory_gb: int | None
    hours: int | None
    price_minor: int | None
    currency: str | None
    source: str
    valid_on: date | None


def read_catalogue() -> tuple[Offer, ...]:
    """The offers that come with the program, in the order of their file."""
    content = resources.files("app.offers").joinpath("catalogue.toml").read_text("utf-8")
    return offers_of(tomllib.loads(content))


def offers_of(content: Mapping[str, object]) -> tuple[Offer, ...]:
    """The offers of a catalogue file's mapping.

    Raises ValueError naming the offer and the key where one is missing, unknown or of
    another type, for a price without its currency, and for an id that comes twice.
    """
    rows = content.get("offers")
    if not isinstance(rows, list) or set(content) != {"offers"}:
        raise ValueError("a catalogue holds [[offers]] and nothing else")
    offers = tuple(_offer(row) for row in rows)
    ids = [offer.id for offer in offers]
    twice = sorted({id_ for id_ in ids if ids.count(id_) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)}: an offer's id stands once in a catalogue")
    return offers


_NEEDED: dict[str, type] = {"id": str, "provider": str, "gpu": str, "gpus": int, "source": str}
_OPTIONAL: dict[str, type] = {
    "memory_gb": int,
    "hours": int,
    "price": str,
    "currency": str,
    "valid_on": date,
}


def _offer(row: object) -> Offer:
    if not isinstance(row, dict):
        raise ValueError("an offer is a table, [[offers]]")
    name = row.get("id", "an offer without an id")
    for key, value in row.items():
        kind = _NEEDED.get(key) or _OPTIONAL.get(key)
        if kind is None:
            raise ValueError(f"{name}: unknown key {key!r}")
        if type(value) is not kind or (isinstance(value, int) and value < 1):
            raise ValueError(f"{name}: {key} = {value!r} is not a {kind.__name__} above zero")
    missing = _NEEDED.keys() - row.keys()
    if missing:
        raise ValueError(f"{name}: {', '.join(sorted(missing))} missing")
    if ("price" in row) != ("currency" in row):
        raise ValueError(f"{name}: a price and its currency stand together")
    return Offer(
        id=row["id"],
        provider=row["provider"],
        gpu=row["gpu"],
        gpus=row["gpus"],
        memory_gb=row.get("memory_gb"),
        hours=row.get("hours"),
        price_minor=_price(row),
        currency=row.get("currency"),
        source=row["source"],
        valid_on=row.get("valid_on"),
    )


def _price(row: Mapping[str, str]) -> int | None:
    if "price" not in row:
        return None
    return parse_amount(row["price"], row["currency"], strict=True)
