"""What the page of one run shows, computed before the template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.budget.queries import time_shares
from app.errors import Malformed
from app.runs import queries
from app.runs.pages.events import EventLine, EventsShown, Firing, event_line, events_shown
from app.runs.pages.lines import Known, RunLine, StopLine, remarks_of, run_line, stop_line
from app.runs.pages.listing import known_of
from app.runs.pages.resuming import Resuming, resuming_of
from app.runs.pages.words import KINDS, State, arrival_said, metric_lines, reason_of, unseen_said
from app.runs.queries import (
    ArchivalView,
    AttemptView,
    CameLate,
    RuleView,
    RunView,
    Spell,
)
from app.runs.rules.archiving import may_be_archived
from app.runs.rules.clocks import next_sign_said
from app.runs.rules.events import SHELL
from app.runs.rules.reasons import seen_said
from app.runs.rules.remarks import unseen
from app.texts import Text, ntext, text
from app.units import Duration
from app.web import Form, Frame

EVENTS = 100
YOUNG_S = 600
"""So long after its start a rule that was never judged is no fault yet, in seconds."""
SPELLS = 5
"""So many times of silence of an attempt are named."""


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """One attempt as a row; `status` is a mark's key."""

    view: AttemptView
    status: str
    words: Text | None
    reason: Text | None
    remarks: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class SourceLine:
    """What has come of one source of one attempt."""

    about: Text
    said: Text
    is_whole: bool


@dataclass(frozen=True, slots=True)
class RunPage:
    """Everything the page of one run shows."""

    base: str
    version: str
    is_open: bool
    run: RunView
    line: RunLine
    remarks: tuple[Text, ...]
    next_sign: Text | None
    attempts: tuple[AttemptLine, ...]
    sources: tuple[SourceLine, ...]
    resuming: Resuming
    shares: tuple[Text, ...]
    late: tuple[CameLate, ...]
    late_events: tuple[EventLine, ...]
    archival: ArchivalView | None
    metrics: tuple[tuple[str, str], ...]
    rules: tuple[RuleView, ...]
    unseen: Mapping[str, Text]
    stops: tuple[StopLine, ...]
    seen: Mapping[str, Text]
    events: EventsShown
    older_href: str | None
    form: Form

    @property
    def is_going(self) -> bool:
        """Whether what is shown may change by itself."""
        return self.is_open and self.run.status in ("running", "planned")

    @property
    def may_close(self) -> bool:
        """Whether a person may say how a silent run ended."""
        return self.is_open and self.run.silent and not self.run.archived

    @property
    def may_ask(self) -> bool:
        """Whether the job may still be asked to stop."""
        waiting = self.run.status in ("running", "planned") and not self.run.silent
        return self.is_open and waiting and self.run.stop_asked is None

    @property
    def is_young(self) -> bool:
        """Whether the run has only begun, so that a rule may well not have been judged yet."""
        return self.run.status in ("running", "planned") and self.run.machine_s < YOUNG_S

    @property
    def has_own_clock(self) -> bool:
        """Whether its times are its own: a post without a number happens when it comes."""
        return any(one.source != SHELL for line in self.attempts for one in line.view.sources)

    @property
    def may_archive(self) -> bool:
        """Whether the run may be put away."""
        may = may_be_archived(self.run.status, silent=self.run.silent)
        return self.is_open and may and not self.run.archived

    @property
    def time_note(self) -> Text:
        """What the machine time is made of, beside the span on the calendar."""
        n, calendar_s = len(self.run.attempts), self.run.calendar_s
        if calendar_s is None:
            return text("sum of the attempts")
        calendar = Duration(calendar_s, some=True)
        return ntext(
            "{n} attempt; {calendar} on the calendar",
            "sum of {n} attempts; {calendar} on the calendar",
            n,
            calendar=calendar,
        )


def run_page(
    session: Session,
    around: Frame,
    run_id: str,
    form: Form,
    before: str,
    now: datetime,
    tag: str,
) -> RunPage | None:
    """None for a run that the record does not have."""
    run = queries.run_of(session, around.id, run_id, now)
    if run is None:
        return None
    known = known_of(session, around.id, now)
    line = run_line(run, known)
    quiet = queries.spells_of(session, around.id, run_id)
    is_open = around.state != "closed"
    return RunPage(
        base=known.base,
        version=tag,
        is_open=is_open,
        run=run,
        line=line,
        remarks=remarks_of(run, known),
        next_sign=next_sign_said(run, now) if is_open else None,
        attempts=tuple(
            _attempt(one, run, line.states, quiet.get(one.number, ())) for one in run.attempts
        ),
        sources=tuple(_sources(run)),
        resuming=resuming_of(run, known.step_of(run)),
        shares=tuple(one.said for one in time_shares(session, run)),
        late=() if is_open else queries.came_late(session, around.id, run_id),
        late_events=() if is_open else _late(session, around.id, run, known.titles),
        archival=_archival(session, run),
        metrics=metric_lines(run, known.names, known.watched, 200),
        **_rules(run, known),
        stops=_stops(session, run, known),
        **_events(session, run, known, around.zone, before),
        form=form,
    )


