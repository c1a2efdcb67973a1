"""A run's events as its page tells them: what happened as rows, what recurs as ranges to unfold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from zoneinfo import ZoneInfo

from app.deliverables.rules.words import size_said
from app.runs.pages.words import KINDS, STATES, seconds_said
from app.runs.queries import EventView
from app.runs.rules.endings import ending_said, restore_said
from app.runs.rules.events import Kind
from app.runs.rules.reasons import fired_said, seen_said
from app.runs.rules.words import reason_said
from app.texts import Text, ntext, text
from app.units import Duration
from punktum.stop_rules import StopRule

FEW = 3
"""So many beats or checkpoints are no burden: their fold is open."""

Firing = tuple[int, str, int]
"""The attempt, source and number of an event that a rule fired on."""


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
    """The beats, or the earlier checkpoints, of one source of one attempt among the events shown:
    in one line, then each."""

    id: str
    range: Text
    note: Text
    is_short: bool
    lines: tuple[EventLine, ...]


@dataclass(frozen=True, slots=True)
class EventsShown:
    """Starts, ends, the newest checkpoint and fired rules as rows; what lies between folded."""

    facts: tuple[EventLine, ...]
    beats: tuple[Beats, ...]


def events_shown(
    events: Sequence[EventView],
    fired: Mapping[Firing, Sequence[str]],
    titles: Mapping[str, str],
    zone: str,
    rules: Sequence[StopRule] = (),
) -> EventsShown:
    """The events of one page, the newest first; `fired` says on which of them which rules fired,
    `rules` are the stop rules of the run."""
    facts: list[EventLine] = []
    beats: dict[tuple[int, str, str], list[EventLine]] = {}
    saved: set[tuple[int, str]] = set()
    for event in events:
        named = fired.get((event.attempt, event.source, event.seq), ())
        fires = bool(event.fields.get("fired") or named)
        checks = "restore" in event.fields
        kind = text("Restore check") if checks else KINDS[event.kind]
        if fires:
            kind = _firing(event, kind, named)
        line = event_line(event, kind, titles, rules)
        of = (event.attempt, event.source)
        recurs = event.kind == Kind.BEAT or (event.kind == Kind.CHECKPOINT and of in saved)
        if recurs and not fires and not checks:
            beats.setdefault((*of, event.kind), []).append(line)
        else:
            facts.append(line)
        if event.kind == Kind.CHECKPOINT:
            saved.add(of)
    folds = (_fold(lines, ZoneInfo(zone)) for lines in beats.values())
    return EventsShown(tuple(facts), tuple(folds))


def _firing(event: EventView, kind: Text, rules: Sequence[str]) -> Text:
    """What an event is called that a rule fired on; what it names itself stands beside it."""
    if event.kind == Kind.JUDGE:
        return text("A rule fired")
    if not rules:
        return text("{event}, a rule fired", event=kind)
    return text("{event}, fired: {rules}", event=kind, rules=tuple(rules))


def _fold(lines: Sequence[EventLine], zone: ZoneInfo) -> Beats:
    newest, oldest = lines[0].view, lines[-1].view
    attempt, source, n = newest.attempt, newest.source, len(lines)
    about = {"source": source, "attempt": attempt}
    one, many = text("Beat {n}, {at}"), text("Beats {first}–{last}")
    note = ntext(
        "{n} beat of {source}, attempt {attempt}",
        "{n} beats of {source}, attempt {attempt}",
        n,
        **about,
    )
    name = "beats"
    if newest.kind == Kind.CHECKPOINT:
        one, many = text("Checkpoint {n}, {at}"), text("Checkpoints {first}–{last}")
        note = ntext(
            "{n} earlier checkpoint of {source}, attempt {attempt}",
            "{n} earlier checkpoints of {source}, attempt {attempt}",
            n,
            **about,
        )
        name = "checkpoints"
    said = _range(oldest, newest, zone, one, many)
    return Beats(f"{name}-{attempt}-{source}", said, note, n <= FEW, tuple(lines))


def _range(oldest: EventView, newest: EventView, zone: ZoneInfo, one: Text, many: Text) -> Text:
    """`Beats 3–117, Tue, 1 Dec, 00:12–01:40`; over midnight both days are named."""
    if oldest.seq == newest.seq:
        return Text(one.msgid, {"n": newest.seq, "at": newest.at})
    numbers = Text(many.msgid, {"first": oldest.seq, "last": newest.seq})
    until = newest.at.astimezone(zone)
    span = {"numbers": numbers, "start": oldest.at}
    if until.date() == oldest.at.astimezone(zone).date():
        return text("{numbers}, {start}–{end}", **span, end=f"{until:%H:%M}")
    return text("{numbers}, {start} until {end}", **span, end=newest.at)


def event_line(
    event: EventView, kind: Text, titles: Mapping[str, str], rules: Sequence[StopRule] = ()
) -> EventLine:
    """One event as a row; `titles` are those of the steps by their ids."""
    tail = event.fields.get("log_tail")
    fields = event.fields
    if event.kind == Kind.JUDGE and "fired" not in fields:
        fields = {"seen": fields.get("judged", {})}
    said = tuple(_said(fields, titles, rules))
    return EventLine(event, kind, said, tail if isinstance(tail, str) else None)


def _said(
    fields: Mapping[str, Any], titles: Mapping[str, str], rules: Sequence[StopRule]
) -> Iterable[Said]:
    if "progress" in fields:
        done, total = fields["progress"], fields.get("total")
        value = text("{done} of {total}", done=done, total=total) if total is not None else done
        yield Said(text("Progress"), value)
    if "seen" in fields:
        yield Said(text("Rule"), _seen(fields["seen"], rules))
    for name, (label, read) in _FIELDS.items():
        if name not in fields or (name == "reason_code" and "rule" in fields):
            continue
        if name == "step":
            value = titles.get(fields[name], fields[name])
        else:
            value = read(fields[name]) if name != "reason_text" else _words(fields, rules)
        if value is None:
            continue
        exact = text("{n} bytes", n=fields[name]) if name == "size" else None
        yield Said(label, value, exact)


def _plain(value: object) -> object:
    """A field in one line; names of metrics with their figures."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return value if isinstance(value, int) else str(value)


