"""Durations as people type them, as files keep them, and as the API states hours.

Everything is whole elapsed seconds; a day here is 24 hours, never a calendar day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from app.units.refusal import Reason, UnitError, typed

MINUTE_S = 60
HOUR_S = 60 * MINUTE_S
DAY_S = 24 * HOUR_S
WEEK_S = 7 * DAY_S

MAX_DURATION_S = 36_525 * DAY_S
"""A hundred years: more is a slip of the keyboard, and sums stay far inside 64 bits."""

_WORDS: dict[int, str] = {
    WEEK_S: "w wk wks week weeks wo woche wochen tuần tuan",
    DAY_S: "d day days t tg tag tage tagen ngày ngay",
    HOUR_S: "h hr hrs hour hours std stdn stunde stunden g giờ gio tiếng tieng",
    MINUTE_S: "m min mins minute minutes minuten p ph phút phut",
    1: "s sec secs second seconds sek sekunde sekunden giây giay",
}
_CALENDAR_WORDS = (
    "mo mos mon month months monat monate monaten tháng thang "
    "y yr yrs year years j jahr jahre jahren năm nam"
)
_UNITS: dict[str, int] = {word: unit for unit, words in _WORDS.items() for word in words.split()}
_NO_FIXED_LENGTH = frozenset(_CALENDAR_WORDS.split())
_NEXT_SMALLER = {WEEK_S: DAY_S, DAY_S: HOUR_S, HOUR_S: MINUTE_S, MINUTE_S: 1}

_PART = re.compile(r"([0-9][0-9.,]*)\s*([^\W\d_]*)\.?")
_BETWEEN = re.compile(r"\s*(?:[,;&+]|(?:and|und|và)\b)?\s*")
_AND_A_HALF = re.compile(r"\s*rưỡi\b")
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)?")
_MAYBE_GROUPED = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")
_CLOCK = re.compile(r"([0-9]+):([0-5][0-9])(?::([0-5][0-9]))?\s*(?:h|hrs?|std\.?|giờ|gio)?")
_N = r"([0-9]+(?:[.,][0-9]+)?)"
_ISO = re.compile(rf"p(?:{_N}y)?(?:{_N}m)?(?:{_N}w)?(?:{_N}d)?(t(?:{_N}h)?(?:{_N}m)?(?:{_N}s)?)?")


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A length of time in elapsed seconds; negative where it is a deviation.

    `some`: something took place, so that 0 whole seconds are less than one and not nothing.
    """

    seconds: int
    some: bool = field(default=False, repr=False)


def parse_duration(text: object) -> int:
    """Seconds of a duration typed in English, German, Vietnamese, as `2:30` or in ISO 8601.

    Raises UnitError for lone numbers, negatives, months and years, and whatever has two
    readings or is not a whole number of seconds.
    """
    if not isinstance(text, str):
        raise UnitError(Reason.NOT_TEXT, text, suggestion=_as_hours(text, text))
    given = typed(text)
    folded = given.casefold()
    if folded[0] in "-−–":
        raise UnitError(Reason.NEGATIVE, given, suggestion=_reading(given[1:]))
    if clock := _CLOCK.fullmatch(folded):
        hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        return _whole(Fraction(hours * HOUR_S + minutes * MINUTE_S + seconds), given)
    if ":" in folded:
        raise UnitError(Reason.NOT_UNDERSTOOD, given)
    if folded.startswith("p"):
        return _whole(_iso_seconds(folded, given), given)
    return _whole(_spoken_seconds(folded, given), given)


def format_duration(seconds: int) -> str:
    """The canonical spelling in files: hours, minutes, seconds, each only where not zero.

    Hours never roll over into days. The plan counts in hours, "24h" in a file comes back
    as "24h", and a "1d" could be taken for a calendar day, which has 23 or 25 hours when
    the clock changes. Raises UnitError for a negative number: files hold none.
    """
    if seconds < 0:
        raise UnitError(Reason.NEGATIVE, f"{seconds}s")
    hours, rest = divmod(seconds, HOUR_S)
    minutes, left = divmod(rest, MINUTE_S)
    parts = [f"{n}{unit}" for n, unit in ((hours, "h"), (minutes, "m"), (left, "s")) if n]
    return " ".join(parts) or "0h"


def hours_text(seconds: int) -> str:
    """Hours as a decimal string for the API: "10.5", "-2", "0".

    A second is 1/3600 h = 1/(2⁴·3²·5²) h, so every finite decimal has at most four places
    and is exact; the others are rounded to four places, half-even.
    """
    ten_thousandths = round(Fraction(seconds * 10_000, HOUR_S))
    whole, part = divmod(abs(ten_thousandths), 10_000)
    decimals = f"{part:04d}".rstrip("0")
    sign = "-" if ten_thousandths < 0 else ""
    return f"{sign}{whole}.{decimals}" if decimals else f"{sign}{whole}"