def _stops(session: Session, run: RunView, known: Known) -> tuple[StopLine, ...]:
    """The run's lines of the stop register."""
    records = queries.stop_records(session, run.campaign_id)
    return tuple(stop_line(one, (run,), known) for one in records if one.run == run.id)


def _archival(session: Session, run: RunView) -> ArchivalView | None:
    """Who put the run away, and why; None while it is in the list."""
    found = queries.archivals_of(session, run.campaign_id).get(run.id)
    return found if found is not None and found.archived else None


def _rules(run: RunView, known: Known) -> dict[str, Any]:
    """The run's stop rules, what each saw last, and what keeps one waiting."""
    return {
        "rules": run.rules,
        "seen": {one.rule: seen_said(one.kind, one.last) for one in run.rules if one.last},
        "unseen": {one.rule: unseen_said(one) for one in unseen(run, known.names)},
    }


def _events(session: Session, run: RunView, known: Known, zone: str, before: str) -> dict[str, Any]:
    """One page of the run's events, and where the earlier ones are."""
    try:
        found = queries.events_of(session, run.campaign_id, run.id, before=before, limit=EVENTS)
    except ValueError:
        raise Malformed(text("There is no such page of events."), field="before") from None
    older = f"{known.base}/{run.id}?before={found.next}" if found.next else None
    shown = events_shown(found.items, _fired(run), known.titles, zone, run.judged_by)
    return {"events": shown, "older_href": older}


def _late(
    session: Session, campaign_id: str, run: RunView, titles: Mapping[str, str]
) -> tuple[EventLine, ...]:
    """What came after the close, event by event."""
    numbers = {one.id: one.number for one in run.attempts}
    found = queries.late_events(session, campaign_id, run.id, numbers, EVENTS)
    return tuple(event_line(one, KINDS[one.kind], titles, run.judged_by) for one in found)


def _fired(run: RunView) -> dict[Firing, list[str]]:
    """The rules that fired, by the events that they fired on."""
    found: dict[Firing, list[str]] = {}
    for one in run.fired:
        found.setdefault(one.event, []).append(one.rule)
    return found


def _attempt(
    view: AttemptView, run: RunView, states: Sequence[State], quiet: Sequence[Spell]
) -> AttemptLine:
    remarks = []
    if view.late:
        remarks.append(text("came late"))
    if view.by_tracker:
        remarks.append(text("as told by the tracker"))
    if view.redone:
        remarks.append(ntext("{n} step redone", "{n} steps redone", view.redone))
    if view.taken_over_by is not None:
        remarks.append(text("attempt {n} had taken over", n=view.taken_over_by))
    if view.clock_off_s is not None:
        off = Duration(abs(view.clock_off_s))
        behind = view.clock_off_s > 0
        remarks.append(
            text("its clock is {off} behind ours; set right", off=off)
            if behind
            else text("its clock is {off} ahead of ours; set right", off=off)
        )
    over = [spell.said for spell in quiet if spell.until_at is not None]
    if len(over) > SPELLS:
        remarks.insert(0, text("and {n} times before", n=len(over) - SPELLS))
    said = (*over[-SPELLS:], *remarks)
    if view.status == "superseded":
        return AttemptLine(view, "dropped", text("Superseded"), reason_of(view, run), said)
    if view.status in ("planned", "running") and view.number == run.attempt:
        (status, words), *_ = states
        return AttemptLine(view, status, words, None, said)
    return AttemptLine(view, view.status, None, reason_of(view, run), said)


def _sources(run: RunView) -> Iterator[SourceLine]:
    """The numbered sources; posts of a shell are numbered by the server, so none can be missing."""
    for attempt in run.attempts:
        for one in attempt.sources:
            if one.source != SHELL:
                about = text("{source}, attempt {n}", source=one.source, n=attempt.number)
                yield SourceLine(about, arrival_said(one), not one.gaps)
