"""Reading what the timeline is made of, in few statements, and the frame of every page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

from sqlalchemy import text as text_of_sql
from sqlmodel import Session, select

from app.campaigns.queries import Header, header
from app.closing.tables import Close
from app.decisions import queries as decisions
from app.decisions.rules.evaluation import evaluate
from app.decisions.rules.need import unneeded
from app.deliverables import queries as deliverables
from app.orders import queries as orders
from app.orders.rules.hours import Busy, PlannedUse, lot_hours
from app.orders.rules.lot_cards import LotCard, lot_card
from app.orders.rules.planned_use import planned_use
from app.orders.rules.records import OrderedLot
from app.plan import queries as plans
from app.plan.rules.lots import LotWindow
from app.runs import queries as runs
from app.timeline.rules.answer import Answer, answer
from app.timeline.rules.facts import Decided, Facts, Stretch, Window
from app.timeline.rules.forecast import Forecast, forecast
from app.timeline.rules.lanes import lanes_of, name_of
from app.timeline.rules.lines import StepLine, step_lines
from app.timeline.rules.observed import stretches_of
from app.web import Frame


@dataclass(frozen=True, slots=True)
class Stand:
    """The newest journal entry, run event, offer and change of liveness, when the draft was
    written, the minute.

    No time passes for a closed campaign: all that it shows stands as it stood at the close.
    """

    entry: int
    event: int
    drafted: str
    offered: int
    liveness: int
    minute: int

    @property
    def at(self) -> datetime:
        """The beginning of its minute."""
        return datetime.fromtimestamp(self.minute * 60, UTC)


@dataclass(frozen=True, slots=True)
class TimelineView:
    """A campaign's timeline with everything that follows from its facts."""

    header: Header
    facts: Facts
    ahead: Forecast
    lines: tuple[StepLine, ...]
    answer: Answer


_STAND = text_of_sql(
    "SELECT (SELECT max(number) FROM journal WHERE campaign_id = :id),"
    " (SELECT max(last_event) FROM attempt_states WHERE campaign_id = :id),"
    " (SELECT updated_at FROM drafts WHERE campaign_id = :id),"
    " (SELECT max(number) FROM offers),"
    " (SELECT max(id) FROM liveness_flips WHERE campaign_id = :id),"
    " (SELECT state FROM campaign_standings WHERE campaign_id = :id)"
)
_MOST_KEPT = 1024
LONGEST_CONCLUSION = 120
T = TypeVar("T")
_kept: WeakKeyDictionary[object, dict[tuple[str, str], tuple[Stand, object]]] = WeakKeyDictionary()


def stand(session: Session, campaign_id: str, now: datetime) -> Stand:
    """What a timeline depends on, in one statement of six looks at an index.

    Silence comes with time alone: the watcher counts its changes, and without it the minute does.
    A draft is known by its instant: one that was deleted and made anew counts its revisions from 1
    again.
    """
    found = session.connection().execute(_STAND, {"id": campaign_id}).one()
    entry, event, drafted, offered, flips, state = found
    written = "".join(sign for sign in str(drafted) if sign.isdigit())
    goes_on = state != "closed"
    minute = int(now.timestamp()) // 60 if goes_on else 0
    liveness = (flips or 0) if goes_on else 0
    return Stand(entry or 0, event or 0, written, offered or 0, liveness, minute)


def kept(session: Session, at: Stand, campaign_id: str, name: str, make: Callable[[], T]) -> T:
    """What was made under a name for a campaign, made again only when it stands elsewhere."""
    mine = _kept.setdefault(session.get_bind(), {})
    known = mine.get((campaign_id, name))
    if known is not None and known[0] == at:
        return cast("T", known[1])
    made = make()
    if len(mine) >= _MOST_KEPT:
        mine.clear()
    mine[campaign_id, name] = (at, made)
    return made


def timeline(session: Session, campaign_id: str, now: datetime) -> TimelineView | None:
    """Everything the timeline shows at `now`; None for an unknown campaign.

    Kept until a fact or the minute changes: every page of a campaign asks for its answer.
    """
    at = stand(session, campaign_id, now)
    return kept(session, at, campaign_id, "timeline", lambda: _timeline(session, campaign_id, now))


def _timeline(session: Session, campaign_id: str, now: datetime) -> TimelineView | None:
    found = header(session, campaign_id)
    if found is None:
        return None
    facts = _facts(session, found, now)
    ahead = forecast(facts)
    said = answer(facts, ahead, _conclusion(session, found))
    return TimelineView(found, facts, ahead, step_lines(facts, ahead), said)


def _conclusion(session: Session, found: Header) -> str | None:
    """The conclusion of a closed campaign where it is short enough for one line."""
    if found.closed_at is None:
        return None
    said = session.exec(select(Close.conclusion).where(Close.campaign_id == found.id)).first()
    return said.rstrip(".") if said is not None and len(said) <= LONGEST_CONCLUSION else None


