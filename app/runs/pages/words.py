"""How pages say what a run's record holds: its state, why it ended, its metrics."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final

from app.runs.queries import AttemptView, MetricView, RunView, SourceView, StopRecordView
from app.runs.rules.endings import ending_said
from app.runs.rules.reasons import rule_said
from app.runs.rules.remarks import Unseen
from app.runs.rules.words import reason_said
from app.texts import Text, text
from app.units import Duration

KINDS: Final[Mapping[str, Text]] = {
    "start": text("Start"),
    "beat": text("Beat"),
    "checkpoint": text("Checkpoint"),
    "stop": text("Stop"),
    "fail": text("Failure"),
    "finish": text("Finish"),
    "ask": text("Asked to stop"),
    "lost": text("Marked lost"),
    "close": text("Marked stopped"),
    "judge": text("Judged by the clock"),
}
STATES: Final[Mapping[str, Text]] = {
    "parameters": text("parameters"),
    "optimizer": text("optimizer"),
    "scheduler": text("scheduler"),
    "scaler": text("scaler"),
    "random": text("random numbers"),
    "data_position": text("position in the data"),
    "progress": text("progress"),
}
"""What a checkpoint may say that it saved."""

State = tuple[str, Text | None]
"""A mark's key, and the words in place of its own."""


def states_of(
    run: RunView,
    last_window_ends_at: datetime | None,
    now: datetime,
    *,
    short: bool = False,
    is_closed: bool = False,
) -> tuple[State, ...]:
    """The marks of a run: its status, then silence, a standstill or doubt beside it. Nothing goes
    on after the close: what had no end by then has none."""
    if is_closed and run.status in ("planned", "running"):
        return (("silent", text("No end recorded")),)
    found: list[State] = [(run.status, None)]
    if run.status == "planned":
        found = [("planned", text("Start not yet received"))]
    if run.silent:
        over = last_window_ends_at is not None and last_window_ends_at <= now
        said: State = ("silent", text("Silent, lot ended") if over else None)
        found = [said] if run.status == "running" else [*found, said]
    elif run.stalled:
        found.append(("stalled", None))
    if short:
        found.append(("undecided", text("Suspiciously short")))
    return tuple(found)


def since_of(run: RunView) -> Text | None:
    """Since when it is silent or stands still."""
    if run.silent and run.silent_since_at is not None:
        return text("No sign since {at}", at=run.silent_since_at)
    if run.stalled and run.stalled_since_at is not None:
        return text("No progress since {at}", at=run.stalled_since_at)
    return None


def reason_of(of: RunView | AttemptView, run: RunView) -> Text | None:
    """Why a run, or one of its attempts, ended, in one line; None while it goes on or when it
    completed."""
    if of.rule is not None:
        said: Text | None = rule_said(run, of.rule, of.reason_text or "")
        return text("Rule {rule}: {said}", rule=of.rule, said=said)
    exit_code = None if of.signal is not None else of.exit_code
    said = ending_said(of.reason_text, exit_code=exit_code, signal=of.signal)
    if of.reason_code is None:
        return said
    label = reason_said(of.reason_code)
    if of.signal is not None:
        label = text("{reason}, signal {n}", reason=label, n=of.signal)
    elif of.exit_code:
        label = text("{reason}, exit code {n}", reason=label, n=of.exit_code)
    return label if said is None else text("{reason}: {said}", reason=label, said=said)


def stop_reason(record: StopRecordView) -> Text:
    """The rule or the reason of a line of the stop register."""
    if record.rule is not None:
        return text("Rule {rule}", rule=record.rule)
    return reason_said(record.reason_code)


def stop_actor(record: StopRecordView) -> Text:
    """Who stopped it."""
    if record.actor_kind == "person":
        return text("{person}", person=record.actor_name)
    if record.fired_on_box and record.confirmed:
        return text("fired on the box, confirmed by the server")
    if record.fired_on_box and record.metric is not None:
        return text("fired on the box, not confirmed by the server")
    if record.fired_on_box:
        return text("fired on the box")
    if record.actor_kind == "rule":
        return text("judged by the server")
    return text("the job ({name})", name=record.actor_name)


def metric_lines(
    run: RunView, names: Mapping[str, str], first: Collection[str], most: int
) -> tuple[tuple[str, str], ...]:
    """The metrics worth a line: those that decide or are watched, then others, by their names.

    A job's own name is left out where the plan has a name for it.
    """
    hidden = {theirs for ours, theirs in names.items() if theirs != ours}
    shown = [one for one in run.metrics if one.name not in hidden]
    ordered = sorted(shown, key=lambda one: (one.name not in first, one.name))
    return tuple((one.name, short(one)) for one in ordered[:most])


def short(metric: MetricView) -> str:
    """A value that fits a cell: the text as it came, long figures to four digits."""
    if len(metric.last) <= 8:
        return metric.last
    return f"{float(metric.last):.4g}"


def unseen_said(one: Unseen) -> Text:
    """`has seen no loss; seen: train_loss, eval_loss`."""
    if not one.seen:
        return text("has seen no {metric}, nor any other metric", metric=one.metric)
    names = ", ".join(one.seen)
    if one.more:
        return text(
            "has seen no {metric}; seen: {names} and {n} more",
            metric=one.metric,
            names=names,
            n=one.more,
        )
    return text("has seen no {metric}; seen: {names}", metric=one.metric, names=names)


RANGES: Final = 5
"""So many ranges of missing numbers are named."""


def arrival_said(source: SourceView) -> Text:
    """`acknowledged to 117, job says 201 sent; missing 118–150, 160–200`."""
    if not source.gaps:
        return text("all {n} came", n=source.last)
    ranges = tuple(f"{low}–{high}" if low < high else str(low) for low, high in source.gaps)
    said = {
        "n": source.acknowledged,
        "last": source.last,
        "ranges": ", ".join(ranges[:RANGES]),
    }
    if len(ranges) > RANGES:
        return text(
            "acknowledged to {n}, job says {last} sent; missing {ranges} and {more} more ranges",
            more=len(ranges) - RANGES,
            **said,
        )
    return text("acknowledged to {n}, job says {last} sent; missing {ranges}", **said)


def seconds_said(seconds: float) -> Duration:
    """A measured time in whole seconds; what was over sooner is not called nothing."""
    return Duration(round(seconds) if seconds >= 1 else 0, some=True)
