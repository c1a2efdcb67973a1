"""Offers as files: one canonical form, which reads back as the same offers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import date

from app.offers.rules.offer import KEYS, Offer
from app.offers.rules.sheet import cell
from app.units import amount_text

_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\"})


def write_toml(offers: Iterable[Offer]) -> str:
    """The offers as TOML; what is unknown is left out."""
    return "\n".join(f"[[offers]]\n{_table(offer)}" for offer in offers)


def write_csv(offers: Iterable[Offer]) -> str:
    """The offers as CSV under a header; what is unknown is an empty cell."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(KEYS)
    for offer in offers:
        values = _values(offer)
        writer.writerow([_cell(values.get(key)) for key in KEYS])
    return target.getvalue()


def _values(offer: Offer) -> dict[str, object]:
    price = None
    if offer.price_minor is not None and offer.currency is not None:
        price = amount_text(offer.price_minor, offer.currency)
    values = {key: getattr(offer, key, None) for key in KEYS} | {"price": price}
    values["withdrawn"] = offer.withdrawn or None
    return {key: value for key, value in values.items() if value is not None}


def _table(offer: Offer) -> str:
    return "".join(f"{key} = {_inline(value)}\n" for key, value in _values(offer).items())


def _inline(value: object) -> str:
    match value:
        case bool():
            return "true"
        case str():
            return f'"{value.translate(_ESCAPES)}"'
        case date():
            return value.isoformat()
        case _:
            return str(value)


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true"
        case str():
            return cell(value)
        case date():
            return value.isoformat()
        case _:
            return str(value)
