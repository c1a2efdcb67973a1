"""What happened, as stretches of work: each attempt of a run by its own outcome, people's time."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from datetime import datetime

from app.runs.rules.endings import ending_said
from app.runs.rules.reasons import rule_said
from app.runs.rules.spans import SpanView
from app.runs.rules.views import SUPERSEDED, AttemptView, Interval, RunView
from app.runs.rules.words import reason_said, status_said
from app.texts import Text, text
from app.timeline.rules.facts import (
    BROKEN,
    DONE,
    FAILED,
    LOST,
    RUNNING,
    SILENT,
    STOPPED,
    Stretch,
)

_KINDS: Mapping[str, str] = {
    "completed": DONE,
    "failed": FAILED,
    "lost": LOST,
    "stopped": STOPPED,
    SUPERSEDED: STOPPED,
}


def stretches_of(
    known: Iterable[RunView],
    spans: Iterable[SpanView],
    rules: Mapping[str, str],
    until: datetime,
) -> tuple[Stretch, ...]:
    """All stretches in order of time; `rules` are the kinds of the stop rules by their ids.

    `until` is where the record ends: what is open then is drawn to it.
    """
    kinds = tuple(sorted(rules.items()))
    found = [one for run in known for one in _of_run(run, kinds)]
    for span in spans:
        going = span.ended_at is None
        kind = RUNNING if going else DONE
        found.append(Stretch(span.step, span.started_at, span.ended_at or until, going, kind))
    return tuple(sorted(found, key=lambda one: one.starts_at))


@functools.lru_cache(maxsize=8192)
def _of_run(run: RunView, rules: tuple[tuple[str, str], ...]) -> tuple[Stretch, ...]:
    """The attempts of a run; of one that has ended they stay the same."""
    return tuple(_of_attempt(run, one, dict(rules)) for one in run.intervals)


def _of_attempt(run: RunView, one: Interval, rules: Mapping[str, str]) -> Stretch:
    attempt = next(each for each in run.attempts if each.number == one.attempt)
    current = one.attempt == run.attempt
    kind = _kind(run, attempt, current=current)
    proof = kind == STOPPED and attempt.rule is not None and rules.get(attempt.rule) != "non_finite"
    return Stretch(
        step=run.step,
        starts_at=one.starts_at,
        ends_at=one.ends_at,
        open=one.open,
        kind=kind,
        run=run.id,
        attempt=one.attempt,
        lot=one.lot,
        gpus=one.gpus,
        reason=_reason(run, attempt, current=current) if kind in BROKEN else None,
        proof=proof,
        last_seen_at=run.silent_since_at if kind == SILENT else attempt.received_at,
        machine_s=attempt.machine_s,
        current=current,
        attempts=len(run.attempts),
        stalled_since_at=run.stalled_since_at if current and kind == RUNNING else None,
    )


def _kind(run: RunView, attempt: AttemptView, *, current: bool) -> str:
    """How an attempt ended; one that goes on is the current one, so any other one did end."""
    known = _KINDS.get(attempt.status)
    if known is not None:
        return known
    if not current:
        return STOPPED
    return SILENT if run.silent else RUNNING


def _reason(run: RunView, attempt: AttemptView, *, current: bool) -> Text | str:
    """What was asked of the attempt, else what it said itself."""
    asked = run.stop_asked if attempt.status == "stopped" and current else None
    if asked is not None:
        return asked.text if asked.rule is None else rule_said(run, asked.rule, asked.text)
    if attempt.rule is not None:
        return rule_said(run, attempt.rule, attempt.reason_text or "")
    said = ending_said(attempt.reason_text, exit_code=attempt.exit_code, signal=attempt.signal)
    if said is not None:
        return said
    if attempt.reason_code:
        return reason_said(attempt.reason_code)
    if attempt.status in _KINDS:
        return status_said(attempt.status)
    return text("its start was never received")
