"""From the values of one row of a file to its offer, or to what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime

from app.offers.rules.offer import (
    MOST,
    NEEDED,
    Offer,
    Problem,
    needed,
    one_line,
    read_amount,
    say_why,
    tidy,
    together,
    whole_number,
    wrong,
)
from app.texts import text
from app.units import UnitError, currency_exponent

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YES = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def read_row(values: Mapping[str, object], *, strict: bool) -> Offer | tuple[Problem, ...]:
    """The offer that a row states, or everything that is wrong with it.

    Strictly (TOML) a value has the type of its key; else (CSV) it is text that people typed.
    """
    problems = [needed(key) for key in NEEDED if key not in values]
    read: dict[str, object] = {}
    for key, value in values.items():
        if key in ("price", "currency"):
            continue
        made = _READERS[key](key, value, strict)
        if isinstance(made, Problem):
            problems.append(made)
        else:
            read[key] = made
    price = _price(values, strict)
    if isinstance(price, Problem):
        problems.append(price)
    else:
        read["price_minor"], read["currency"] = price
    # What could not be read stands in as something harmless, so that the rest is judged too.
    offer = Offer(**(_HARMLESS | read))  # type: ignore[arg-type]
    known = {problem.field for problem in problems}
    problems += [problem for problem in wrong(offer) if problem.field not in known]
    return tuple(problems) or offer


_HARMLESS: dict[str, object] = {
    "id": "x", "provider": "x", "gpu": "x", "gpus": 1, "memory_gb": None, "hours": None,
    "price_minor": None, "currency": None, "source": "x", "valid_on": None, "withdrawn": False,
}  # fmt: skip


def _line(key: str, value: object, strict: bool) -> str | Problem:
    return tidy(value) if isinstance(value, str) else one_line(key)


def _figure(key: str, value: object, strict: bool) -> int | Problem:
    if not strict and isinstance(value, str) and re.fullmatch("[0-9]{1,9}", value.strip()):
        value = int(value)
    if type(value) is not int or not 1 <= value <= MOST[key]:
        return whole_number(key)
    return value


def _day(key: str, value: object, strict: bool) -> date | Problem:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        if isinstance(value, str) and _DAY.fullmatch(value.strip()):
            return date.fromisoformat(value.strip())
    except ValueError:
        pass
    return Problem(key, text("Enter a day as year, month and day: 2026-12-01."))


def _yes(key: str, value: object, strict: bool) -> bool | Problem:
    if not strict and isinstance(value, str):
        value = _YES.get(value.strip().lower())
    if isinstance(value, bool):
        return value
    return Problem(key, text("Write true for an offer that is withdrawn, else leave it out."))


_READERS: dict[str, Callable[[str, object, bool], object]] = {
    "id": _line, "provider": _line, "gpu": _line, "source": _line,
    "gpus": _figure, "memory_gb": _figure, "hours": _figure,
    "valid_on": _day, "withdrawn": _yes,
}  # fmt: skip


def _price(values: Mapping[str, object], strict: bool) -> tuple[int | None, str | None] | Problem:
    if "price" not in values and "currency" not in values:
        return None, None
    if "currency" not in values or "price" not in values:
        return together("currency" if "price" in values else "price")
    currency = values["currency"]
    if not isinstance(currency, str):
        return one_line("currency")
    try:
        currency_exponent(currency.strip())
    except UnitError as error:
        return Problem("currency", say_why(error))
    found = read_amount(values["price"], currency.strip(), strict=strict)
    if found.problem is not None:
        return Problem("price", found.problem, found.readings)
    return found.minor, currency.strip()