def frame(session: Session, campaign_id: str, now: datetime) -> Frame | None:
    """What stands around every page of a campaign: its question, the answer, what is next."""
    view = timeline(session, campaign_id, now)
    return frame_of(view) if view else None


def frame_of(view: TimelineView) -> Frame:
    """The frame of a timeline that was read already."""
    known, said = view.header, view.answer
    return Frame(known.id, known.question, known.zone, known.state, said.text, said.kind, said.next)


def _facts(session: Session, found: Header, now: datetime) -> Facts:
    versions = plans.all_sealed(session, found.id)
    draft = None if versions else plans.draft(session, found.id)
    first = versions[0] if versions else draft
    newest = versions[-1] if versions else draft
    if first is None or newest is None:
        raise LookupError(f"campaign {found.id} has neither a draft nor a sealed plan")
    lots = orders.lots_of(session, found.id)
    until = found.closed_at or now
    known = runs.runs_of(session, found.id, until)
    kinds = {rule.id: rule.kind for rule in newest.plan.stop_rules}
    stretches = stretches_of(known, runs.spans_of(session, found.id), kinds, until)
    zero = _zero(lots, newest.zero_at, stretches)
    decided = decisions.read(session, found.id)
    accepted = deliverables.acceptance(session, found.id)
    judged = evaluate(newest.plan, decisions.results_of(known), decided.cut)
    verdicts = {line.step: line.verdict for line in judged.variants}
    return Facts(
        plan=newest.plan,
        sealed=first.schedule,
        sealed_steps=first.plan.steps,
        version=newest.version,
        sealed_at=first.sealed_at,
        windows=_windows(lots, newest.windows, zero),
        zero_at=zero,
        now_at=until,
        closed_at=found.closed_at,
        outcome=found.outcome,
        stretches=stretches,
        decided=Decided(
            tuple((step, entry.at) for step, entry in decided.ended.items()),
            tuple(decided.cut),
            decided.stopped is not None,
        ),
        accepted=accepted.accepted,
        announced=accepted.announced,
        unneeded=unneeded(newest.plan, verdicts),
        sealed_zero_at=first.zero_at,
    )


def _zero(
    lots: tuple[OrderedLot, ...], planned: datetime | None, stretches: tuple[Stretch, ...]
) -> datetime | None:
    """Hour 0: the first lot's real start, else the planned one, else the first fact."""
    if lots:
        return min(lot.starts_at for lot in lots)
    if planned is not None:
        return planned
    return min((one.starts_at for one in stretches), default=None)


def _windows(
    lots: tuple[OrderedLot, ...], planned: tuple[LotWindow, ...], zero: datetime | None
) -> tuple[Window, ...]:
    """The lots as ordered, and planned ones only until an order fills them."""
    filled = {lot.planned_lot for lot in lots}
    names = {lot.id: lot for lot in planned}
    windows = []
    for lot in lots:
        assert zero is not None
        known = names.get(lot.planned_lot or "")
        windows.append(
            Window(
                id=lot.id,
                gpu=lot.gpu or (known.gpu if known else None),
                gpus=lot.capacity,
                starts_s=_after(zero, lot.starts_at),
                ends_s=_after(zero, lot.ends_at),
                usable_s=_after(zero, lot.usable_until),
                ordered=True,
            )
        )
    for window in planned:
        if window.id not in filled:
            starts, ends, usable = (
                window.start_min * 60,
                window.end_min * 60,
                window.usable_min * 60,
            )
            windows.append(Window(window.id, window.gpu, window.gpus, starts, ends, usable, False))
    return tuple(windows)


def _after(zero: datetime, at: datetime) -> int:
    return round((at - zero).total_seconds())


def lot_cards(session: Session, view: TimelineView) -> tuple[LotCard, ...]:
    """A card for each lot of the orders in force, by its start, as it stood at the end of the
    record."""
    lots = orders.lots_of(session, view.header.id)
    sealed = plans.first_sealed(session, view.header.id) if lots else None
    runs_on, people = _worked(view.facts) if lots else ({}, ())
    at = view.facts.until_at
    return tuple(
        lot_card(lot, lot_hours(lot, _use(sealed, lot), runs_on.get(lot.id, ()), people, at), at)
        for lot in lots
    )


def _use(sealed: plans.PlanView | None, lot: OrderedLot) -> PlannedUse:
    if sealed is None:
        return PlannedUse()
    return planned_use(sealed.schedule, sealed.plan.steps, sealed.windows, lot.planned_lot)


def _worked(facts: Facts) -> tuple[dict[str, list[Busy]], list[Busy]]:
    """The stretches of runs by the lot that they were on, and those of people."""
    lanes = lanes_of(facts)
    runs_on: dict[str, list[Busy]] = {}
    people: list[Busy] = []
    for one in facts.stretches:
        spent = (one.starts_at, facts.until_at if facts.goes_on(one) else one.ends_at)
        if one.run is None:
            people.append(spent)
        else:
            runs_on.setdefault(lanes[name_of(one)][0].partition("/")[0], []).append(spent)
    return runs_on, people
