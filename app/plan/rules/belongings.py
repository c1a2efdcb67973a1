"""What usually belongs to the essential part of a plan, and whether it is there.

Nothing here stands in the way of a seal: the list is read before it, and the person decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from app.plan.rules.model import Plan, Role, Step, StepClass, StepKind
from app.texts import Text, ntext, text


@dataclass(frozen=True, slots=True)
class Belonging:
    """One thing that usually belongs to a plan. `why` says what is missing, None if nothing is."""

    name: Text
    why: Text | None = None

    @property
    def is_there(self) -> bool:
        """Whether the plan has it."""
        return self.why is None


def belongings(plan: Plan) -> tuple[Belonging, ...]:
    """Control, data check, restore check, pilot with its decision point, stop rules, retrieval,
    and the checks of each deliverable, in this order."""
    return tuple(_belongings(plan))


def _belongings(plan: Plan) -> Iterator[Belonging]:
    yield _role(plan, Role.CONTROL, text("A control to compare with"))
    yield _role(plan, Role.DATA_CHECK, text("A check of the data"))
    yield _role(plan, Role.RESTORE_CHECK, text("A restore check"))
    yield _pilot(plan)
    n = len(plan.stop_rules)
    rules = ntext("{n} stop rule", "{n} stop rules", n) if n else text("Stop rules")
    yield Belonging(rules, None if n else text("none is written down"))
    yield _role(plan, Role.RETRIEVAL, text("Retrieval of the outputs"))
    if not plan.deliverables:
        yield Belonging(text("Deliverables"), text("none is announced"))
    for one in plan.deliverables:
        name = text("Checks of “{title}”", title=one.title)
        yield Belonging(name, None if one.checks else text("none is announced"))


def _role(plan: Plan, role: Role, name: Text) -> Belonging:
    steps = [step for step in plan.steps if step.role is role]
    if not steps:
        return Belonging(name, text("no step has this part"))
    if not any(_is_essential(step) for step in steps):
        return Belonging(name, text("“{step}” is not essential", step=steps[0].title))
    return Belonging(name)


def _pilot(plan: Plan) -> Belonging:
    name = text("A pilot with a decision point after it")
    pilots = [step for step in plan.steps if step.role is Role.PILOT]
    if not pilots:
        return Belonging(name, text("no step has this part"))
    deciding = [step for step in plan.steps if step.kind is StepKind.DECISION_POINT]
    ids = {pilot.id for pilot in pilots}
    if not any(comes_after(plan.steps, point, ids) for point in deciding):
        return Belonging(name, text("no decision point comes after the pilot"))
    return Belonging(name)


def comes_after(steps: Sequence[Step], step: Step, earlier: Collection[str]) -> bool:
    """Whether a step waits for one of some others, directly or through steps between."""
    by_id = {other.id: other for other in steps}
    ahead, seen = [step.id], {step.id}
    while ahead:
        at = by_id.get(ahead.pop())
        for name in (*at.after, *at.follows) if at is not None else ():
            if name in earlier:
                return True
            if name not in seen:
                seen.add(name)
                ahead.append(name)
    return False


def _is_essential(step: Step) -> bool:
    return step.klass is StepClass.ESSENTIAL
