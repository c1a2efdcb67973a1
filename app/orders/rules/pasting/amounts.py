"""Amounts of money in a text: which numbers are amounts, in which currency, and which are rates.

What is a price for some unit (an hour, a day, a GPU) or a factor of a multiplication is no amount
of an order, and nothing is ever multiplied here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.orders.rules.pasting.cleaning import GROUPED
from app.units import CURRENCIES, MAX_MINOR, UnitError, amount_text, parse_amount

DOLLARS = ("USD", "CAD", "AUD", "SGD", "HKD", "NZD", "TWD")
_SYMBOLS: dict[str, tuple[str, ...]] = {
    "US$": ("USD",), "USD$": ("USD",), "CA$": ("CAD",), "C$": ("CAD",), "AU$": ("AUD",),
    "A$": ("AUD",), "S$": ("SGD",), "HK$": ("HKD",), "NZ$": ("NZD",), "NT$": ("TWD",),
    "R$": ("BRL",), "$": DOLLARS, "€": ("EUR",), "£": ("GBP",), "¥": ("JPY", "CNY"), "円": ("JPY",),
    "元": ("CNY",), "₫": ("VND",), "VNĐ": ("VND",), "vnđ": ("VND",), "đồng": ("VND",),
    "đ": ("VND",), "₹": ("INR",), "₩": ("KRW",), "₺": ("TRY",), "₽": ("RUB",), "₴": ("UAH",),
    "฿": ("THB",), "zł": ("PLN",), "Kč": ("CZK",), "kr": ("SEK", "NOK", "DKK"), "Fr.": ("CHF",),
    "SFr.": ("CHF",), "Euros": ("EUR",), "euros": ("EUR",), "Euro": ("EUR",), "euro": ("EUR",),
    "US-Dollar": ("USD",), "US dollars": ("USD",), "US dollar": ("USD",),
}  # fmt: skip
_LOWER = ("usd", "eur", "gbp", "chf", "jpy", "vnd", "cny")
_WORDY = sorted(_SYMBOLS, key=len, reverse=True)
_MARK = "|".join(
    [rf"(?<![A-Za-z])(?:{'|'.join([*sorted(CURRENCIES), *_LOWER])})(?![A-Za-z])"]
    + [re.escape(one) + (r"(?![^\W\d_])" if one[-1].isalpha() else "") for one in _WORDY]
)
_CODE = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(sorted(CURRENCIES))})(?![A-Za-z])")
_NUMBER = (
    rf"[0-9]{{1,3}}(?:[ {GROUPED}][0-9]{{3}}(?![0-9]))+(?:[.,][0-9]+)?"
    r"|[0-9]+(?:[.,'’][0-9]+)*"
)
_AMOUNT = re.compile(
    rf"(?P<sign>(?<!\w)[-−])?(?:(?P<before>{_MARK})\s?(?P<inner>[-−])?)?"
    rf"(?<![0-9A-Za-z_:/#{GROUPED}])(?<![0-9][.,'’])(?P<number>{_NUMBER})(?:[.,][-–—]+(?![0-9]))?"
    rf"(?=(?:\s?(?P<after>{_MARK}))?)(?!\s?%|[.,'’:/\-][0-9]|[0-9_])"
)
_WORD = re.compile(r"\s?[^\W\d_]")
_UNIT = (
    r"h|hr|hrs|hour|hours|std|stunde|day|days|tag|tage|d|month|monat|mo|week|woche|minute|min|"
    r"second|sec|s|gpu|card|unit|stück|stk|gb|gib|tb|tib|token|giờ|ngày|tháng|tuần|phút|lượt|card"
)
_RATE = re.compile(
    rf"\s*\(?\s*(?:(?:/|∕|÷)\s*(?:1\s*)?(?:gpu\s*[-·]?\s*)?(?:{_UNIT})\b"
    rf"|(?:per|pro|je|each|mỗi|một|an?|the)\s+(?:\S+\s+)?(?:{_UNIT})\b|(?:each|je|pro)\b)",
    re.IGNORECASE,
)
_OF_UNITS = re.compile(
    rf"(?:\b(?:per|pro|je|each|an?)|mỗi|một)\s+(?:\S+\s+)?(?:{_UNIT})\b"
    rf"|/\s?(?:1\s)?(?:gpu\s?[-/]\s?)?(?:{_UNIT})\b|\bhour(?:ly)\b|\b(?:unit|list)\s+price|\brates?\b|"
    r"satz\b|einzelpreis|stückpreis|đơn giá",
    re.IGNORECASE,
)
_FACTOR_AFTER = re.compile(r"\s*[x×*·]\s*[0-9]", re.IGNORECASE)
_FACTOR_BEFORE = re.compile(r"[x×*·@]\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number that may be an amount: as written, the currencies its mark may mean, and other
    ways to cut the number where a space stands in it."""

    number: str
    written: str
    currencies: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """The readings of a number as plain decimals: one where it is certain, none where it is no
    amount."""

    amounts: tuple[str, ...]


