"""What the page of decisions shows, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from app.decisions.queries import Desk
from app.decisions.rules.evaluation import Evaluation
from app.decisions.rules.lines import Line
from app.decisions.rules.log import (
    CHOICE_WORDS,
    CHOICES,
    CONTINUE,
    CUT,
    REVISE,
    STOP,
    DecisionEntry,
)
from app.decisions.rules.pilot import PilotFact, Point
from app.plan.rules.model import DecisionRule, Step
from app.texts import Text, text
from app.units import Duration
from app.web import Form

_HINTS: Mapping[str, Text] = {
    CONTINUE: text("The plan goes on as it is."),
    CUT: text("Optional steps are given up; the essential part stays."),
    REVISE: text("The question or the plan changes; a new version is sealed with its reason."),
    STOP: text("The campaign goes to its close with what is known."),
}
VERDICT_WORDS: Mapping[str, tuple[Text, str]] = {
    "passes": (text("passes"), "done"),
    "does_not_pass": (text("does not pass"), "fail"),
    "no_evidence": (text("no evidence"), "calm"),
    "control": (text("control"), "calm"),
}
OUTCOME_WORDS: Mapping[str, Text] = {
    "positive": text("positive"),
    "negative": text("negative"),
    "inconclusive": text("inconclusive"),
}


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A row of the decision table in words."""

    title: str
    runs: tuple[tuple[str, str, Decimal], ...]  # run, address, value
    mean: Fraction | None
    n: int
    difference: Text | None
    needed: Fraction | None
    verdict: Text
    tone: str
    reason: Text | None
    notes: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """The decision rule, its table, and the outcome that it proposes."""

    sentence: Text
    yes: str
    no: str
    has_differences: bool
    lines: tuple[RuleLine, ...]
    proposed: Text | None
    why: Text


@dataclass(frozen=True, slots=True)
class FactLine:
    """A step before a decision point: what was reserved and what it took."""

    title: str
    reserved_s: int
    observed_s: int | None
    ratio: Text | None
    status: str
    run: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class PointCard:
    """An open decision point with what it can be decided on."""

    id: str
    title: str
    standing: str | None
    facts: tuple[FactLine, ...]
    ahead: Text | None


@dataclass(frozen=True, slots=True)
class EntryLine:
    """An entry of the log in words."""

    number: int
    at: datetime
    by: str
    choice: Text
    stands: bool
    point: str | None
    cut: str | None
    version: int | None
    reason: str
    link: str | None
    corrects: int | None
    corrected_by: int | None
    correct_href: str | None


@dataclass(frozen=True, slots=True)
class Tick:
    """A step that may be cut, ticked or not."""

    id: str
    title: str
    checked: bool


@dataclass(frozen=True, slots=True)
class Entering:
    """The form; None in `corrects` writes a new entry."""

    action: str
    form: Form
    points: tuple[tuple[str, Text], ...]
    choices: tuple[tuple[str, Text, Text], ...]
    cuts: tuple[Tick, ...]
    versions: tuple[tuple[str, Text], ...]
    corrects: DecisionEntry | None
    point_title: str | None
    errors: tuple[tuple[str, Text], ...]


@dataclass(frozen=True, slots=True)
class Index:
    """The whole page."""

    rule: Rule | None
    points: tuple[PointCard, ...]
    entering: Entering | None
    entries: tuple[EntryLine, ...]


def index(
    campaign_id: str, desk: Desk, form: Form, *, closed: bool, corrects: DecisionEntry | None
) -> Index:
    """The page of a campaign's decisions; the form is left out after the close."""
    base = f"/campaigns/{campaign_id}"
    plan = desk.plan.plan
    titles = {step.id: step.title for step in plan.steps}
    return Index(
        rule=_rule(base, plan.decision_rule, desk.evaluation),
        points=tuple(_point(base, point, closed) for point in desk.points),
        entering=None if closed else _entering(base, desk, titles, form, corrects),
        entries=tuple(_entry(base, entry, titles, closed) for entry in desk.ground.log.entries),
    )


def _rule(base: str, rule: DecisionRule, said: Evaluation) -> Rule:
    lines = (said.control, *said.variants) if said.control is not None else said.variants
    shown = OUTCOME_WORDS[said.proposed] if said.proposed is not None else None
    return Rule(
        sentence=rule_sentence(said),
        yes=rule.yes,
        no=rule.no,
        has_differences=any(line.difference is not None for line in said.variants),
        lines=tuple(_rule_line(base, line) for line in lines),
        proposed=shown,
        why=said.why,
    )


