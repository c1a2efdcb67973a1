"""Amounts of money: integer minor units with their currency, never a float.

Reads amounts strictly for the API and leniently for forms, where a text that has two
readings is asked about; divides exactly and says when what is shown was rounded.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from app.units.currencies import currency_exponent
from app.units.refusal import Reason, UnitError, typed

MAX_MINOR = 10**15
"""The largest amount taken, so that sums of thousands stay inside 64 bits."""

_STRICT = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_PLAIN = re.compile(r"([0-9]+)(?:([.,])([0-9]+))?")
_GROUPED = re.compile(
    r"(?P<whole>[1-9][0-9]{0,2}(?P<group>[.,'’\s])[0-9]{3}(?:(?P=group)[0-9]{3})*)"
    r"(?:(?P<point>[.,])(?P<decimals>[0-9]+))?"
)
_WITH_CODE = re.compile(r"(?:([A-Za-z]{3})\s*)?([^A-Za-z]*?)(?:\s*([A-Za-z]{3}))?")


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in minor units of one currency; only like currencies can be added."""

    minor: int
    currency: str

    def __post_init__(self) -> None:
        if type(self.minor) is not int:
            raise TypeError(f"minor units are an int, not {type(self.minor).__name__}")
        currency_exponent(self.currency)

    @property
    def text(self) -> str:
        """The plain decimal, "47.14", without the currency."""
        return amount_text(self.minor, self.currency)

    def __add__(self, other: Money) -> Money:
        if not isinstance(other, Money):
            return NotImplemented
        if other.currency != self.currency:
            raise UnitError(Reason.UNLIKE_CURRENCIES, f"{self.currency} + {other.currency}")
        return Money(self.minor + other.minor, self.currency)

    def __sub__(self, other: Money) -> Money:
        if not isinstance(other, Money):
            return NotImplemented
        return self + -other

    def __neg__(self) -> Money:
        return Money(-self.minor, self.currency)

    def __mul__(self, count: int) -> Money:
        if type(count) is not int:
            return NotImplemented
        return Money(self.minor * count, self.currency)


@dataclass(frozen=True, slots=True)
class PerUnit:
    """A ratio of money to a count: exact in major units, and as shown in minor units.

    `rounded` is true where the shown amount is not the exact one.
    """

    exact: Fraction
    minor: int
    currency: str
    rounded: bool

    @property
    def text(self) -> str:
        """The amount as shown, "11.78"."""
        return amount_text(self.minor, self.currency)


def per_unit(minor: int, count: int, currency: str) -> PerUnit | None:
    """`minor` ÷ `count`, exact, and rounded half-even for display; None for a count of 0.

    The caller states why there is nothing to divide by. Raises ValueError for a negative
    count.
    """
    if count < 0:
        raise ValueError(f"a count is never negative: {count}")
    exponent = currency_exponent(currency)
    if count == 0:
        return None
    exact_minor = Fraction(minor, count)
    shown = round(exact_minor)
    return PerUnit(exact_minor / 10**exponent, shown, currency, shown != exact_minor)


def amount_text(minor: int, currency: str) -> str:
    """The plain decimal with all decimals of the currency: "47.14", "7071", "-10.00"."""
    exponent = currency_exponent(currency)
    sign = "-" if minor < 0 else ""
    if exponent == 0:
        return f"{sign}{abs(minor)}"
    whole, part = divmod(abs(minor), 10**exponent)
    return f"{sign}{whole}.{part:0{exponent}d}"


