"""What may be entered into the decision log, and what is refused with what would be right."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from app.decisions.rules.log import (
    CHOICE_WORDS,
    CHOICES,
    CUT,
    REVISE,
    DecisionEntry,
    Decisions,
)
from app.deliverables.rules.objection import Objection
from app.plan.rules.model import Step, StepClass, StepKind
from app.texts import Text, text

ESSENTIAL = StepClass.ESSENTIAL
LONGEST = 4000
LONGEST_LINK = 2000


@dataclass(frozen=True, slots=True)
class NewDecision:
    """A decision as a person gives it, before it is checked."""

    choice: str
    reason: str
    step: str | None = None
    cut: tuple[str, ...] = ()
    version: int | None = None
    link: str | None = None
    corrects: int | None = None


@dataclass(frozen=True, slots=True)
class Ground:
    """What a new decision is checked against: the plan that holds, the log, finished steps."""

    steps: tuple[Step, ...]
    version: int  # newest sealed version, 0 for a draft
    log: Decisions
    done: frozenset[str] = frozenset()

    @property
    def points(self) -> tuple[Step, ...]:
        """All decision points in the order of the plan."""
        return tuple(step for step in self.steps if step.kind is StepKind.DECISION_POINT)

    @property
    def open_points(self) -> tuple[Step, ...]:
        """The decision points that no entry has ended."""
        return tuple(step for step in self.points if step.id not in self.log.ended)

    @property
    def optional_steps(self) -> tuple[Step, ...]:
        """The steps that are planned and that a decision may still cut."""
        return tuple(
            step
            for step in self.steps
            if (step.klass is StepClass.USEFUL or (step.klass is not ESSENTIAL and step.include))
            and step.kind is not StepKind.DECISION_POINT
            and step.id not in self.log.cut
            and step.id not in self.done
        )


def tidied(new: NewDecision, log: Decisions) -> NewDecision:
    """The decision with its texts in one form; a correction keeps the step of what it corrects."""
    corrected = log.entry(new.corrects)
    step = new.step or (corrected.step if corrected is not None else None)
    reason = unicodedata.normalize("NFC", new.reason.replace("\r\n", "\n").strip())
    link = (new.link or "").strip() or None
    cut = tuple(dict.fromkeys(new.cut))
    return replace(new, reason=reason, step=step or None, link=link, cut=cut)


def same(new: NewDecision, entry: DecisionEntry) -> bool:
    """Whether an entry already says exactly this: a form sent twice is one decision."""
    return (new.choice, new.reason, new.step, new.cut, new.version, new.link, new.corrects) == (
        entry.choice, entry.reason, entry.step, entry.cut,
        entry.version, entry.link, entry.corrects,
    )  # fmt: skip


def objections(new: NewDecision, ground: Ground) -> tuple[Objection, ...]:
    """Everything that speaks against a tidied decision; () when it may be written down."""
    return tuple(
        objection
        for check in (_choice, _step, _cut, _version, _corrects, _reason, _link)
        for objection in check(new, ground)
    )


def _choice(new: NewDecision, ground: Ground) -> Iterator[Objection]:
    if new.choice not in CHOICES:
        message = text("Choose one of: {allowed}.", allowed=tuple(CHOICE_WORDS.values()))
        yield Objection("choice", message, allowed=CHOICES)


def _step(new: NewDecision, ground: Ground) -> Iterator[Objection]:
    if new.step is None:
        return
    allowed = tuple(step.id for step in ground.open_points)
    if new.step not in {step.id for step in ground.points}:
        message = text("{step} is no decision point of the plan.", step=new.step)
        yield Objection("step", message, allowed=allowed)
        return
    ended = ground.log.ended.get(new.step)
    corrected = ground.log.entry(new.corrects)
    if ended is None or (corrected is not None and corrected.step == new.step):
        return
    newest = ground.log.newest_of(ended)
    message = text(
        "{step} was decided by entry {number}. To change it, correct that entry.",
        step=new.step,
        number=newest.number,
    )
    yield Objection("step", message, contradicts=True, allowed=allowed)


def _cut(new: NewDecision, ground: Ground) -> Iterator[Objection]:
    optional = tuple(step.id for step in ground.optional_steps)
    if new.choice != CUT:
        if new.cut:
            yield Objection("cut", text("Only the choice “cut” names steps to cut."))
        return
    if not new.cut:
        yield Objection("cut", text("Which steps are cut? Name at least one."), allowed=optional)
    by_id = {step.id: step for step in ground.steps}
    for name in new.cut:
        step = by_id.get(name)
        if step is None:
            message = text("{step} is no step of the plan.", step=name)
            yield Objection("cut", message, allowed=optional)
            continue
        why = _why_kept(step, new, ground)
        if why is not None:
            yield Objection("cut", why, contradicts=True, allowed=optional)


def _why_kept(step: Step, new: NewDecision, ground: Ground) -> Text | None:
    """Why a step cannot be cut."""
    if step.kind is StepKind.DECISION_POINT:
        return text("{step} is a decision point: decide it instead.", step=step.id)
    if step.klass is ESSENTIAL:
        return text(
            "{step} is essential: only useful and exploratory steps can be cut.", step=step.id
        )
    if step.id in ground.done:
        return text("{step} is done already: there is nothing left to cut.", step=step.id)
    before = ground.log.cut.get(step.id)
    if before is not None and before.number != new.corrects:
        return text("{step} was cut by entry {number}.", step=step.id, number=before.number)
    gone = {*ground.log.cut, *new.cut}
    for other in ground.steps:
        if step.id in other.after and other.id not in gone and other.id not in ground.done:
            return text(
                "{other} needs the result of {step}: cut {other} too, or keep {step}.",
                other=other.id,
                step=step.id,
            )
    return None


def _version(new: NewDecision, ground: Ground) -> Iterator[Objection]:
    if new.version is None:
        return
    allowed = tuple(str(version) for version in range(2, ground.version + 1))
    if new.choice != REVISE:
        yield Objection("version", text("Only the choice “revise” names a version of the plan."))
    elif str(new.version) not in allowed:
        message = text("There is no revised version {version} of the plan.", version=new.version)
        yield Objection("version", message, allowed=allowed)


def _corrects(new: NewDecision, ground: Ground) -> Iterator[Objection]:
    if new.corrects is None:
        return
    entry = ground.log.entry(new.corrects)
    if entry is None:
        message = text("There is no entry {number} in this log.", number=new.corrects)
        yield Objection("corrects", message)
        return
    if not entry.stands:
        newest = ground.log.newest_of(entry)
        message = text(
            "Entry {number} was corrected by entry {newest}: correct that one.",
            number=entry.number,
            newest=newest.number,
        )
        yield Objection("corrects", message, contradicts=True, allowed=(str(newest.number),))
    elif new.step != entry.step:
        message = text("A correction stays with the decision point of the entry that it corrects.")
        yield Objection("step", message, contradicts=True)


def _reason(new: NewDecision, ground: Ground) -> Iterator[Objection]:
    if not new.reason:
        yield Objection("reason", text("Why? A decision without its reason helps nobody later."))
    elif len(new.reason) > LONGEST:
        message = text("At most {n} characters are kept.", n=LONGEST)
        yield Objection("reason", message)
    elif any(unicodedata.category(sign) in ("Cc", "Cs") and sign != "\n" for sign in new.reason):
        yield Objection("reason", text("Control characters are not taken; remove them."))


def _link(new: NewDecision, ground: Ground) -> Iterator[Objection]:
    if new.link is None:
        return
    message = text("A link begins with https:// or http:// and holds no spaces.")
    if len(new.link) > LONGEST_LINK:
        yield Objection("link", text("At most {n} characters are kept.", n=LONGEST_LINK))
        return
    if not new.link.isprintable() or " " in new.link:
        yield Objection("link", message)
        return
    try:
        parts = urlsplit(new.link)
    except ValueError:
        yield Objection("link", message)
        return
    if parts.scheme not in ("http", "https") or not parts.netloc:
        yield Objection("link", message)
