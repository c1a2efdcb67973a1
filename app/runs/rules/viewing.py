"""Puts a run together from its attempts, as it stands at one moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from app.runs.rules import attempts as tell
from app.runs.rules.attempts import Ended, Facts
from app.runs.rules.bounds import bounds, clock_off_s, end_of, ended_after
from app.runs.rules.events import NOT_JOBS, PERSON, source_rank
from app.runs.rules.evidence import checkpoint_view, inputs_view, restore_view
from app.runs.rules.judging import Fired
from app.runs.rules.liveness import due_us, stall_due_us
from app.runs.rules.metrics import MetricSeen, merged
from app.runs.rules.parts import Progress
from app.runs.rules.resuming import progress_of, redone, saved_of
from app.runs.rules.sources import sources_of, told_by_tracker
from app.runs.rules.streams import Stream
from app.runs.rules.times import at_of, us_of
from app.runs.rules.views import (
    SUPERSEDED,
    AttemptView,
    FiredView,
    Kept,
    MetricView,
    RuleView,
    RunView,
    StopAsk,
)
from punktum.stop_rules import StopRule, rules_for

_OF_CURRENT: Final = (
    "ended_at", "reason_code", "reason_text", "rule", "exit_code", "signal", "by_tracker",
)  # fmt: skip
"""What a run has of its current attempt."""


def current_of(kept: Sequence[Kept]) -> Kept:
    """The attempt that a run's status is taken from: the last that started in its turn."""
    if len(kept) == 1:
        return kept[0]
    ordered = sorted(kept, key=lambda one: one.number)
    in_turn = [one for one in ordered if not one.late] or ordered
    started = [one for one in in_turn if tell.facts_of(one.streams).started]
    return (started or in_turn)[-1]


def view_run(
    campaign_id: str, run_id: str, kept: Sequence[Kept], now: datetime, *, archived: bool = False
) -> RunView:
    """The run as its attempts tell it, silent and stalled as of `now`."""
    ordered = sorted(kept, key=lambda one: one.number)
    current = current_of(ordered)
    told = {one.number: tell.facts_of(one.streams) for one in ordered}
    facts = told[current.number]
    views = tuple(_attempts(ordered, current, told))
    mine = next(view for view in views if view.number == current.number)
    first = next((one for one in ordered if one.start), current)
    progress = progress_of(current.streams)
    life = _life(current, facts, progress, now)
    return RunView(
        id=run_id,
        campaign_id=campaign_id,
        step=tell.step_of(current.streams),
        status=facts.status.value,
        silent=life.silent,
        stalled=life.stalled,
        silent_since_at=life.silent_since_at,
        stalled_since_at=life.stalled_since_at,
        attempt=current.number,
        attempts=views,
        machine_s=sum(view.machine_s for view in views),
        started_at=min((v.started_at for v in views if v.started_at is not None), default=None),
        last_seen_at=max((v.last_seen_at for v in views if v.last_seen_at), default=None),
        metrics=_metrics(ordered, current),
        **_work_of(current.streams, progress),
        **_configured(first),
        **{name: getattr(mine, name) for name in _OF_CURRENT},
        stop_asked=asked_of(facts, current.start),
        fired=tuple(view for one in ordered for view in _fired(one, told[one.number])),
        rules=_rules(ordered),
        gaps=sum(view.missing for view in views),
        archived=archived,
        redone=sum(view.redone for view in views),
        **_newest(views),
    )


def _work_of(streams: Mapping[str, Stream], progress: Progress | None) -> dict[str, Any]:
    """How far the current attempt is, and what it says of its inputs."""
    return {
        "progress": progress.done if progress else None,
        "total": progress.total if progress else None,
        "inputs": inputs_view(streams),
    }


