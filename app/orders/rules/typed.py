"""Reading what people type: amounts with one or several readings, local times of a zone.

Nothing is guessed: what can be read in two ways comes back with the choices, a local time
that never happens with its two neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from app.texts import Text, text
from app.units import (
    Ambiguous,
    Missing,
    Reason,
    UnitError,
    is_plausible,
    parse_amount,
    parse_local,
    resolve_local,
    zone,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount as read: minor units, or what is wrong and which readings to choose from."""

    minor: int | None = None
    problem: Text | None = None
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """A local time as read: the instant, or what is wrong and the two times it may mean."""

    at: datetime | None = None
    problem: Text | None = None
    folds: tuple[tuple[str, Text], ...] = ()


def say_why(error: UnitError) -> Text:
    """The sentence of a refusal, with what was probably meant."""
    why = Text(error.msgid, error.params)
    if error.suggestion is None:
        return why
    return text("{why} Did you mean {suggestion}?", why=why, suggestion=error.suggestion)


def read_amount(typed: str, currency: str, chosen: str = "", *, signed: bool = False) -> Amount:
    """An amount typed in a form; `chosen` is the reading a person picked where it was asked."""
    try:
        return Amount(parse_amount(typed, currency, strict=False, signed=signed))
    except UnitError as error:
        if chosen and chosen in error.candidates:
            return Amount(parse_amount(chosen, currency, strict=True, signed=signed))
        return Amount(None, say_why(error), error.candidates)


def read_local(typed: str, zone_name: str, fold: str = "") -> Moment:
    """A local time typed in a form; `fold` answers which one where it happens twice."""
    try:
        naive = parse_local(typed)
        found = resolve_local(naive, zone_name, int(fold) if fold in ("0", "1") else None)
    except UnitError as error:
        if error.reason is Reason.EMPTY:
            return Moment(None, text("Enter a date and a time."))
        return Moment(None, say_why(error))
    clock = f"{naive:%H:%M}"
    if isinstance(found, Missing):
        return Moment(None, _never(clock, zone_name, found))
    if isinstance(found, Ambiguous):
        asked = text(
            "{clock} happens twice on that day in {zone}: which one?", clock=clock, zone=zone_name
        )
        return Moment(None, asked, _folds(found, zone_name))
    return Moment(found.at)


def _never(clock: str, zone_name: str, found: Missing) -> Text:
    return text(
        "{clock} never happens on that day in {zone}: the clock goes from {before} to {after}.",
        clock=clock,
        zone=zone_name,
        before=f"{found.before:%H:%M}",
        after=f"{found.after:%H:%M}",
    )


def _folds(found: Ambiguous, zone_name: str) -> tuple[tuple[str, Text], ...]:
    place = zone(zone_name)
    both = (found.first_at.astimezone(place), found.second_at.astimezone(place))
    first, second = (f"{at:%Z, UTC%z}" for at in both)
    return (
        ("0", text("The first time ({offset})", offset=first)),
        ("1", text("The second time ({offset})", offset=second)),
    )


def local_text(at: datetime, zone_name: str) -> str:
    """An instant as a form field holds it, to the minute, or to the second where it has some."""
    local = at.astimezone(zone(zone_name))
    return f"{local:%Y-%m-%dT%H:%M:%S}" if local.second else f"{local:%Y-%m-%dT%H:%M}"


def fold_of(at: datetime, zone_name: str) -> str:
    """Which of two equal local times an instant is: "0" or "1", empty where there is one."""
    local = at.astimezone(zone(zone_name))
    found = resolve_local(local.replace(tzinfo=None, fold=0), zone_name)
    return str(local.fold) if isinstance(found, Ambiguous) else ""


def read_day(typed: str) -> date | Text:
    """A calendar day as a form sends it, or why it is none."""
    try:
        day = date.fromisoformat(typed.strip())
    except ValueError:
        return text("Enter a day as year, month and day: 2026-12-01.")
    return day_problem(day) or day


def day_problem(day: date) -> Text | None:
    """Why nobody means this day."""
    if is_plausible(day):
        return None
    error = UnitError(Reason.OUT_OF_RANGE, day.isoformat())
    return Text(error.msgid, error.params)
