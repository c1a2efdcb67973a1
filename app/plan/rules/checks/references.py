"""Whether every name in a plan is the name of something in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from app.plan.rules.conditions import Mistake, parse_needed_if, parse_standing
from app.plan.rules.document import Path, Problem, unknown_name
from app.plan.rules.model import Plan, StepKind
from app.plan.rules.precedence import STAR
from app.texts import text


def reference_problems(plan: Plan) -> Iterator[Problem]:
    """Names of steps and corpora that nothing in the plan has."""
    ids = [step.id for step in plan.steps]
    for index, step in enumerate(plan.steps):
        path: Path = ("steps", index)
        yield from _unknown((*path, "after"), step.after, ids)
        yield from _unknown((*path, "follows"), step.follows, [*ids, STAR])
        if step.needed_if is not None:
            yield from _needed_if((*path, "needed_if"), step.needed_if, step.id, ids)
    yield from _decision_points(plan, ids)
    for index, rule in enumerate(plan.stop_rules):
        yield from _unknown(("stop_rules", index, "steps"), rule.steps, ids)
    corpora = [corpus.id for corpus in plan.corpora]
    for index, deliverable in enumerate(plan.deliverables):
        for at, check in enumerate(deliverable.checks):
            if check.corpus is not None and check.corpus not in corpora:
                here = ("deliverables", index, "checks", at, "corpus")
                yield Problem(here, unknown_name(check.corpus, corpora), check.corpus)


def _unknown(path: Path, names: Iterable[str], known: Collection[str]) -> Iterator[Problem]:
    for at, name in enumerate(names):
        if name not in known:
            yield Problem((*path, at), unknown_name(name, known), name)


def _needed_if(path: Path, condition: str, own: str, ids: list[str]) -> Iterator[Problem]:
    parsed = parse_needed_if(condition)
    if isinstance(parsed, Mistake):
        message = text(
            "{mistake} Write for example {example}.",
            mistake=parsed.message,
            example='"variant-a does not pass"',
        )
        yield Problem(path, message, condition)
        return
    for verdict in parsed.verdicts:
        if verdict.step not in ids:
            yield Problem(path, unknown_name(verdict.step, ids), condition)
        elif verdict.step == own:
            message = text("“{step}” cannot wait for its own verdict; name another.", step=own)
            yield Problem(path, message, condition)


def _decision_points(plan: Plan, ids: list[str]) -> Iterator[Problem]:
    kinds = {step.id: step.kind for step in plan.steps}
    deciding = [name for name, kind in kinds.items() if kind is StepKind.DECISION_POINT]
    for index, point in enumerate(plan.decision_points):
        path: Path = ("decision_points", index)
        if point.step not in kinds:
            yield Problem((*path, "step"), unknown_name(point.step, deciding), point.step)
        elif point.step not in deciding:
            message = text(
                "“{step}” is a step of kind {kind}; a decision point needs one of kind {wanted}.",
                step=point.step,
                kind=str(kinds[point.step]),
                wanted=str(StepKind.DECISION_POINT),
            )
            yield Problem((*path, "step"), message, point.step)
        if point.standing is not None:
            yield from _standing((*path, "standing"), point.standing, plan, ids)


def _standing(path: Path, condition: str, plan: Plan, ids: list[str]) -> Iterator[Problem]:
    parsed = parse_standing(condition)
    if isinstance(parsed, Mistake):
        message = text(
            "{mistake} Write for example {example}.",
            mistake=parsed.message,
            example='"continue if pilot <= 1.3 x estimate and no rule fired; else wait"',
        )
        yield Problem(path, message, condition)
        return
    roles = [step.role.replace("_", " ") for step in plan.steps if step.role is not None]
    for fact in parsed.facts:
        if fact.subject is not None and fact.subject not in (*ids, *roles):
            yield Problem(path, unknown_name(fact.subject, [*ids, *roles]), condition)
    if parsed.cut is not None and parsed.cut not in ids:
        yield Problem(path, unknown_name(parsed.cut, ids), condition)