def _newest(views: Sequence[AttemptView]) -> dict[str, Any]:
    """The newest checkpoint and the newest restore check over all attempts."""
    saved = (view.checkpoint for view in reversed(views) if view.checkpoint is not None)
    restored = (view.restore for view in reversed(views) if view.restore is not None)
    return {"checkpoint": next(saved, None), "restore": next(restored, None)}


@dataclass(frozen=True, slots=True)
class _Life:
    """Whether a run is silent or stands still, and since when."""

    silent: bool
    stalled: bool
    silent_since_at: datetime | None
    stalled_since_at: datetime | None


def _life(current: Kept, facts: Facts, progress: Progress | None, now: datetime) -> _Life:
    alive, now_us = facts.end is None, us_of(now)
    due, stall = due_us(current.streams), stall_due_us(current.streams)
    silent = alive and due is not None and due < now_us
    stalled = alive and not silent and facts.started and stall is not None and stall < now_us
    received = tell.received_us(current.streams)
    return _Life(
        silent,
        stalled,
        at_of(received) if silent and received is not None else None,
        at_of(progress.since_us) if stalled and progress is not None else None,
    )


def _configured(first: Kept) -> dict[str, Any]:
    """What the run's first start said of its configuration."""
    corpora = (first.start.get("config") or {}).get("corpora", {})
    return {
        "config_sha256": first.start.get("config_sha256"),
        "parent": first.start.get("parent"),
        "corpora": tuple(sorted(corpora.items())),
        "before_seal": first.plan_version == 0,
    }


def stop_asked(facts: Facts) -> StopAsk | None:
    """The stop that an attempt was asked for: a rule's counts before a person's."""
    stop = facts.stopped_by
    if stop is not None:
        return StopAsk(stop.rule, stop.text, at_of(stop.at_us))
    if facts.ask is not None:
        return StopAsk(None, facts.ask.text, at_of(facts.ask.at_us))
    return None


ASKED: Final = "asked"
"""Noted with the start that took over from an attempt which a person had asked to stop."""


def asked_of(facts: Facts, start: Mapping[str, Any]) -> StopAsk | None:
    """The stop that an attempt was asked for, itself or as the one that took over."""
    own, carried = stop_asked(facts), start.get(ASKED)
    if own is not None or carried is None:
        return own
    return StopAsk(None, carried["text"], at_of(carried["at_us"]))


def _attempts(
    ordered: Sequence[Kept], current: Kept, told: Mapping[int, Facts]
) -> Iterator[AttemptView]:
    furthest: int | None = None
    for one in ordered:
        progress = progress_of(one.streams)
        yield _attempt(one, current, told[one.number], progress, redone(furthest, progress))
        if progress is not None:
            furthest = max(furthest or 0, progress.done)


def _attempt(
    one: Kept, current: Kept, facts: Facts, progress: Progress | None, redone_steps: int
) -> AttemptView:
    end, machine_s = facts.end, tell.machine_s(one.streams)
    received, due = tell.received_us(one.streams), due_us(one.streams)
    started, last = bounds(one, machine_s)
    ended_us = last if end is not None else None
    if end is not None and end.source != PERSON and started is not None and last is not None:
        ended_us = end_of(one, end.at_us, started, last)
        last, started = max(last, ended_us), min(started, ended_us)
    superseded = end is None and one.number != current.number and facts.started
    taken_over = not superseded and ended_after(one, current)
    waiting = end is None and not superseded
    return AttemptView(
        id=one.attempt_id,
        number=one.number,
        status=SUPERSEDED if superseded else facts.status.value,
        late=one.late,
        started_at=None if started is None else at_of(started),
        ended_at=None if ended_us is None else at_of(ended_us),
        last_seen_at=None if last is None else at_of(last),
        received_at=None if received is None else at_of(received),
        due_at=at_of(due) if due is not None and waiting else None,
        machine_s=machine_s,
        **_ending(end, superseded),
        host=one.start.get("host"),
        lot=one.start.get("lot"),
        gpus=tuple(one.start.get("gpus", ())),
        command=one.start.get("command"),
        missing=sum(stream.numbers.missing_count for stream in one.streams.values()),
        redone=redone_steps,
        clock_off_s=clock_off_s(one) or None,
        taken_over_by=current.number if taken_over else None,
        progress=progress.done if progress else None,
        **_work(one.streams, facts),
    )


