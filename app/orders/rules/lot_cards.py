"""A rented lot in words and as a bar: the line that leads, what became of the hours that passed,
what is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from app.orders.rules.hours import LotHours
from app.orders.rules.records import OrderedLot
from app.plan.rules.spans import hours_said
from app.texts import Text, ntext, text
from app.units import MINUTE_S

_WHOLE = 100


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a lot's bar, in percent of what was paid."""

    kind: str
    x: float
    width: float
    title: Text


@dataclass(frozen=True, slots=True)
class LotCard:
    """A rented lot: the line that leads, its bar, what became of its hours, what is left."""

    id: str
    gpu: str | None
    line: tuple[Text, ...]
    parts: tuple[Part, ...]
    became: tuple[Text, ...]
    left_s: int | None
    at: datetime


def lot_card(lot: OrderedLot, hours: LotHours, now: datetime) -> LotCard:
    """A lot as pages show it at `now`."""
    return LotCard(
        id=lot.id,
        gpu=lot.gpu,
        line=tuple(lot_line(hours)),
        parts=tuple(_parts(hours)),
        became=tuple(_became(hours)) if hours.has_begun else (),
        left_s=hours.left_s if hours.has_begun and not hours.is_over else None,
        at=now,
    )


def lot_line(hours: LotHours) -> Iterator[Text]:
    """`72 h paid`, `71 h 30 min usable`, `48 h planned`, `23 h 30 min uncommitted`, `begin
    retrieving by …`; what nobody planned is left out."""
    yield text("{time} paid", time=_hours(hours.paid_s))
    yield text("{time} usable", time=_hours(hours.usable_s))
    if hours.planned_s is not None and hours.uncommitted_s is not None:
        yield text("{time} planned", time=_hours(hours.planned_s))
        if hours.uncommitted_s < 0:
            yield text("exceeds by {time}", time=_hours(-hours.uncommitted_s))
        else:
            yield text("{time} uncommitted", time=_hours(hours.uncommitted_s))
    if hours.retrieve_by is not None and not hours.is_over:
        yield text("begin retrieving by {at}", at=hours.retrieve_by)


def _became(hours: LotHours) -> Iterator[Text]:
    yield text("{time} with runs", time=_hours(hours.runs_s))
    yield text("{time} with people only", time=_hours(hours.people_s))
    yield text("{time} with nothing reported", time=_hours(hours.idle_s))
    if hours.cut_runs:
        yield ntext(
            "{n} run cut by the end, {time} reported after it",
            "{n} runs cut by the end, {time} reported after it",
            hours.cut_runs,
            time=_hours(hours.cut_s),
        )


def _parts(hours: LotHours) -> Iterator[Part]:
    """The bar from left to right: runs, people, nothing, left, paid but not usable."""
    lengths = (
        ("runs", hours.runs_s, text("{time} with runs", time=_hours(hours.runs_s))),
        ("people", hours.people_s, text("{time} with people only", time=_hours(hours.people_s))),
        ("idle", hours.idle_s, text("{time} with nothing reported", time=_hours(hours.idle_s))),
        ("left", hours.left_s, text("{time} left", time=_hours(hours.left_s))),
        ("lost", hours.paid_s - hours.usable_s, text("paid, but not usable")),
    )
    x = 0
    for kind, length, title in lengths:
        if length > 0:
            yield Part(kind, _percent(x, hours.paid_s), _percent(length, hours.paid_s), title)
        x += length


def _hours(seconds: int) -> Text:
    """In hours and minutes, so that paid less planned is uncommitted at a glance."""
    return hours_said(seconds // MINUTE_S)


def _percent(length: int, of: int) -> float:
    return round(_WHOLE * length / of, 2)