def rule_sentence(said: Evaluation) -> Text:
    """What a variant must reach, in one sentence."""
    values = {"metric": said.metric, "threshold": said.threshold, "gain": said.gain}
    if said.threshold is not None and said.better == "higher":
        return text("A variant passes with {metric} of at least {threshold}.", **values)
    if said.threshold is not None:
        return text("A variant passes with {metric} of at most {threshold}.", **values)
    if said.better == "higher":
        return text("A variant passes with {metric} at least {gain} above the control.", **values)
    return text("A variant passes with {metric} at least {gain} below the control.", **values)


def _rule_line(base: str, line: Line) -> RuleLine:
    word, tone = VERDICT_WORDS[line.verdict]
    return RuleLine(
        title=line.title,
        runs=tuple((one.run, f"{base}/runs/{one.run}", one.value) for one in line.values),
        mean=line.mean,
        n=line.n,
        difference=_signed(line.difference),
        needed=line.needed,
        verdict=word,
        tone=tone,
        reason=line.reason,
        notes=line.notes,
    )


def _signed(difference: Fraction | None) -> Text | None:
    if difference is None:
        return None
    if difference == 0:
        return text("±{n}", n=0)
    return text("+{n}", n=difference) if difference > 0 else text("−{n}", n=-difference)


def _point(base: str, point: Point, closed: bool) -> PointCard:
    ahead = None
    if point.remaining_at_ratio_s is not None and point.remaining_s and not closed:
        ahead = text(
            "At this ratio the {reserved} of machine steps still ahead take {stretched}.",
            reserved=Duration(point.remaining_s),
            stretched=Duration(point.remaining_at_ratio_s),
        )
    facts = tuple(_fact(base, fact) for fact in point.facts)
    return PointCard(point.step, point.title, point.standing, facts, ahead)


def _fact(base: str, fact: PilotFact) -> FactLine:
    ratio = None
    if fact.ratio is not None:
        exact = Decimal(fact.ratio.numerator) / Decimal(fact.ratio.denominator)
        ratio = text("{n} ×", n=exact.quantize(Decimal("0.01"), ROUND_HALF_EVEN))
    return FactLine(
        title=fact.title,
        reserved_s=fact.reserved_s,
        observed_s=fact.observed_s,
        ratio=ratio,
        status=fact.status or "not_started",
        run=(fact.run, f"{base}/runs/{fact.run}") if fact.run is not None else None,
    )


def _entry(base: str, entry: DecisionEntry, titles: Mapping[str, str], closed: bool) -> EntryLine:
    cut = ", ".join(titles.get(step, step) for step in entry.cut)
    href = f"{base}/decisions?correct={entry.number}#record"
    return EntryLine(
        number=entry.number,
        at=entry.at,
        by=entry.actor_name,
        choice=CHOICE_WORDS[entry.choice],
        stands=entry.stands,
        point=titles.get(entry.step, entry.step) if entry.step is not None else None,
        cut=cut or None,
        version=entry.version,
        reason=entry.reason,
        link=entry.link,
        corrects=entry.corrects,
        corrected_by=entry.corrected_by,
        correct_href=href if entry.stands and not closed else None,
    )


def _entering(
    base: str, desk: Desk, titles: Mapping[str, str], form: Form, corrects: DecisionEntry | None
) -> Entering:
    ground = desk.ground
    open_points = [(step.id, text("{title}", title=step.title)) for step in ground.open_points]
    none = ("", text("None: a decision between the points"))
    point = corrects.step if corrects is not None else None
    offered = _cuttable(ground.optional_steps, ground.steps, corrects)
    versions = [(str(n), text("Version {n}", n=n)) for n in range(2, ground.version + 1)]
    return Entering(
        action=f"{base}/decisions",
        form=form,
        points=(*open_points, none),
        choices=tuple((choice, CHOICE_WORDS[choice], _HINTS[choice]) for choice in CHOICES),
        cuts=tuple(Tick(step.id, step.title, bool(form.get(f"cut.{step.id}"))) for step in offered),
        versions=(("", text("Not sealed yet")), *versions) if versions else (),
        corrects=corrects,
        point_title=titles.get(point, point) if point is not None else None,
        errors=tuple(form.errors.items()),
    )


def _cuttable(
    optional: Sequence[Step], steps: Sequence[Step], corrects: DecisionEntry | None
) -> list[Step]:
    """Optional steps, and those that the corrected entry had cut."""
    ids = {step.id for step in optional} | set(corrects.cut if corrects is not None else ())
    return [step for step in steps if step.id in ids]