def _words(fields: Mapping[str, Any], rules: Sequence[StopRule]) -> Text | None:
    """Why it ended; None where that only repeats the code or the signal beside it."""
    written, rule = str(fields["reason_text"]), fields.get("rule")
    if rule is not None:
        return fired_said(rules, str(rule), None, None, written)
    return ending_said(written, exit_code=fields.get("exit_code"), signal=fields.get("signal"))


def _seen(judged: Mapping[str, Any], rules: Sequence[StopRule]) -> tuple[Text, ...]:
    """What the clock saw of each rule that it judged."""
    kinds = {rule.id: rule.kind for rule in rules}
    return tuple(
        text("{rule}: {seen}", rule=name, seen=seen_said(kinds.get(name), str(one.get("last"))))
        for name, one in judged.items()
    )


def _rules(value: Sequence[Any]) -> str:
    return ", ".join(
        str(one.get("rule")) if isinstance(one, Mapping) else str(one) for one in value
    )


def _states(value: Sequence[str]) -> tuple[object, ...]:
    return tuple(STATES.get(one, one) for one in value)


def _restore(value: Mapping[str, Any]) -> Text:
    said = text("passed") if value.get("passed") else text("failed")
    reason = value.get("reason")
    if reason is None:
        return said
    return text("{result}: {reason}", result=said, reason=restore_said(str(reason)))


def _inputs(value: Mapping[str, Any]) -> str:
    """How many inputs of each name were cut short."""
    return ", ".join(
        f"{name} {one.get('truncated')}/{one.get('expected')}" for name, one in value.items()
    )


_FIELDS: Final[Mapping[str, tuple[Text, Callable[[Any], object]]]] = {
    "at": (text("Said time"), _plain),
    "metrics": (text("Metrics"), _plain),
    "links": (text("Links"), _plain),
    "fired": (text("Rule"), _rules),
    "note": (text("Note"), _plain),
    "path": (text("Path"), _plain),
    "size": (text("Size"), size_said),
    "write_s": (text("Writing took"), seconds_said),
    "states": (text("It holds"), _states),
    "restore": (text("Restore check"), _restore),
    "inputs": (text("Cut short"), _inputs),
    "exit_code": (text("Exit code"), _plain),
    "signal": (text("Signal"), _plain),
    "reason_code": (text("Reason"), reason_said),
    "reason_text": (text("In words"), _plain),
    "rule": (text("Rule"), _plain),
    "step": (text("Step"), _plain),
    "host": (text("Host"), _plain),
    "expect_next_s": (text("Next sign within"), Duration),
}
