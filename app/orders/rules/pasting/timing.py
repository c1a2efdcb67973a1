"""Instants from the times of a text; where a zone or an order of day and month is missing, the
readings are asked about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from app.orders.rules.pasting.dates import When, local_of, times_in
from app.orders.rules.pasting.judging import Judged, Reading
from app.orders.rules.pasting.model import Asked, Candidate, Found, Said, Way
from app.orders.rules.pasting.writing import Excerpts
from app.orders.rules.pasting.zones import Zone, instant_in
from app.texts import Text, text
from app.units import (
    DAY_S,
    HOUR_S,
    Ambiguous,
    Resolved,
    UnitError,
    add,
    parse_duration,
    resolve_local,
)

_LENGTH = re.compile(
    r"(?<![0-9.,:])[0-9]{1,4}(?:[.,][0-9]{1,2})?[\s\-]?(?:hours?|hrs?|h|days?|d|weeks?|stunden?|std|"
    r"tagen?|tage?|wochen?|giờ|ngày|tuần)\b",
    re.IGNORECASE,
)
LONGEST_S = 3650 * DAY_S


class Clockwork:
    """Reads times for one text: the campaign's zone, the zone and the order of dates it states."""

    def __init__(
        self, excerpts: Excerpts, zone: str, stated: Zone | None, orders: frozenset[str]
    ) -> None:
        self._of = excerpts
        self._zone = zone
        self._stated = stated
        self._order = next(iter(orders)) if len(orders) == 1 else ""

    def read(self, said: Said) -> Reading:
        """The instants that a statement may mean."""
        times = times_in(said.text)
        if not times:
            return Reading()
        clocked = [one for one in times if one.clock is not None]
        if not clocked:
            asked = text(
                "“{written}” names a day without a time. Enter both.", written=times[0].written[:80]
            )
            return Reading((), asked)
        candidates: list[Candidate] = []
        question: Text | None = None
        for one in clocked:
            found, why = self._instants(one, said)
            candidates += found
            question = question or why
        return Reading(tuple(candidates), question)

    def _instants(self, one: When, said: Said) -> tuple[list[Candidate], Text | None]:
        days, question = one.days, None
        if len(days) > 1:
            order = "day_first" if said.day_first else self._order
            if order:
                days = days[:1] if order == "day_first" else days[1:]
            else:
                question = text(
                    "“{written}” can be read as two dates. Which one is meant?",
                    written=one.written[:80],
                )
        zone = one.zone or self._stated
        if zone is None:
            asked = text(
                "“{written}” names no time zone. Which time is meant?", written=one.written[:80]
            )
            question = question or asked
        elif len(zone.minutes) > 1:
            question = question or text(
                "“{written}” names a zone that means several. Which time is meant?",
                written=one.written[:80],
            )
        assert one.clock is not None
        written = self._of.of(said, one.written)
        found: list[Candidate] = []
        for day in days:
            local = local_of(day, one.clock)
            for at, name in self._at(local, zone):
                found.append(Candidate(at, written, said.line, zone=name))
        if question is None and len(found) > 1:
            question = text("“{written}” happens twice. Which time is meant?",
                            written=one.written[:80])  # fmt: skip
        return found, question

    def _at(self, local: datetime, zone: Zone | None) -> list[tuple[datetime, str]]:
        """The instants of a local time, each with the zone that it was read in."""
        if zone is None:
            return [*_in_place(local, self._zone), *_at_offsets(local, (0,))]
        if zone.place:
            return _in_place(local, zone.place)
        return _at_offsets(local, zone.minutes)

    def length(self, said: Sequence[Said]) -> tuple[int, Said] | None:
        """The one length in seconds that the text states, with where it stands."""
        found: dict[int, Said] = {}
        for one in said:
            for length in _LENGTH.findall(one.text):
                try:
                    seconds = parse_duration(length.replace("-", " "))
                except UnitError:
                    continue
                if HOUR_S <= seconds <= LONGEST_S:
                    found.setdefault(seconds, one)
        return next(iter(found.items())) if len(found) == 1 else None

    def end_by_length(self, length: tuple[int, Said] | None, judged: Judged) -> None:
        """Where only start and length are stated, the end follows from them."""
        if length is None or "ends_at" in judged.found or "ends_at" in judged.asked:
            return
        seconds, said = length
        written = self._of.of(said, said.text)
        if start := judged.found.get("starts_at"):
            ends_at = _later(start.value, seconds)
            if ends_at is not None:
                judged.found["ends_at"] = Found(ends_at, written, said.line, Way.WINDOW)
        elif asked := judged.asked.get("starts_at"):
            later = [(one, _later(one.value, seconds)) for one in asked.candidates]
            candidates = tuple(
                replace(one, value=at, written=written, line=said.line)
                for one, at in later
                if at is not None
            )
            if candidates:
                judged.asked["ends_at"] = Asked(asked.question, candidates)


def _later(value: object, seconds: int) -> datetime | None:
    if not isinstance(value, datetime):
        return None
    try:
        return add(value, seconds)
    except UnitError:
        return None


def _in_place(local: datetime, place: str) -> list[tuple[datetime, str]]:
    try:
        found = resolve_local(local, place)
    except UnitError:
        return []
    if isinstance(found, Resolved):
        return [(found.at, place)]
    if isinstance(found, Ambiguous):
        return [(found.first_at, place), (found.second_at, place)]
    return []


def _at_offsets(local: datetime, minutes: Sequence[int]) -> list[tuple[datetime, str]]:
    found = ((instant_in(local, one), one) for one in minutes)
    return [(at, _offset_name(one)) for at, one in found if at is not None]


def _offset_name(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{hours:02d}:{rest:02d}" if minutes else "UTC"
