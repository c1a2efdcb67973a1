"""What the server knows when an event comes: stop rules and steps by the plan, and the windows."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.db import WriteSession
from app.journal import Head
from app.plan.queries import current, sealed
from app.plan.rules.model import StepKind
from app.runs.queries import Window, windows_of
from app.runs.rules.naming import nearest
from app.runs.rules.planned import stop_rules
from app.runs.rules.records import json_text, rules_text
from app.texts import Text, text

_OF_PEOPLE: Final = frozenset({StepKind.HUMAN, StepKind.DECISION_POINT})


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The part of a plan that an attempt is judged by: `version` 0 is a draft, or none."""

    version: int
    rules: str
    names: str
    steps: tuple[str, ...]
    has_plan: bool
    by_people: frozenset[str] = frozenset()

    @property
    def as_context(self) -> str:
        """What is kept with the event, so that its run can be folded again."""
        parts = {"names": json.loads(self.names), "rules": json.loads(self.rules)}
        return json_text({**parts, "version": self.version})

    def warning(self, step: str | None) -> Text | None:
        """What to say of a step that the plan does not have, or that no job works on."""
        if step in self.by_people:
            return text(
                "step “{step}” is a person's work; kept as a run of it all the same", step=step
            )
        if step is None or not self.has_plan or step in self.steps:
            return None
        meant = nearest(step, self.steps)
        if meant is None:
            return text("step “{step}” is not in the plan; kept as unplanned work", step=step)
        return text(
            "step “{step}” is not in the plan; did you mean “{meant}”? Kept as unplanned work",
            step=step,
            meant=meant,
        )


def unknown_rule(rule: str) -> Text:
    """What to say of a stop rule that the plan does not have for a step."""
    return text("there is no stop rule “{rule}” for this step; kept as a warning", rule=rule)


def only_warns(rule: str) -> Text:
    """What to say where a job ends by a stop rule that stops nothing."""
    return text("rule “{rule}” only warns: kept as the job's own decision", rule=rule)


def knowledge(
    tx: WriteSession, campaign_id: str, usable_until: datetime | None = None
) -> Knowledge:
    """What the plan that holds now says to jobs; `usable_until` is the end of their lot."""
    view = current(tx.orm, campaign_id)
    if view is None:
        return Knowledge(0, "[]", "{}", (), False)
    names = json_text(dict(view.plan.decision_rule.metrics))
    steps = tuple(step.id for step in view.plan.steps)
    by_people = frozenset(step.id for step in view.plan.steps if step.kind in _OF_PEOPLE)
    rules = rules_text(stop_rules(view.plan, usable_until))
    return Knowledge(view.version, rules, names, steps, True, by_people)


_BASIS = """
SELECT (SELECT sha256 FROM journal WHERE campaign_id = :campaign AND number =
         (SELECT max(number) FROM orders WHERE campaign_id = :campaign)),
       (SELECT sha256 FROM plan_versions WHERE campaign_id = :campaign
        ORDER BY version DESC LIMIT 1)
"""


@dataclass(frozen=True, slots=True)
class _Noted:
    """Windows, the hashes of the order and the seal they follow from, and the head they hold at."""

    head: str
    basis: tuple[object, ...]
    windows: tuple[Window, ...]


class WindowBook:
    """The windows of campaigns lately asked for: they change with an entry of the journal or not
    at all, and then only with an order or a seal."""

    def __init__(self) -> None:
        self._noted: dict[str, _Noted] = {}

    def usable_until(
        self, tx: WriteSession, campaign_id: str, head: Head | None, lot: str | None, now: datetime
    ) -> datetime | None:
        """The end of the lot that holds now: the attempt's own, else the one that ends first."""
        if head is None:
            return None
        holding = [
            one
            for one in self._windows(tx, campaign_id, head)
            if one.starts_at <= now < one.usable_until
        ]
        own = [one for one in holding if one.lot == lot]
        return min((one.usable_until for one in own or holding), default=None)

    def _windows(self, tx: WriteSession, campaign_id: str, head: Head) -> tuple[Window, ...]:
        known = self._noted
        noted = known.get(campaign_id)
        if noted is not None and noted.head == head.sha256:
            return noted.windows
        basis = tuple(tx.row(_BASIS, {"campaign": campaign_id}))
        if noted is None or noted.basis != basis:
            plan = sealed(tx.orm, campaign_id)
            noted = _Noted(head.sha256, basis, windows_of(tx.orm, campaign_id, plan))
        if len(known) >= 256:
            known.clear()
        known[campaign_id] = replace(noted, head=head.sha256)
        return noted.windows


book = WindowBook()


@functools.lru_cache(maxsize=256)
def parsed(context: str) -> tuple[int, str, str]:
    """Version, rules and names from what `as_context` wrote, as they are stored."""
    said = json.loads(context)
    return int(said["version"]), json_text(said["rules"]), json_text(said["names"])
