"""`/campaigns/{id}/runs/{run}`: one run with its attempts, rules, events, and a person's word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from sqlmodel import Session
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.errors import Malformed, NotFound
from app.runs import commands, queries
from app.runs.pages.events import EventLine, EventsShown, Moment, event_line, events_shown
from app.runs.pages.lines import RunLine, StopLine, remarks_of, run_line, stop_line
from app.runs.pages.listing import frame_or_404, known_of
from app.runs.pages.resuming import Resuming, resuming_of
from app.runs.pages.words import KINDS, arrival_said, metric_lines, reason_of, unseen_said
from app.runs.queries import (
    ArchivalView,
    AttemptView,
    CameLate,
    RuleView,
    RunView,
    Spell,
    StopRecordView,
)
from app.runs.rules.archiving import may_be_archived
from app.runs.rules.clocks import next_sign_said
from app.runs.rules.events import SHELL
from app.runs.rules.remarks import unseen
from app.texts import Text, ntext, text
from app.units import Duration
from app.web import Form, Frame, page, read_form, redirect

router = APIRouter()
EVENTS = 100
YOUNG_S = 600
"""So long after its start a rule that was never judged is no fault yet, in seconds."""
SPELLS = 5
"""So many times of silence of an attempt are named."""
ACTS: Mapping[str, tuple[commands.Act, Text]] = {
    "ask": (commands.ask_to_stop, text("The next answer asks the job to stop.")),
    "lost": (commands.mark_lost, text("The run is marked as lost.")),
    "stopped": (commands.mark_stopped, text("The run is marked as stopped.")),
    "archive": (commands.archive, text("The run is archived. It counts as before.")),
    "back": (commands.bring_back, text("The run is back in the list.")),
}


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
    is_open: bool
    run: RunView
    line: RunLine
    remarks: tuple[Text, ...]
    next_sign: Text | None
    attempts: tuple[AttemptLine, ...]
    sources: tuple[SourceLine, ...]
    resuming: Resuming
    late: tuple[CameLate, ...]
    late_events: tuple[EventLine, ...]
    archival: ArchivalView | None
    metrics: tuple[tuple[str, str], ...]
    rules: tuple[RuleView, ...]
    unseen: Mapping[str, Text]
    stops: tuple[StopLine, ...]
    events: EventsShown
    older_href: str | None
    form: Form

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
        calendar = Duration(calendar_s)
        return ntext(
            "{n} attempt; {calendar} on the calendar",
            "sum of {n} attempts; {calendar} on the calendar",
            n,
            calendar=calendar,
        )


@router.get("/campaigns/{campaign_id}/runs/{run_id}")
def one(
    request: Request,
    campaign_id: str,
    run_id: str,
    before: Annotated[str, Query(max_length=20_000)] = "",
) -> Response:
    """One run; `before` pages through its events."""
    return _show(request, campaign_id, run_id, Form(), before=before)


@router.post("/campaigns/{campaign_id}/runs/{run_id}/{act}")
def say(
    request: Request,
    campaign_id: str,
    run_id: str,
    act: str,
    form: Annotated[Form, Depends(read_form)],
) -> Response:
    """What a person says of the run, with a reason."""
    if act not in ACTS:
        raise NotFound(text("There is nothing at this address."))
    command, said = ACTS[act]
    actor, now, reason = person(request), clock.now(), form.get(f"reason.{act}")
    try:
        request.app.state.db.write(
            campaign_id,
            lambda tx: command(tx, campaign_id, run_id, reason, actor=actor, now=now),
        )
    except Malformed as refusal:
        form.refuse(f"reason.{act}", refusal.detail)
        return _show(request, campaign_id, run_id, form, status=422)
    return redirect(request, f"/campaigns/{campaign_id}/runs/{run_id}", said)


def _show(
    request: Request,
    campaign_id: str,
    run_id: str,
    form: Form,
    *,
    before: str = "",
    status: int = 200,
) -> Response:
    now = clock.now()
    with request.app.state.db.read() as session:
        around = frame_or_404(session, campaign_id, now)
        context = _context(session, around, run_id, form, before, now)
    title = text("Run {run}", run=run_id)
    return page(request, "runs/run.html", context, frame=around, title=title, status=status)


def _context(
    session: Session, around: Frame, run_id: str, form: Form, before: str, now: datetime
) -> RunPage:
    run = queries.run_of(session, around.id, run_id, now)
    if run is None:
        raise NotFound(text("There is no run {run} here.", run=run_id))
    known = known_of(session, around.id, now)
    records = queries.stop_records(session, around.id)
    quiet = queries.spells_of(session, around.id, run_id)
    archival = queries.archivals_of(session, around.id).get(run_id)
    is_open = around.state != "closed"
    try:
        events = queries.events_of(session, around.id, run_id, before=before, limit=EVENTS)
    except ValueError:
        raise Malformed(text("There is no such page of events."), field="before") from None
    return RunPage(
        base=known.base,
        is_open=is_open,
        run=run,
        line=run_line(run, known),
        remarks=remarks_of(run, known),
        next_sign=next_sign_said(run, now) if is_open else None,
        attempts=tuple(_attempt(one, quiet.get(one.number, ())) for one in run.attempts),
        sources=tuple(_sources(run)),
        resuming=resuming_of(run, known.step_of(run)),
        late=() if is_open else queries.came_late(session, around.id, run_id),
        late_events=() if is_open else _late(session, around.id, run, known.titles),
        archival=archival if archival is not None and archival.archived else None,
        metrics=metric_lines(run, known.names, known.watched, 200),
        rules=run.rules,
        unseen={one.rule: unseen_said(one) for one in unseen(run, known.names)},
        stops=tuple(stop_line(r, (run,), known.base) for r in records if r.run == run_id),
        events=events_shown(events.items, _fired(records, run_id), known.titles, around.zone),
        older_href=f"{known.base}/{run_id}?before={events.next}" if events.next else None,
        form=form,
    )


def _late(
    session: Session, campaign_id: str, run: RunView, titles: Mapping[str, str]
) -> tuple[EventLine, ...]:
    """What came after the close, event by event."""
    numbers = {one.id: one.number for one in run.attempts}
    found = queries.late_events(session, campaign_id, run.id, numbers, EVENTS)
    return tuple(event_line(one, KINDS[one.kind], titles) for one in found)


def _fired(records: Sequence[StopRecordView], run_id: str) -> set[Moment]:
    """Where the rules of the stop register fired in this run."""
    return {(one.attempt, one.at) for one in records if one.run == run_id and one.rule is not None}


def _attempt(view: AttemptView, quiet: Sequence[Spell]) -> AttemptLine:
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
        return AttemptLine(view, "dropped", text("Superseded"), reason_of(view), said)
    return AttemptLine(view, view.status, None, reason_of(view), said)


def _sources(run: RunView) -> Iterator[SourceLine]:
    """The numbered sources; posts of a shell are numbered by the server, so none can be missing."""
    for attempt in run.attempts:
        for one in attempt.sources:
            if one.source != SHELL:
                about = text("{source}, attempt {n}", source=one.source, n=attempt.number)
                yield SourceLine(about, arrival_said(one), not one.gaps)
