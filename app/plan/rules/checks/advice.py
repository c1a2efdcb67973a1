"""Warnings: what a plan leaves out without being malformed, kept with its seal."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.rules.belongings import comes_after
from app.plan.rules.conditions import NeededIf, parse_needed_if
from app.plan.rules.model import (
    Check,
    CheckKind,
    Deliverable,
    DeliverableKind,
    Parts,
    Plan,
    Role,
    Step,
    StepClass,
    StepKind,
)
from app.plan.rules.typed.labels import ROLES
from app.texts import Text, text


def warnings(plan: Plan) -> tuple[Text, ...]:
    """Everything that usually belongs to a plan and is not in this one, in a fixed order."""
    return (*missing(plan), *further(plan))


def missing(plan: Plan) -> tuple[Text, ...]:
    """What the list of `belongings` shows as well, each as a sentence of its own."""
    return (*_roles(plan), *_pilot(plan), *_rules(plan), *_checks(plan))


def further(plan: Plan) -> tuple[Text, ...]:
    """Everything else that is worth a look before the seal."""
    return (
        *_lots(plan),
        *_deliverables(plan),
        *(warning for step in plan.steps for warning in _step(plan, step)),
        *_corpora(plan),
    )


def _roles(plan: Plan) -> Iterator[Text]:
    """The control, the data check and a restore check usually belong to the essential part."""
    missing = {
        Role.CONTROL: text("No step is the control that results are compared with."),
        Role.DATA_CHECK: text("No step checks the data before the runs."),
        Role.RESTORE_CHECK: text("No step tries an early save and loads it in a new process."),
    }
    for role, warning in missing.items():
        steps = [step for step in plan.steps if step.role is role]
        if not steps:
            yield warning
        elif all(step.klass is not StepClass.ESSENTIAL for step in steps):
            yield text("“{step}” ({role}) is not essential.", step=steps[0].id, role=ROLES[role])
    if not any(step.role is Role.RETRIEVAL for step in plan.steps):
        yield text("No step retrieves the outputs before the window ends.")


def _pilot(plan: Plan) -> Iterator[Text]:
    pilots = [step.id for step in plan.steps if step.role is Role.PILOT]
    if not pilots:
        yield text("No pilot is planned.")
        return
    deciding = [step for step in plan.steps if step.kind is StepKind.DECISION_POINT]
    if not any(comes_after(plan.steps, step, pilots) for step in deciding):
        yield text("No decision point comes after the pilot.")


def _rules(plan: Plan) -> Iterator[Text]:
    if not plan.stop_rules:
        yield text("No stop rule is written down.")


def _checks(plan: Plan) -> Iterator[Text]:
    if not plan.deliverables:
        yield text("No deliverable is announced, so nothing can be accepted.")
    for item in plan.deliverables:
        if not item.checks:
            yield text("The deliverable “{deliverable}” announces no check.", deliverable=item.id)


def _lots(plan: Plan) -> Iterator[Text]:
    if not plan.lots:
        yield text("No lot is planned, so nothing says whether the plan fits.")


def _deliverables(plan: Plan) -> Iterator[Text]:
    counts = plan.research_decision or any(item.unit for item in plan.deliverables)
    if plan.deliverables and not counts:
        yield text("No deliverable counts as a unit, so there will be no cost per unit.")
    for item in plan.deliverables:
        yield from _deliverable(plan, item)


def _deliverable(plan: Plan, item: Deliverable) -> Iterator[Text]:
    kinds = {check.kind for check in item.checks}
    if item.kind is DeliverableKind.ADAPTER and CheckKind.BASE_REVISION not in kinds:
        yield text(
            "The adapter “{deliverable}” has no check of its base model's revision.",
            deliverable=item.id,
        )
    for check in item.checks:
        if check.kind is CheckKind.EXPECTED_IDS and not _ids_known(plan, check):
            yield text(
                "Nothing says which ids “{corpus}” holds; “{deliverable}” cannot be checked for "
                "them.",
                corpus=check.corpus,
                deliverable=item.id,
            )


def _ids_known(plan: Plan, check: Check) -> bool:
    corpus = next((one for one in plan.corpora if one.id == check.corpus), None)
    return check.ids is not None or (
        corpus is not None and (corpus.ids is not None or corpus.ids_file is not None)
    )


def _step(plan: Plan, step: Step) -> Iterator[Text]:
    if step.role is Role.VARIANT and step.isolates is None and step.changes_choice_if is None:
        yield text(
            "“{step}” states neither what it isolates nor which result would change the choice.",
            step=step.id,
        )
    if step.include and step.klass is not StepClass.EXPLORATORY:
        yield text(
            "“{step}” is marked to be planned although it is exploratory, but it is not "
            "exploratory.",
            step=step.id,
        )
    by_id = {other.id: other for other in plan.steps}
    for name in step.after:
        needed = by_id.get(name)
        if needed is not None and needed.klass is StepClass.EXPLORATORY and not needed.include:
            yield text(
                "“{step}” is after “{needed}”, which is exploratory and not included.",
                step=step.id,
                needed=name,
            )
    yield from _no_verdict(plan, step)
    yield from _forgotten(step)


def _no_verdict(plan: Plan, step: Step) -> Iterator[Text]:
    """Conditions on steps that the decision rule never judges."""
    parsed = parse_needed_if(step.needed_if) if step.needed_if else None
    if not isinstance(parsed, NeededIf):
        return
    judged = {other.id for other in plan.steps if other.role is Role.VARIANT}
    for verdict in parsed.verdicts:
        if verdict.step not in judged:
            yield text(
                "“{step}” waits for the verdict on “{other}”, but only variants get one.",
                step=step.id,
                other=verdict.step,
            )


def _forgotten(step: Step) -> Iterator[Text]:
    forgotten = forgotten_parts(step)
    if forgotten:
        yield text(
            "The estimate of “{step}” has no part for: {parts}.",
            step=step.id,
            parts=forgotten,
        )


def forgotten_parts(step: Step) -> tuple[Text, ...]:
    """What one warm training step, extrapolated, forgets and a machine step's estimate has no
    part for; `"0m"` says that it was thought of."""
    if step.kind is not StepKind.MACHINE or (step.parts is None and step.p50_s is None):
        return ()
    parts = step.parts if step.parts is not None else Parts()
    return tuple(
        name
        for name, stated in (
            (text("loading"), parts.load_s is not None),
            (text("long inputs"), parts.long_inputs_s is not None),
            (text("validation"), parts.validate_s is not None),
            (text("output files"), parts.write_s is not None or parts.transfer_s is not None),
        )
        if not stated
    )


def _corpora(plan: Plan) -> Iterator[Text]:
    for corpus in plan.corpora:
        if corpus.sha256 is None:
            yield text(
                "The corpus “{corpus}” has no SHA-256; nothing proves that results share it.",
                corpus=corpus.id,
            )