def _spoken_seconds(folded: str, given: str) -> Fraction:
    """The sum of the parts of "1 day 6 h", "1h30", "1 giờ rưỡi"."""
    total = Fraction(0)
    last_unit: int | None = None
    in_order = True
    at = 0
    while at < len(folded):
        part = _PART.match(folded, at)
        if part is None:
            raise UnitError(Reason.NOT_UNDERSTOOD, given)
        number, word = part.groups()
        value = _number(number, part.span(1), folded, given)
        unit = _unit(word, given) if word else _unit_left_out(number, last_unit, total, given)
        total += value * unit
        at = part.end()
        if half := _AND_A_HALF.match(folded, at):
            total += Fraction(unit, 2)
            at = half.end()
        in_order = in_order and (last_unit is None or unit < last_unit)
        last_unit = unit
        if between := _BETWEEN.match(folded, at):
            if between.group().strip() and between.end() == len(folded):
                raise UnitError(Reason.NOT_UNDERSTOOD, given)
            at = between.end()
    if not in_order:
        raise UnitError(Reason.ORDER, given, suggestion=_nearest(total))
    return total


def _number(number: str, where: tuple[int, int], folded: str, given: str) -> Fraction:
    if not _NUMBER.fullmatch(number):
        raise UnitError(Reason.NOT_UNDERSTOOD, given)
    if _MAYBE_GROUPED.fullmatch(number):
        before, after = folded[: where[0]], folded[where[1] :]
        grouped = re.sub("[.,]", "", number)
        readings = (_reading(f"{before}{n}{after}") for n in (grouped, f"{number}0"))
        raise UnitError(
            Reason.AMBIGUOUS, given, candidates=tuple(r for r in readings if r is not None)
        )
    return Fraction(number.replace(",", "."))


def _unit(word: str, given: str) -> int:
    if word in _NO_FIXED_LENGTH:
        raise UnitError(Reason.NO_FIXED_LENGTH, given)
    if word not in _UNITS:
        raise UnitError(Reason.UNKNOWN_UNIT, given)
    return _UNITS[word]


def _unit_left_out(number: str, last_unit: int | None, so_far: Fraction, given: str) -> int:
    """Minutes for the 30 of "1h30"; any other number needs its unit and is asked about."""
    if last_unit is None:
        # "48 30 m" is a puzzle; only a number that stands alone is probably hours.
        raise UnitError(Reason.NO_UNIT, given, suggestion=_as_hours(given, number))
    smaller = _NEXT_SMALLER.get(last_unit)
    if smaller == MINUTE_S and re.fullmatch("[0-5][0-9]", number):
        return smaller
    meant = None
    if smaller is not None and given.endswith(number):
        meant = _nearest(so_far + Fraction(number.replace(",", ".")) * smaller)
    raise UnitError(Reason.NO_UNIT, given, suggestion=meant)


def _iso_seconds(folded: str, given: str) -> Fraction:
    match = _ISO.fullmatch(folded)
    if match is None or folded.endswith(("p", "t")):
        raise UnitError(Reason.NOT_UNDERSTOOD, given)
    years, months, weeks, days, _, hours, minutes, seconds = match.groups()
    if years or months:
        raise UnitError(Reason.NO_FIXED_LENGTH, given)
    parts = ((weeks, WEEK_S), (days, DAY_S), (hours, HOUR_S), (minutes, MINUTE_S), (seconds, 1))
    return sum(
        (Fraction(number.replace(",", ".")) * unit for number, unit in parts if number),
        Fraction(0),
    )


def _whole(total: Fraction, given: str) -> int:
    if total > MAX_DURATION_S:
        raise UnitError(Reason.TOO_LARGE, given)
    if total.denominator != 1:
        raise UnitError(Reason.NOT_WHOLE_SECONDS, given, suggestion=_nearest(total))
    return total.numerator


def _nearest(total: Fraction) -> str | None:
    """The nearest duration of whole seconds, never zero for something that is not."""
    seconds = max(round(total), 1 if total else 0)
    return format_duration(seconds) if seconds <= MAX_DURATION_S else None


def _reading(text: str) -> str | None:
    """How a text would be read, in the canonical spelling; None where it cannot be."""
    try:
        return format_duration(parse_duration(text))
    except UnitError as refused:
        return refused.suggestion and format_duration(parse_duration(refused.suggestion))


def _as_hours(given: object, number: object) -> str | None:
    """What a bare number probably meant: hours, in the digits given where they will do."""
    if isinstance(number, bool) or given != number:
        return None
    if isinstance(number, int | float) and not abs(number) <= MAX_DURATION_S:
        return None
    meant = f"{number} h"
    try:
        parse_duration(meant)
    except UnitError as refused:
        return refused.suggestion
    return meant
