"""Offsets and zones as mails write them: `Z`, `UTC+7`, `+01:00`, `Europe/Berlin`, `MEZ`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from app.units import UnitError, zone

_H = 60
_FIXED: dict[str, int] = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": _H, "CET": _H, "CEST": 2 * _H, "MEZ": _H,
    "MESZ": 2 * _H, "EET": 2 * _H, "EEST": 3 * _H, "MSK": 3 * _H, "ICT": 7 * _H, "WIB": 7 * _H,
    "SGT": 8 * _H, "HKT": 8 * _H, "AWST": 8 * _H, "JST": 9 * _H, "KST": 9 * _H, "AEST": 10 * _H,
    "AEDT": 11 * _H, "NZST": 12 * _H, "NZDT": 13 * _H, "EST": -5 * _H, "EDT": -4 * _H,
    "CDT": -5 * _H, "MST": -7 * _H, "MDT": -6 * _H, "PST": -8 * _H, "PDT": -7 * _H,
    "AKST": -9 * _H, "AKDT": -8 * _H, "HST": -10 * _H,
}  # fmt: skip
_SEVERAL: dict[str, tuple[int, ...]] = {
    "CST": (-6 * _H, 8 * _H), "BST": (_H, 6 * _H), "IST": (5 * _H + 30, _H, 2 * _H),
    "AST": (-4 * _H, 3 * _H), "SST": (-11 * _H, 8 * _H),
}  # fmt: skip
_PLACES = {
    "ET": "America/New_York", "CT": "America/Chicago", "MT": "America/Denver",
    "PT": "America/Los_Angeles", "GIỜ VIỆT NAM": "Asia/Ho_Chi_Minh",
    "GIỜ HÀ NỘI": "Asia/Ho_Chi_Minh",
}  # fmt: skip
_NAMES = "|".join(sorted([*_FIXED, *_SEVERAL, *_PLACES], key=len, reverse=True))
_OFFSET = r"(?:UTC|GMT)\s?[+\-−][0-9]{1,2}(?::?[0-9]{2})?(?![0-9:.])"
ZONE = (
    rf"(?:{_OFFSET}|[+\-−][0-9]{{2}}:?[0-9]{{2}}(?![0-9.:/-])|\+[0-9]{{2}}(?![0-9.:/-])"
    r"|[A-Z][A-Za-z_]+/[A-Z][A-Za-z_+\-]+(?:/[A-Z][A-Za-z_]+)?"
    rf"|(?i:giờ việt nam|giờ hà nội)|(?:{_NAMES})(?![A-Za-z0-9]))"
)
_STATED = re.compile(
    r"(?i:time\s?-?zone|zeitzone|múi giờ)[^\w+\-]{0,4}(?:is|ist|là|:|=)?\s{0,3}\(?"
    rf"(?P<one>{ZONE})"
    r"|(?i:times?|dates|zeiten|zeitangaben|uhrzeiten|thời gian|các giờ|giờ)\b[^.\n|]{0,40}?"
    rf"(?i:\bin|\btheo)\s+(?i:the\s+)?(?P<two>{ZONE})"
)
_SIGNED = re.compile(r"(?:UTC|GMT)?\s?(?P<sign>[+\-−])(?P<h>[0-9]{1,2})(?::?(?P<m>[0-9]{2}))?")


@dataclass(frozen=True, slots=True)
class Zone:
    """What a written zone may be: fixed offsets in minutes, or a place."""

    written: str
    minutes: tuple[int, ...] = ()
    place: str = ""


def read_zone(written: str) -> Zone | None:
    """The zone that a text names; None where it is none."""
    said = written.strip()
    folded = said.upper()
    if folded in _PLACES:
        return Zone(said, place=_PLACES[folded])
    if folded in _FIXED:
        return Zone(said, (_FIXED[folded],))
    if folded in _SEVERAL:
        return Zone(said, _SEVERAL[folded])
    if signed := _SIGNED.fullmatch(said):
        hours, minutes = int(signed["h"]), int(signed["m"] or 0)
        if hours > 14 or minutes > 59:
            return None
        size = hours * 60 + minutes
        return Zone(said, (size if signed["sign"] == "+" else -size,))
    try:
        zone(said)
    except UnitError:
        return None
    return Zone(said, place=said)


def instant_in(local: datetime, minutes: int) -> datetime | None:
    """A local time at an offset, in UTC; None beyond the calendar."""
    try:
        return local.replace(tzinfo=timezone(timedelta(minutes=minutes))).astimezone(UTC)
    except OverflowError:
        return None


def zone_for_all(text: str) -> Zone | None:
    """The one zone that a text states for all its times; None where it names none, or several."""
    named = (read_zone(one["one"] or one["two"]) for one in _STATED.finditer(text))
    found = {(one.minutes, one.place): one for one in named if one is not None}
    return next(iter(found.values())) if len(found) == 1 else None
