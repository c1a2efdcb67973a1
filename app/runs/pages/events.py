"""A run's events as its page tells them: what happened as rows, beats as ranges to unfold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from app.deliverables.rules.words import size_said
from app.runs.pages.words import KINDS, STATES
from app.runs.queries import EventView
from app.runs.rules.events import Kind
from app.runs.rules.words import reason_said
from app.texts import Text, ntext, text
from app.units import Duration

FEW = 3
"""So many beats are no burden: their fold is open."""

Moment = tuple[int, datetime]
"""An attempt and a time of the job's clock: where a rule fired."""


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that an event says; `exact` is the figure behind a rounded one."""

    label: Text
    value: object
    exact: Text | None = None


@dataclass(frozen=True, slots=True)
class EventLine:
    """One event as a row: what it says beside its kind, and the end of its log."""

    view: EventView
    kind: Text
    said: tuple[Said, ...]
    tail: str | None


@dataclass(frozen=True, slots=True)
class Beats:
    """The beats of one source of one attempt among the events shown, in one line, then each."""

    id: str
    range: Text
    note: Text
    is_short: bool
    lines: tuple[EventLine, ...]


@dataclass(frozen=True, slots=True)
class EventsShown:
    """Starts, ends, checkpoints and fired rules as rows; the beats between them folded."""

    facts: tuple[EventLine, ...]
    beats: tuple[Beats, ...]


def events_shown(
    events: Sequence[EventView], fired: Collection[Moment], titles: Mapping[str, str], zone: str
) -> EventsShown:
    """The events of one page, the newest first; `fired` says at which of them a rule fired."""
    facts: list[EventLine] = []
    beats: dict[tuple[int, str], list[EventLine]] = {}
    for event in events:
        fires = bool(event.fields.get("fired")) or (event.attempt, event.at) in fired
        line = _line(event, text("A rule fired") if fires else KINDS[event.kind], titles)
        if event.kind == Kind.BEAT and not fires:
            beats.setdefault((event.attempt, event.source), []).append(line)
        else:
            facts.append(line)
    folds = (_beats(lines, ZoneInfo(zone)) for lines in beats.values())
    return EventsShown(tuple(facts), tuple(folds))


def _beats(lines: Sequence[EventLine], zone: ZoneInfo) -> Beats:
    newest, oldest = lines[0].view, lines[-1].view
    attempt, source, n = newest.attempt, newest.source, len(lines)
    note = ntext(
        "{n} beat of {source}, attempt {attempt}",
        "{n} beats of {source}, attempt {attempt}",
        n,
        source=source,
        attempt=attempt,
    )
    said = _range(oldest, newest, zone)
    return Beats(f"beats-{attempt}-{source}", said, note, n <= FEW, tuple(lines))


def _range(oldest: EventView, newest: EventView, zone: ZoneInfo) -> Text:
    """`Beats 3–117, Tue, 1 Dec, 00:12–01:40`; over midnight both days are named."""
    if oldest.seq == newest.seq:
        return text("Beat {n}, {at}", n=newest.seq, at=newest.at)
    span = {"first": oldest.seq, "last": newest.seq, "start": oldest.at}
    until = newest.at.astimezone(zone)
    if until.date() == oldest.at.astimezone(zone).date():
        return text("Beats {first}–{last}, {start}–{end}", **span, end=f"{until:%H:%M}")
    return text("Beats {first}–{last}, {start} until {end}", **span, end=newest.at)


def _line(event: EventView, kind: Text, titles: Mapping[str, str]) -> EventLine:
    tail = event.fields.get("log_tail")
    said = tuple(_said(event.fields, titles))
    return EventLine(event, kind, said, tail if isinstance(tail, str) else None)


def _said(fields: Mapping[str, Any], titles: Mapping[str, str]) -> Iterable[Said]:
    if "progress" in fields:
        done, total = fields["progress"], fields.get("total")
        value = text("{done} of {total}", done=done, total=total) if total is not None else done
        yield Said(text("Progress"), value)
    for name, (label, read) in _FIELDS.items():
        if name not in fields or (name == "reason_code" and "rule" in fields):
            continue
        value = titles.get(fields[name], fields[name]) if name == "step" else read(fields[name])
        exact = text("{n} bytes", n=fields[name]) if name == "size" else None
        yield Said(label, value, exact)


def _plain(value: object) -> object:
    """A field in one line; names of metrics with their figures."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return value if isinstance(value, int) else str(value)


def _rules(value: Sequence[Any]) -> str:
    return ", ".join(
        str(one.get("rule")) if isinstance(one, Mapping) else str(one) for one in value
    )


def _states(value: Sequence[str]) -> tuple[object, ...]:
    return tuple(STATES.get(one, one) for one in value)


_FIELDS: Final[Mapping[str, tuple[Text, Callable[[Any], object]]]] = {
    "metrics": (text("Metrics"), _plain),
    "fired": (text("Rule"), _rules),
    "note": (text("Note"), _plain),
    "path": (text("Path"), _plain),
    "size": (text("Size"), size_said),
    "states": (text("It holds"), _states),
    "exit_code": (text("Exit code"), _plain),
    "signal": (text("Signal"), _plain),
    "reason_code": (text("Reason"), reason_said),
    "reason_text": (text("In words"), _plain),
    "rule": (text("Rule"), _plain),
    "step": (text("Step"), _plain),
    "host": (text("Host"), _plain),
    "expect_next_s": (text("Next sign within"), Duration),
}
