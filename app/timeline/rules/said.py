"""What is said of a stretch of work: its name, how it ended by its own word, what stands beside it.

A length of time said of a run is its machine time, the same that the list of runs says.
"""

from __future__ import annotations

from app.runs.rules.words import status_said
from app.texts import Text, text
from app.timeline.rules.drawing import Note
from app.timeline.rules.facts import BROKEN, DONE, RUNNING, SILENT, Facts, Stretch
from app.timeline.rules.lanes import TOGETHER_S
from app.timeline.rules.states import spent_s
from app.units import Duration

BEHIND_S = 300
BEHIND_SHARE = 50
"""The drawing may run ahead of a run's last sign without a word about it by so many seconds, or by
one part in so many of its length."""
_STATUS = {DONE: "completed"}


def called(one: Stretch) -> Text | str:
    """A run's name, with the attempt where it has several; else the people."""
    if one.run is None:
        return text("People")
    if one.attempts > 1:
        return text("{run}, attempt {n}", run=one.run, n=one.attempt)
    return one.run


def outcome(one: Stretch, facts: Facts) -> Text:
    """How a stretch ended, in words of its own attempt: `failed, error in the code`."""
    status = _status(one, facts)
    if one.reason is None or one.reason == status:
        return status
    return text("{ended}, {reason}", ended=status, reason=one.reason)


def titled(one: Stretch, facts: Facts) -> Text | str:
    """The name and how it ended, without the reason; of people the name alone."""
    if one.run is None:
        return called(one)
    return text("{run}, {ended}", run=called(one), ended=_status(one, facts))


def notes_of(stretches: tuple[Stretch, ...], facts: Facts) -> tuple[Note, ...]:
    """A line for each stretch of which more is to be said than its length."""
    runs = [one for one in stretches if one.run is not None]
    found: list[Note] = []
    for one in runs:
        href = f"/campaigns/{facts.plan.id}/runs/{one.run}"
        state = "open" if facts.left_open(one) else one.kind
        if len(runs) > 1 or _is_remarkable(one, facts):
            found.append(Note(state, _said(one, facts), href))
        usable = facts.usable_s(one)
        if usable is not None and facts.span(one)[1] - usable > TOGETHER_S:
            at = facts.instant(usable)
            past = text("{run}: worked past the end of its lot, {at}", run=called(one), at=at)
            found.append(Note(state, past, href))
    return tuple(found)


def cut_s(one: Stretch, facts: Facts) -> int | None:
    """When the lot of a silent run ended, in seconds from hour 0; None while it can be used."""
    usable = facts.usable_s(one)
    if one.kind != SILENT or facts.left_open(one) or usable is None or usable > facts.until_s:
        return None
    return max(usable, facts.span(one)[1])


def _status(one: Stretch, facts: Facts) -> Text:
    if facts.left_open(one):
        return text("no end recorded")
    return text("silent") if one.kind == SILENT else status_said(_STATUS.get(one.kind, one.kind))


def _is_remarkable(one: Stretch, facts: Facts) -> bool:
    return (
        one.kind in (*BROKEN, SILENT)
        or one.stalled_since_at is not None
        or facts.left_open(one)
        or _is_behind(one, facts)
        or _lacks_start(one, facts)
    )


def _is_behind(one: Stretch, facts: Facts) -> bool:
    """Whether the last sign of what goes on is so old that its time is plainly behind the bar."""
    starts, ends = facts.span(one)
    behind = ends - starts - spent_s((one,), facts)
    return facts.goes_on(one) and behind > max(BEHIND_S, (ends - starts) // BEHIND_SHARE)


def _lacks_start(one: Stretch, facts: Facts) -> bool:
    """Whether a run has given signs, and nobody said that it began."""
    return one.kind == RUNNING and not one.open and facts.closed_at is None


def _said(one: Stretch, facts: Facts) -> Text:
    run, spent = called(one), Duration(spent_s((one,), facts), some=True)
    seen_at = one.last_seen_at or one.ends_at
    if facts.left_open(one):
        return text(
            "{run}: {spent}, no end recorded by the close, last sign {at}",
            run=run, spent=spent, at=seen_at,
        )  # fmt: skip
    if one.kind == SILENT:
        if cut_s(one, facts) is not None:
            return text("{run}: silent, lot ended, no sign since {at}", run=run, at=seen_at)
        return text("{run}: no sign since {at}", run=run, at=seen_at)
    if _lacks_start(one, facts):
        return text("{run}: {spent}, start not yet received", run=run, spent=spent)
    if one.stalled_since_at is not None:
        since = one.stalled_since_at
        return text("{run}: {spent}, no progress since {at}", run=run, spent=spent, at=since)
    if _is_behind(one, facts):
        return text("{run}: {spent} by its last sign, {at}", run=run, spent=spent, at=seen_at)
    if facts.goes_on(one):
        return text("{run}: {spent} so far", run=run, spent=spent)
    if one.kind in BROKEN:
        ended = outcome(one, facts)
        return text("{run}: {reason}, {spent}", run=run, reason=ended, spent=spent)
    return text("{run}: {spent}", run=run, spent=spent)
