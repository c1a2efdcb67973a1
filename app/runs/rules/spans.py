"""People's time on steps of the plan: a span is started and stopped, or logged whole.

What was logged is never changed; a wrong span is withdrawn by a further entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.texts import Text, text

LONGEST = timedelta(days=30)
AHEAD = timedelta(minutes=2)
"""How far a clock that reports may be ahead of ours."""


@dataclass(frozen=True, slots=True)
class TimeEntry:
    """One journal entry about people's time: `act` is `start`, `stop`, `span` or `withdraw`.

    `span` is the number of the entry that began the span.
    """

    number: int
    act: str
    span: int
    step: str
    started_at: datetime
    ended_at: datetime | None
    person: str
    note: str


@dataclass(frozen=True, slots=True)
class SpanView:
    """A span of one person's time; `ended_at` is None while it goes on."""

    id: str
    step: str
    started_at: datetime
    ended_at: datetime | None
    person: str
    note: str
    number: int


def spans(entries: Iterable[TimeEntry]) -> tuple[SpanView, ...]:
    """The spans that stand, by their beginning."""
    found: dict[int, SpanView] = {}
    for entry in sorted(entries, key=lambda entry: entry.number):
        if entry.act == "withdraw":
            found.pop(entry.span, None)
        elif entry.act != "stop" or entry.span in found:
            note = entry.note or (found[entry.span].note if entry.span in found else "")
            found[entry.span] = SpanView(
                f"span-{entry.span}", entry.step, entry.started_at, entry.ended_at,
                entry.person, note, entry.span,
            )  # fmt: skip
    return tuple(sorted(found.values(), key=lambda span: (span.started_at, span.number)))


def open_span(known: Iterable[SpanView], step: str) -> SpanView | None:
    """The span of a step that still goes on."""
    return next((span for span in known if span.step == step and span.ended_at is None), None)


def refuse_span(
    known: Sequence[SpanView],
    step: str,
    started_at: datetime,
    ended_at: datetime | None,
    now: datetime,
) -> tuple[str, Text] | None:
    """The field and the sentence why a new span cannot be, or None."""
    if started_at > now + AHEAD:
        return "started_at", text("The time lies ahead: it is logged once it was spent.")
    if ended_at is not None:
        why = _refuse_end(started_at, ended_at, now)
        if why is not None:
            return "ended_at", why
    end = ended_at or now
    for span in known:
        if span.step == step and started_at < (span.ended_at or now) and span.started_at < end:
            return "started_at", text(
                "This overlaps the time already logged from {start}.", start=span.started_at
            )
    return None


def refuse_stop(span: SpanView, ended_at: datetime, now: datetime) -> Text | None:
    """Why a span cannot end then, or None."""
    return _refuse_end(span.started_at, ended_at, now)


def _refuse_end(started_at: datetime, ended_at: datetime, now: datetime) -> Text | None:
    if ended_at <= started_at:
        return text("The end comes after the start.")
    if ended_at > now + AHEAD:
        return text("The time lies ahead: it is logged once it was spent.")
    if ended_at - started_at > LONGEST:
        return text("A span has at most {n} days.", n=LONGEST.days)
    return None