def parse_amount(text: object, currency: str, *, strict: bool, signed: bool = False) -> int:
    """Minor units of an amount.

    Strict (API, files): a string such as "47.14" with at most the currency's decimals.
    Lenient (forms): also "47,14", "1.234,56", "1 234.56", "47.14 USD"; what could be a
    thousand or a decimal ("1.234", "47.145") is refused with its readings. Both raise
    UnitError; a sign is taken only with `signed`.
    """
    exponent = currency_exponent(currency)
    if not isinstance(text, str):
        raise UnitError(Reason.NOT_TEXT, text, suggestion=_as_amount(text, currency))
    given = typed(text)
    body, negative = _sign_off(text if strict else _code_off(given, currency), strict)
    if negative and not signed:
        raise UnitError(Reason.NEGATIVE, given, suggestion=_form_reading(body, currency))
    if strict and not _STRICT.fullmatch(body):
        meant = _form_reading(given, currency, signed)
        raise UnitError(Reason.NOT_UNDERSTOOD, given, suggestion=meant)
    value = Fraction(body) if strict else _form_value(body, given, currency)
    minor: Fraction = value * 10**exponent
    if minor > MAX_MINOR:
        raise UnitError(Reason.TOO_LARGE, given)
    sign = -1 if negative else 1
    # Strictly, surplus zeros are refused too: "47.140" claims a precision USD does not have.
    if minor.denominator != 1 or (strict and len(body.partition(".")[2]) > exponent):
        raise _too_fine(sign * value, given, currency)
    return sign * minor.numerator


def _sign_off(text: str, strict: bool) -> tuple[str, bool]:
    if text[:1] == "-" or (not strict and text[:1] == "−"):
        return (text[1:] if strict else text[1:].lstrip()), True
    return text, False


def _code_off(given: str, currency: str) -> str:
    """The amount of "47.14 USD" or "USD 47.14"; raises UnitError for another code."""
    match = _WITH_CODE.fullmatch(given)
    if match is None:
        raise UnitError(Reason.NOT_UNDERSTOOD, given)
    before, body, after = match.groups()
    if any(code and code.upper() != currency for code in (before, after)):
        raise UnitError(Reason.OTHER_CURRENCY, given)
    return body


def _form_value(digits: str, given: str, currency: str) -> Fraction:
    """The value of an unsigned amount typed by a person; raises UnitError when unsure."""
    if plain := _PLAIN.fullmatch(digits):
        whole, point, decimals = plain.groups(default="")
        value = Fraction(f"{whole}.{decimals or 0}")
        # With three decimals (KWD) "1.234" is how we print it ourselves, so a form that
        # comes back unchanged is taken; "1,234" is asked about there too.
        ours = point == "." and currency_exponent(currency) == 3
        if len(decimals) == 3 and not ours and re.fullmatch("[1-9][0-9]{0,2}", whole):
            readings = (Fraction(whole + decimals), value)
            candidates = (text for reading in readings for text in _around(reading, currency))
            raise UnitError(Reason.AMBIGUOUS, given, candidates=tuple(candidates))
        return value
    grouped = _GROUPED.fullmatch(digits)
    if grouped is None or grouped["point"] == grouped["group"]:
        raise UnitError(Reason.NOT_UNDERSTOOD, given)
    whole = re.sub("[^0-9]", "", grouped["whole"])
    return Fraction(f"{whole}.{grouped['decimals'] or 0}")


def _around(value: Fraction, currency: str) -> tuple[str, ...]:
    """The amounts of this currency next to a value: one where it is exact, else two."""
    exact = value * 10 ** currency_exponent(currency)
    nearest = sorted({math.floor(exact), math.ceil(exact)})
    return tuple(amount_text(minor, currency) for minor in nearest)


def _too_fine(value: Fraction, given: str, currency: str) -> UnitError:
    readings = _around(value, currency)
    if len(readings) == 1:
        return UnitError(Reason.TOO_FINE, given, suggestion=readings[0])
    return UnitError(Reason.TOO_FINE, given, candidates=readings)


def _form_reading(text: str, currency: str, signed: bool = False) -> str | None:
    """How a form would read a text, as a plain decimal; None where it would ask."""
    try:
        minor = parse_amount(text, currency, strict=False, signed=signed)
    except UnitError:
        return None
    return amount_text(minor, currency)


def _as_amount(value: object, currency: str) -> str | None:
    """The string that a JSON number should have been, where its digits say so."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    digits = repr(value) if isinstance(value, float) or abs(value) <= MAX_MINOR else ""
    return _form_reading(digits, currency)
