"""The cells of a CSV row as values, or what is wrong with them and what would be right."""

from __future__ import annotations

import re
from datetime import datetime

from app.orders.rules.typed import say_why
from app.texts import Text, text
from app.units import (
    CURRENCIES,
    Ambiguous,
    Reason,
    Resolved,
    UnitError,
    parse_amount,
    parse_instant,
    parse_local,
    resolve_local,
    zone,
)

_YES = {"yes": True, "true": True, "1": True, "ja": True, "có": True,
        "no": False, "false": False, "0": False, "nein": False, "không": False}  # fmt: skip


def amount_of(said: str, currency: str) -> int | Text:
    """Minor units of "47.14" or "47,14"; what has two readings is refused with them."""
    if currency not in CURRENCIES:
        return 0  # the currency is refused already
    try:
        return parse_amount(said, currency, strict=False)
    except UnitError as error:
        if error.candidates:
            return text("{why} Write one of: {readings}.", why=Text(error.msgid, error.params),
                        readings=error.candidates)  # fmt: skip
        return say_why(error)


def instant_of(said: str, zone_name: str) -> datetime | Text:
    """An instant with its offset; without one the refusal says what it would be where."""
    try:
        return parse_instant(said)
    except UnitError as error:
        if error.reason is not Reason.NO_OFFSET:
            return say_why(error)
        why = Text(error.msgid, error.params)
    readings = [*_local_readings(said, zone_name), f"{said.strip().replace(' ', 'T')}Z"]
    return text("{why} Write one of: {readings}.", why=why, readings=tuple(readings))


def _local_readings(said: str, zone_name: str) -> list[str]:
    """A local time of the campaign's zone with its offset, as it is to be written."""
    try:
        found = resolve_local(parse_local(said), zone_name)
    except UnitError:
        return []
    if isinstance(found, Resolved):
        instants = [found.at]
    elif isinstance(found, Ambiguous):
        instants = [found.first_at, found.second_at]
    else:
        instants = []
    place = zone(zone_name)
    return [at.astimezone(place).isoformat() for at in instants]


def whole_of(said: str) -> int | Text:
    """A whole number."""
    if re.fullmatch("[0-9]{1,9}", said):
        return int(said)
    return text("Enter a whole number.")


def yes_of(said: str) -> bool | Text:
    """Yes or no, in the words of three languages."""
    known = _YES.get(said.casefold())
    return text("Write yes or no, or leave it empty.") if known is None else known


def currency_of(said: str) -> str | Text:
    """A currency by its code; small letters are taken too."""
    if said.upper() in CURRENCIES:
        return said.upper()
    return text("“{given}” is not a current currency code of ISO 4217.", given=said[:40])