def amounts_in(said: str) -> tuple[Amount, ...]:
    """The amounts of a text with a currency; without any, the number that is the whole text.

    Rates, factors and negative amounts are left out.
    """
    found = _marked(said)
    if found:
        return found
    bare = (one for one in _AMOUNT.finditer(said) if not one["after"] and _counts(said, one, ""))
    whole = said.strip(" .*_\t")
    return tuple(_amount(said, one, "", "") for one in bare if one[0].strip() == whole)


def _marked(said: str) -> tuple[Amount, ...]:
    """The numbers with a currency before or behind them; a mark between two numbers is the
    first one's where the second has its own, else it may be either's."""
    found: list[Amount] = []
    used = -1
    for one in _AMOUNT.finditer(said):
        before, after = one["before"] or "", one["after"] or ""
        shared = bool(before) and one.start("before") == used
        if shared and (after or _WORD.match(said, one.end("number"))):
            before = ""
        if not before and not after:
            continue
        if after:
            used = one.start("after")
        if _counts(said, one, after):
            found.append(_amount(said, one, before, after))
    return tuple(found)


def is_of_units(said: str) -> bool:
    """Whether a label or a sentence speaks of the price of some unit: an hour, a day, a GPU."""
    return _OF_UNITS.search(said) is not None


def _counts(said: str, one: re.Match[str], after: str) -> bool:
    if one["sign"] or one["inner"]:
        return False
    end = one.end("after") if after else one.end()
    if not after and not one["before"] and _WORD.match(said, end):
        return False
    behind, ahead = said[end : end + 40], said[max(0, one.start() - 4) : one.start()]
    return not (_RATE.match(behind) or _FACTOR_AFTER.match(behind) or _FACTOR_BEFORE.search(ahead))


def _amount(said: str, one: re.Match[str], before: str, after: str) -> Amount:
    number = one["number"]
    others: tuple[str, ...] = ()
    _, space, tail = number.partition(" ")
    if space and said[: one.start("number")].strip() not in ("", before):
        others = (tail,)  # "2 110.00 EUR" may be two of 110.00
    marks = [_options(mark) for mark in (before, after) if mark]
    options = marks[0] if marks else ()
    if len(marks) == 2:
        options = tuple(code for code in marks[0] if code in marks[1]) or (*marks[0], *marks[1])
    begins = one.start("before") if before else one.start("number")
    ends = one.end("after") if after else one.end()
    return Amount(number.replace(GROUPED, " "), said[begins:ends].strip(), options, others)


def _options(mark: str) -> tuple[str, ...]:
    return _SYMBOLS.get(mark) or (mark.upper(),)


def currencies_in(text: str) -> frozenset[str]:
    """The codes of currencies that stand in a text as words."""
    return frozenset(_CODE.findall(text))


def currency_named(said: str) -> tuple[str, ...]:
    """Which currencies a word names: a code, or a sign with what it may mean."""
    word = said.strip(" .:()")
    if word.upper() in CURRENCIES:
        return (word.upper(),)
    return _SYMBOLS.get(word, ())


def read_number(number: str, currency: str) -> Reading:
    """What a number may mean in a currency, as plain decimals; never a guess between two."""
    try:
        minor = parse_amount(number, currency, strict=False)
    except UnitError as error:
        return Reading(error.candidates)
    return Reading((amount_text(minor, currency),) if minor <= MAX_MINOR else ())
