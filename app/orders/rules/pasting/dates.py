"""Dates and times in a text, in the spellings of English, German and Vietnamese mails.

Each is found with everything that it may mean: a date of slashes can name two days, a clock can
lack its zone. Nothing is decided here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time

from app.orders.rules.pasting.zones import ZONE, Zone, read_zone
from app.units import is_plausible

_MONTHS = (
    "jan january januar jän jänner|feb february februar|mar march märz mär mrz|apr april|may mai|"
    "jun june juni|jul july juli|aug august|sep sept september|oct october okt oktober|"
    "nov november|dec december dez dezember"
)
_MONTH_OF = {
    name: n for n, names in enumerate(_MONTHS.split("|"), start=1) for name in names.split()
}
_MONTH = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_DATE = re.compile(
    r"(?<![0-9./\-])(?P<iy>[0-9]{4})(?P<isep>[-/.])(?P<im>[0-9]{1,2})(?P=isep)(?P<id>[0-9]{1,2})(?![0-9])"
    r"|(?<![0-9./])(?P<a>[0-9]{1,2})(?P<sep>[./\-])\s?(?P<b>[0-9]{1,2})(?P=sep)\s?(?P<y>[0-9]{4}|[0-9]{2})(?![0-9])"
    rf"|(?<![0-9])(?P<nd>[0-9]{{1,2}})(?:\.|st|nd|rd|th)?[\s\-]{{0,3}}(?:of\s)?(?P<nm>{_MONTH})\b\.?,?[\s\-]{{0,3}}(?P<ny>[0-9]{{4}})"
    rf"|\b(?P<um>{_MONTH})\b\.?\s{{0,3}}(?P<ud>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\s{{1,3}}(?P<uy>[0-9]{{4}})"
    r"|(?<![0-9])(?P<vd>[0-9]{1,2})\s{0,3}tháng\s{1,3}(?P<vm>[0-9]{1,2})(?:\s{0,3},?\s{0,3}năm\s{1,3}|\s{0,3}[/,]\s{0,3}|\s{1,3})(?P<vy>[0-9]{4})",
    re.IGNORECASE,
)
_CLOCK = (
    r"(?<![0-9:.,])(?:(?P<h>[0-9]{1,2}):(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9])(?:[.,][0-9]{1,9})?)?"
    r"|(?P<h2>[0-9]{1,2})(?:[.:](?P<m2>[0-5][0-9]))?(?=\s{0,2}(?:Uhr|[ap]\.?m\b))"
    r"|(?P<h3>[0-9]{1,2})(?:h|\s{0,2}giờ\s{0,2})(?P<m3>[0-5][0-9])?(?![0-9]))"
    r"(?![0-9])(?:\s{0,2}(?P<half>[ap])\.?m\b\.?)?(?:\s{0,2}(?:Uhr|phút))?"
    r"(?:\s{0,2}(?P<part>sáng|chiều|tối|trưa)\b)?"
)
_GAP = (
    r"[\s,;(|]{0,4}(?:(?:at|um|lúc|on|am|ngày|vào|the|gegen|mon|tue|wed|thu|fri|sat|sun)\b"
    r"[.,]?[\s,]{0,3}){0,3}"
)
_THEN_CLOCK = re.compile(rf"(?:T|{_GAP}){_CLOCK}", re.IGNORECASE)
_THEN_ZONE = re.compile(rf"\s{{0,2}}[(\[]?\s?(?P<zone>{ZONE})")
_WEEKDAY = r"(?:(?:thứ\s\w+|chủ nhật|[^\W\d_]{2,10}\.?),?\s{1,2})?"
_CLOCK_FIRST = re.compile(
    rf"{_CLOCK}\s{{0,2}}\(?(?P<zone>(?-i:{ZONE}))?\)?{_GAP}{_WEEKDAY}{_GAP}$", re.IGNORECASE
)
MOST_READ = 4000


@dataclass(frozen=True, slots=True)
class When:
    """A day with or without a clock: the days that it may be, the clock, its zone as written.

    `begins` and `ends` are its place in the text. `order` says how a date of numbers is written:
    "ambiguous", "day_first", "month_first", or "" where the spelling leaves no choice.
    """

    days: tuple[date, ...]
    clock: time | None
    zone: Zone | None
    begins: int
    ends: int
    written: str
    order: str = ""


def times_in(said: str) -> tuple[When, ...]:
    """The dates of a text with their clocks and zones, in the order in which they stand."""
    said = said[:MOST_READ]
    found: list[When] = []
    done = 0
    for one in _DATE.finditer(said):
        days, order = _days(one)
        if days:
            found.append(_when(said, one, days, order, done))
            done = found[-1].ends
    return tuple(found)


def _when(said: str, one: re.Match[str], days: tuple[date, ...], order: str, done: int) -> When:
    begins, ends = one.start(), one.end()
    zone = None
    clock_match = _THEN_CLOCK.match(said, ends)
    clock = _clock(clock_match) if clock_match else None
    if clock_match is not None and clock is not None:
        ends = clock_match.end()
    else:
        start = max(done, begins - 48)
        ahead = _CLOCK_FIRST.search(said[start:begins])
        clock = _clock(ahead) if ahead else None
        if ahead is not None and clock is not None:
            begins = start + ahead.start()
            zone = read_zone(ahead["zone"]) if ahead["zone"] else None
    if clock is not None and zone is None and (named := _THEN_ZONE.match(said, ends)):
        zone = read_zone(named["zone"])
        ends = named.end() if zone else ends
    written = said[begins:ends].strip(" ,;(|")
    written += ")" if written.count("(") > written.count(")") else ""
    return When(days, clock, zone, begins, ends, written, order)


def _days(one: re.Match[str]) -> tuple[tuple[date, ...], str]:
    """The days that a match may name, and which order of day and month it shows."""
    if one["iy"]:
        return _day(one["iy"], one["im"], one["id"]), ""
    if one["nm"]:
        return _day(one["ny"], str(_MONTH_OF[one["nm"].casefold()]), one["nd"]), ""
    if one["um"]:
        return _day(one["uy"], str(_MONTH_OF[one["um"].casefold()]), one["ud"]), ""
    if one["vm"]:
        return _day(one["vy"], one["vm"], one["vd"]), ""
    if one["sep"] == "-" and one.string[one.start() - 1 : one.start()] == "-":
        return (), ""
    year = one["y"] if len(one["y"]) == 4 else f"20{one['y']}"
    if len(one["y"]) == 2 and one["sep"] == "-":
        return (), ""  # "26-11-30" may begin with its year
    by_day, by_month = _day(year, one["b"], one["a"]), _day(year, one["a"], one["b"])
    if one["sep"] == "." or not by_month:
        return by_day, "" if one["sep"] == "." else "day_first"
    if not by_day or by_day == by_month:
        return by_month, "" if by_day else "month_first"
    return (*by_day, *by_month), "ambiguous"


def _day(year: str, month: str, day: str) -> tuple[date, ...]:
    try:
        made = date(int(year), int(month), int(day))
    except ValueError:
        return ()
    return (made,) if is_plausible(made) else ()


def _clock(one: re.Match[str]) -> time | None:
    hour = int(one["h"] or one["h2"] or one["h3"])
    minute, second = int(one["m"] or one["m2"] or one["m3"] or 0), int(one["s"] or 0)
    half, part = (one["half"] or "").casefold(), (one["part"] or "").casefold()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    elif part in ("chiều", "tối") and hour < 12:
        hour += 12
    return time(hour, minute, second) if hour < 24 else None


def written_orders(text: str) -> frozenset[str]:
    """Which orders of day and month the dates of a text prove: those with a part above 12."""
    orders = (_days(one)[1] for one in _DATE.finditer(text))
    return frozenset(one for one in orders if one in ("day_first", "month_first"))


def local_of(day: date, clock: time) -> datetime:
    """Day and clock as a naive local time."""
    return datetime.combine(day, clock)
