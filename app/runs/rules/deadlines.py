"""Stop rules that one observation cannot decide: they need the control, a restore, or silence.

They are judged when an event comes, and by the watcher when none does; what is found is kept as
an event of the source `clock`, so that an attempt's state stays a fold over its events. Only an
attempt that is reporting now is judged: what a replay tells of long ago cannot be stopped any
more. Instants and lengths in microseconds since 1970, or seconds where the name ends in `_s`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from app.runs.rules.attempts import facts_of, metrics_of, started_at_us
from app.runs.rules.events import CLOCK, NOT_JOBS
from app.runs.rules.liveness import due_us
from app.runs.rules.streams import Stream
from punktum.evaluating import is_past
from punktum.stop_rules import StopRule
from punktum.values import span_text

BY_CLOCK: Final = frozenset({"not_better", "no_restore", "silent", "overtime"})
"""Kinds that are looked at here; `overtime` also by each event that says how long it runs."""
LIVE_S: Final = 600
"""How far what an attempt says of its time may be from ours while it still reports now."""
_US: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Standing:
    """An attempt at one moment, and what the campaign knows beside it.

    `control` are values of the control by our names of metrics, None where none has completed;
    `has_restore` says whether a restore check has passed.
    """

    streams: Mapping[str, Stream]
    created_us: int
    now_us: int
    control: Mapping[str, str] | None = None
    has_restore: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of one rule: `last` is what was seen, `text` why it fired, None otherwise."""

    rule: str
    last: str
    text: str | None = None
    metric: str | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True)
class _Life:
    """How long an attempt runs, how far it is, and since when it is silent."""

    elapsed_s: int
    progress: int | None
    silent_since_us: int | None


def judge_by_clock(rules: Iterable[StopRule], at: Standing) -> tuple[Found, ...]:
    """What time and the campaign say of an attempt's rules, each rule once.

    `rules` are those of its step.
    """
    facts = facts_of(at.streams)
    clock = at.streams.get(CLOCK)
    known = {fired.rule for fired in facts.firings} | set(clock.judged.told if clock else ())
    waiting = [rule for rule in rules if rule.kind in BY_CLOCK and rule.id not in known]
    if not waiting or facts.end is not None or not facts.started or not is_live(at):
        return ()
    life = _life(at)
    found = (_judge(rule, life, at) for rule in waiting)
    return tuple(one for one in found if one is not None)


def is_live(at: Standing) -> bool:
    """Whether the attempt reports now, and is not told of afterwards.

    It was first heard about as long ago as it says to run, or its clock agrees with ours.
    """
    signs = [stream.signs for name, stream in at.streams.items() if name not in NOT_JOBS]
    newest = max((one for one in signs if one), key=lambda one: one.received_us, default=None)
    if newest is None:
        return False
    if newest.elapsed_s is not None:
        heard_s = (newest.received_us - at.created_us) // _US
        if abs(heard_s - newest.elapsed_s) <= LIVE_S:
            return True
    return abs(newest.received_us - newest.last_at_us) <= LIVE_S * _US


def moments_us(
    rules: Iterable[StopRule], at: Standing, due_us: int | None, stall_us: int | None
) -> tuple[int, ...]:
    """When time alone may change something of an attempt; () once it has ended.

    They follow from the attempt's events alone, whatever `at.now_us` says; `due_us` and `stall_us`
    are when a sign of life and progress are overdue.
    """
    if any(stream.end is not None for stream in at.streams.values()):
        return ()
    has_started = any(stream.started_at_us is not None for stream in at.streams.values())
    moments = [due_us]
    if has_started:
        moments.append(stall_us)
        clock = at.streams.get(CLOCK)
        judged = clock.judged.told if clock is not None else {}
        for rule in rules:
            if rule.kind in BY_CLOCK and rule.id not in judged:
                moments += _moments(rule, at)
    return tuple(moment + 1 for moment in moments if moment is not None)


def _moments(rule: StopRule, at: Standing) -> list[int | None]:
    """When a rule may fire by time alone."""
    if rule.kind == "silent" and rule.after_s is not None:
        return [since + rule.after_s * _US for since in _quiet_since(at) if since is not None]
    if rule.kind == "overtime":
        return [None if rule.save_by is None else rule.save_by * _US, _after(rule, at)]
    return [_after(rule, at)] if rule.kind == "no_restore" else []


