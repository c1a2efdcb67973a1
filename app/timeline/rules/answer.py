"""The one line over every page of a campaign, and what is due next."""

from __future__ import annotations

from dataclasses import dataclass

from app.plan.rules.model import StepKind
from app.plan.rules.retrieving import retrieving
from app.plan.rules.spans import hours_said
from app.texts import Text, text
from app.timeline.rules.facts import GOING, SILENT, Facts
from app.timeline.rules.forecast import Forecast
from app.timeline.rules.states import is_over, state_of
from app.units import Duration

OUTCOMES = {
    "positive": text("positive"),
    "negative": text("negative"),
    "inconclusive": text("inconclusive"),
    "abandoned": text("abandoned"),
}
DECIDED = ("positive", "negative")
"""Outcomes that decide; the others only end the campaign."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The sentence, its kind (`fits exceeds closed open`), the spare seconds, what is next."""

    text: Text
    kind: str
    spare_s: int | None
    next: tuple[Text, ...] = ()


def answer(facts: Facts, ahead: Forecast, conclusion: str | None = None) -> Answer:
    """Will this campaign reach its decision inside the window that was paid for?"""
    if facts.closed_at is not None:
        return Answer(_closed(facts, ahead, conclusion), "closed", _signed(ahead))
    due = _next(facts, ahead)
    if ahead.exceeds_s is not None:
        several = len(facts.windows) > 1
        over = Duration(ahead.exceeds_s)
        said = (
            text("Exceeds its lots by {over}", over=over)
            if several
            else text("Exceeds the lot by {over}", over=over)
        )
        return Answer(said, "exceeds", -ahead.exceeds_s, due)
    if ahead.end_s is None or ahead.spare_s is None:
        hopeless = ahead.schedule is not None and ahead.schedule.proof is not None
        return Answer(_open(facts, ahead), "exceeds" if hopeless else "open", None, due)
    spare = Duration(ahead.spare_s)
    if ahead.schedule is None:
        return Answer(_nothing_left(facts, spare), "fits", ahead.spare_s, due)
    end_at = facts.instant(ahead.end_s)
    if end_at is None:
        after, left = hours_said(ahead.end_s // 60), hours_said(ahead.spare_s // 60)
        return Answer(
            text("Answer after {end}, {spare} to spare", end=after, spare=left),
            "fits",
            ahead.spare_s,
            due,
        )
    return Answer(
        text("Answer by {end}, {spare} to spare", end=end_at, spare=spare),
        "fits",
        ahead.spare_s,
        due,
    )


def _nothing_left(facts: Facts, spare: Duration) -> Text:
    """Why nothing is ahead: all is done, or a decision ended what was still to do."""
    if facts.decided.stopped and not all(is_over(step, facts) for step in facts.plan.steps):
        return text("Stopped by a decision, {spare} to spare", spare=spare)
    return text("All planned work is done, {spare} to spare", spare=spare)


def _signed(ahead: Forecast) -> int | None:
    return -ahead.exceeds_s if ahead.exceeds_s is not None else ahead.spare_s


def _closed(facts: Facts, ahead: Forecast, conclusion: str | None) -> Text:
    outcome = OUTCOMES.get(facts.outcome or "", text("closed"))
    said: Text | str = conclusion or outcome
    spare = Duration(ahead.spare_s or 0)
    if ahead.spare_s and facts.outcome in DECIDED:
        return text("Closed: {conclusion}, decided with {spare} left", conclusion=said, spare=spare)
    if ahead.spare_s:
        return text("Closed: {conclusion}, with {spare} left", conclusion=said, spare=spare)
    return text("Closed: {conclusion}", conclusion=said)


def _open(facts: Facts, ahead: Forecast) -> Text:
    if not facts.plan.steps:
        return text("No steps are planned yet")
    if ahead.schedule is not None and ahead.schedule.proof is not None:
        return text("No lot can hold what is left: {why}", why=ahead.schedule.proof)
    if not facts.windows:
        return text("No lot is planned yet: whether it fits cannot be said")
    if all(window.usable_s <= facts.until_s for window in facts.windows):
        if any(window.ordered for window in facts.windows):
            return text("The rented window is over and work is left")
        return text("The planned window is over, no lot was ordered and work is left")
    if ahead.schedule is not None and ahead.schedule.problems:
        return ahead.schedule.problems[0]
    return text("No plan found for what is left")


def _next(facts: Facts, ahead: Forecast) -> tuple[Text, ...]:
    """At most four short sentences, the most urgent first."""
    said = [
        *_undone(facts),
        *_decisions(facts),
        *_unneeded(facts),
        *_retrieval(facts),
        *_room(facts, ahead),
        *_signs(facts),
    ]
    return tuple(said[:4])


def _undone(facts: Facts) -> list[Text]:
    if facts.version == 0:
        return (
            [text("Seal the plan before the first run.")]
            if facts.plan.steps
            else [text("Plan the steps.")]
        )
    waiting = [window for window in facts.windows if not window.ordered]
    return [text("Log the order of {lot}.", lot=waiting[0].id)] if waiting else []


def _decisions(facts: Facts) -> list[Text]:
    """Decision points whose predecessors are done wait for a person."""
    steps = {step.id: step for step in facts.plan.steps}
    waiting = [
        step
        for step in facts.plan.steps
        if step.kind is StepKind.DECISION_POINT
        and state_of(step, facts) == "not_started"
        and step.after
        and all(
            state_of(steps[name], facts) in ("done", "dropped")
            for name in step.after
            if name in steps
        )
    ]
    return [text("Decide: {title}.", title=step.title) for step in waiting]


def _unneeded(facts: Facts) -> list[Text]:
    """Steps that have not begun and that no result can make matter any more."""
    return [
        text(
            "{step} cannot change the choice any more: cutting it saves {work}.",
            step=step.title,
            work=hours_said(-(-step.estimate_s() // 60)),
        )
        for step in facts.plan.steps
        if step.id in facts.unneeded and state_of(step, facts) == "not_started"
    ]


def _retrieval(facts: Facts) -> list[Text]:
    """Retrieving must begin early enough to end with the window."""
    waiting = [
        step
        for step in retrieving(facts.plan.steps)
        if state_of(step, facts) in ("not_started", "stopped")
    ]
    used = [window for window in facts.windows if window.ordered]
    if not waiting or not used:
        return []
    latest = facts.instant(
        min(window.usable_s for window in used) - sum(step.estimate_s() for step in waiting)
    )
    if latest is None:
        return []
    secured = text(
        "{accepted} of {announced} accepted", accepted=facts.accepted, announced=facts.announced
    )
    if latest <= facts.now_at:
        return [text("Retrieve now ({secured}).", secured=secured)]
    return [text("Begin retrieving by {at} ({secured}).", at=latest, secured=secured)]


def _room(facts: Facts, ahead: Forecast) -> list[Text]:
    if not ahead.dropped:
        return []
    titles = {step.id: step.title for step in facts.plan.steps}
    names = ", ".join(titles.get(name, name) for name in ahead.dropped)
    return [text("No room any more for {names}.", names=names)]


def _signs(facts: Facts) -> list[Text]:
    """The last sign of each run that goes on."""
    said = []
    for one in facts.stretches:
        if one.run is None or one.last_seen_at is None or one.kind not in GOING:
            continue
        if one.kind == SILENT:
            said.append(text("{run}: no sign since {at}.", run=one.run, at=one.last_seen_at))
        else:
            ago = Duration(max(0, round((facts.now_at - one.last_seen_at).total_seconds())))
            said.append(text("{run} reported {ago} ago.", run=one.run, ago=ago))
    return said
