"""Every plan that is saved is placed and judged first: a schedule of ours that breaks a rule is a
fault of ours, to be found at once, and never a reason to lose what a person typed."""

from __future__ import annotations

import logging

from sqlmodel import Session

from app.plan.queries import placed_as_stored
from app.plan.rules.model import Plan
from app.plan.rules.validator import violations

log = logging.getLogger("punktum.plan")


def judge(session: Session, plan: Plan) -> None:
    """Place a plan that is about to be saved and let the validator judge the schedule.

    Done before the writer, since placing takes time; the page that shows the plan finds it placed.
    What is wrong goes to the log as an error with the campaign's id, and nothing is refused.
    """
    try:
        lots, schedule = placed_as_stored(session, plan)
        found = violations(
            plan.steps,
            lots.windows,
            plan.people,
            schedule,
            elsewhere=plan.variants_elsewhere,
        )
    except Exception:
        log.exception("%s: the plan cannot be placed", plan.id, extra={"campaign": plan.id})
        return
    for one in found:
        said = str(one.text)
        log.error("%s: our schedule breaks a rule: %s", plan.id, said, extra={"campaign": plan.id})