def _after(rule: StopRule, at: Standing) -> int | None:
    """When an attempt is past the hour that a rule names, by our clock."""
    began = started_us(at)
    return None if began is None or rule.after_s is None else began + rule.after_s * _US


def started_us(at: Standing) -> int | None:
    """When the attempt began by our clock: first heard, less what it said to have run by then."""
    signs = [stream.signs for name, stream in at.streams.items() if name not in NOT_JOBS]
    known = [one for one in signs if one]
    if not known or started_at_us(at.streams) is None:
        return None
    newest = max(known, key=lambda one: one.received_us)
    if newest.elapsed_s is not None:
        return newest.received_us - newest.elapsed_s * _US
    return at.created_us


def _life(at: Standing) -> _Life:
    began = started_us(at)
    elapsed_s = 0 if began is None else max(0, at.now_us - began) // _US
    done = [s.progress.done for s in at.streams.values() if s.progress is not None]
    due, received = due_us(at.streams), _quiet_since(at)[0]
    silent_since = received if due is not None and due < at.now_us else None
    return _Life(elapsed_s, max(done, default=None), silent_since)


def _quiet_since(at: Standing) -> tuple[int | None, int | None]:
    """When the newest sign came, and when the work last moved; None where it is done, or says
    nothing of how far it is."""
    jobs = [stream for name, stream in at.streams.items() if name not in NOT_JOBS]
    received = max((one.signs.received_us for one in jobs if one.signs), default=None)
    done = [one.progress for one in jobs if one.progress is not None]
    if any(one.total is not None and one.done >= one.total for one in done):
        return received, None
    return received, max((one.since_us for one in done), default=None)


def _judge(rule: StopRule, life: _Life, at: Standing) -> Found | None:
    if rule.kind == "silent":
        return _silent(rule, at)
    if rule.kind == "overtime":
        return _save(rule, at) or _over(rule, life)
    if not is_past(rule, life.progress, life.elapsed_s):
        return None
    return _restore(rule, life, at) if rule.kind == "no_restore" else _control(rule, at)


def _silent(rule: StopRule, at: Standing) -> Found | None:
    """The rule's own length counts, whether or not the job had promised a sign within it."""
    received, moved = _quiet_since(at)
    for since, said in ((received, "no sign of life"), (moved, "no progress")):
        quiet_s = 0 if since is None else (at.now_us - since) // _US
        if since is not None and rule.after_s is not None and quiet_s >= rule.after_s:
            return Found(rule.id, span_text(quiet_s), f"{said} for {span_text(quiet_s)}")
    return None


def _save(rule: StopRule, at: Standing) -> Found | None:
    if rule.save_by is None or at.now_us < rule.save_by * _US:
        return None
    past = span_text(at.now_us // _US - rule.save_by)
    return Found(
        rule.id, f"{past} past", f"past the last save that can still be fetched, by {past}"
    )


def _over(rule: StopRule, life: _Life) -> Found | None:
    """Over its time while it reports; of one that is silent nobody knows whether it still runs."""
    if rule.after_s is None or life.elapsed_s <= rule.after_s or life.silent_since_us is not None:
        return None
    took = span_text(life.elapsed_s)
    return Found(rule.id, took, f"{took} is over {span_text(rule.after_s)}")


def _restore(rule: StopRule, life: _Life, at: Standing) -> Found:
    if at.has_restore:
        return Found(rule.id, "a restore check passed")
    by = span_text(rule.after_s or 0)
    return Found(rule.id, "none passed", f"no restore check had passed after {by}")


def _control(rule: StopRule, at: Standing) -> Found | None:
    """Compared once: the first value that is there when it is time, against the control's."""
    seen = metrics_of(at.streams).get(rule.metric or "")
    against = (at.control or {}).get(rule.metric or "")
    if seen is None or against is None:
        return None
    value, control, least = _decimal(seen.last), _decimal(against), _decimal(rule.value or "0")
    if value is None or control is None or least is None:
        return None
    gain = control - value if rule.better == "lower" else value - control
    compared = f"{rule.metric} {seen.last} against the control's {against}"
    if gain > least or (gain == least and least > 0):
        return Found(rule.id, seen.last, metric=rule.metric, value=seen.last)
    worse = f"not better than the control: {compared}"
    return Found(rule.id, seen.last, worse, rule.metric, seen.last)


def _decimal(said: str) -> Decimal | None:
    """An exact number; None for what is not finite."""
    try:
        number = Decimal(said)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