def _work(streams: Mapping[str, Stream], facts: Facts) -> dict[str, Any]:
    """What came of an attempt's sources, and what a resume would find."""
    saved = saved_of(streams)
    return {
        "by_tracker": told_by_tracker(streams, facts),
        "sources": sources_of(streams),
        "checkpoint": checkpoint_view(saved) if saved else None,
        "restore": restore_view(facts.restored) if facts.restored else None,
    }


def _ending(end: Ended | None, superseded: bool) -> dict[str, Any]:
    """Why and how an attempt ended, by whom; nothing of it is known while it goes on."""
    return {
        "reason_code": end.reason_code if end else SUPERSEDED if superseded else None,
        "reason_text": end.reason_text if end else None,
        "rule": end.rule if end else None,
        "exit_code": end.exit_code if end else None,
        "signal": end.signal if end else None,
        "ended_by": end.by if end else None,
    }


def _metrics(ordered: Sequence[Kept], current: Kept) -> tuple[MetricView, ...]:
    """Newest values from the newest attempt that has them; extremes over all attempts."""
    known: dict[str, MetricSeen] = {}
    for one in [*(one for one in ordered if one is not current), current]:
        for name, seen in tell.metrics_of(one.streams).items():
            known[name] = merged(known.get(name), seen)
    return tuple(
        MetricView(name, seen.last, seen.low, seen.high, seen.final)
        for name, seen in sorted(known.items())
    )


def _fired(one: Kept, facts: Facts) -> tuple[FiredView, ...]:
    return tuple(
        FiredView(
            fired.rule, fired.metric, fired.value, fired.act, fired.text, fired.step_no,
            fired.elapsed_s, at_of(fired.at_us), fired.on_box, fired.confirmed,
            (one.number, _source_of(fired, one.streams), fired.seq),
        )
        for fired in facts.firings
    )  # fmt: skip


def _source_of(fired: Fired, streams: Mapping[str, Stream]) -> str:
    """The source whose event a rule fired on."""
    return next(name for name, stream in streams.items() if fired in stream.judged.firings)


def _rules(ordered: Sequence[Kept]) -> tuple[RuleView, ...]:
    """Every rule that holds for the run, also one that was never judged."""
    found: dict[str, RuleView] = {}
    for one in ordered:
        for rule in rules_for(one.rules, tell.step_of(one.streams)):
            before = found.get(rule.id)
            found[rule.id] = _rule(before, rule, one.streams)
    return tuple(found.values())


def _rule(before: RuleView | None, rule: StopRule, streams: Mapping[str, Stream]) -> RuleView:
    evaluated, hits, last = (before.evaluated, before.hits, before.last) if before else (0, 0, None)
    fired = before.fired if before else False
    for source in sorted(streams, key=source_rank, reverse=True):
        judged = streams[source].judged
        own, told = judged.states.get(rule.id), judged.told.get(rule.id)
        evaluated += max(own.evaluated if own else 0, told.evaluated if told else 0)
        hits = own.hits if own and own.evaluated else told.hits if told else hits
        last = (told.last if told else None) or (own.last if own else None) or last
        for firing in judged.firings:
            if firing.rule == rule.id:
                fired, last, evaluated = True, last or firing.value, max(evaluated, 1)
    if rule.kind == "silent":
        # Each sign of life is a moment at which the watcher would have found silence.
        evaluated += sum(one.numbers.size for name, one in streams.items() if name not in NOT_JOBS)
    return RuleView(
        rule.id, rule.kind, rule.metric, rule.act, evaluated, hits, last, fired, rule.after_s
    )
