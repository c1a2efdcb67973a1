"""What the chart template is given: plain data, positions in percent of the time axis."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from app.texts import Text


@dataclass(frozen=True, slots=True)
class Bar:
    """A span; `kind` is its CSS class, `label` is drawn in it where there is room."""

    kind: str
    x: float
    width: float
    title: Text
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A point: stop, fail, decision, decision-open, cut or lost."""

    kind: str
    x: float
    title: Text


@dataclass(frozen=True, slots=True)
class Band:
    """A part of the background: window, uncommitted or eaten."""

    kind: str
    x: float
    width: float


@dataclass(frozen=True, slots=True)
class Line:
    """A vertical line of the background: day, hour, window-start, window-end, usable-end."""

    kind: str
    x: float


@dataclass(frozen=True, slots=True)
class Backdrop:
    """What is drawn behind every row of the lanes that name it."""

    id: str
    bands: tuple[Band, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Day:
    """A day's label at its midnight."""

    x: float
    on: date
    anchor: str


@dataclass(frozen=True, slots=True)
class Hour:
    """An hour of the plan, counted from hour 0."""

    x: float
    hour: int
    anchor: str
    minor: bool


@dataclass(frozen=True, slots=True)
class Bracket:
    """A rented window over the axis; its instants are in the campaign's zone."""

    x: float
    end: float
    label: Text
    short: Text
    tier: int
    starts_at: datetime | None = None
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Free:
    """The label of the uncommitted part, at its right end."""

    x: float
    label: Text


@dataclass(frozen=True, slots=True)
class Now:
    """The line between facts and forecast."""

    x: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Axis:
    """Days, hours, windows and now, over the time cells."""

    days: tuple[Day, ...]
    hours: tuple[Hour, ...]
    windows: tuple[Bracket, ...]
    free: Free | None
    now: Now | None


@dataclass(frozen=True, slots=True)
class Note:
    """One line under a row's title."""

    state: str
    text: Text
    href: str | None


@dataclass(frozen=True, slots=True)
class Spent:
    """Observed seconds of one kind."""

    seconds: int
    kind: str


@dataclass(frozen=True, slots=True)
class Row:
    """One step as drawn and as read out."""

    id: str
    title: str
    href: str | None
    state: str
    badge: str | None
    notes: tuple[Note, ...]
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...]
    summary: Text
    planned_s: int | None
    actual: tuple[Spent, ...]
    duration_delta_s: int | None
    end_delta_s: int | None
    is_forecast: bool


@dataclass(frozen=True, slots=True)
class Lane:
    """People, one GPU, or the wire: what does one thing at a time."""

    id: str
    title: Text
    note: Text | None
    backdrop: str
    strip: tuple[Bar, ...]
    summary: Text
    planned_s: int | None
    actual_s: int | None
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """The whole picture; `is_sealed` is False while its plan is a draft."""

    id: str
    title: Text
    facts: tuple[Text, ...]
    axis: Axis
    backdrops: tuple[Backdrop, ...]
    lanes: tuple[Lane, ...]
    kinds: tuple[str, ...]
    notes: tuple[Text, ...]
    zone: str
    is_sealed: bool = True
