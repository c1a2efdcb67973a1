"""When each stop rule was written down: before the first outcome, or after something was known.

A rule that is changed is a new rule from then on: what counts is the first version from which on
it has stood as it stands now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.plan.rules.model import Plan
from app.plan.rules.sealing import NOTHING_RUN, RESULTS_SEEN, Knowledge
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class Registered:
    """A stop rule of the newest version, the version it stands in since, what was known then."""

    rule: str
    version: int
    knowledge: Knowledge

    @property
    def is_late(self) -> bool:
        """Whether anything had run when the rule was written down."""
        return self.knowledge.level != NOTHING_RUN

    @property
    def said(self) -> Text | None:
        """The label of a late rule; None for one that stood before the first run."""
        if not self.is_late:
            return None
        if self.knowledge.level == RESULTS_SEEN:
            return text(
                "added in version {version}, after the first outcome ({ended} ended)",
                version=self.version,
                ended=self.knowledge.ended,
            )
        return text("added in version {version}, after runs had started", version=self.version)


def registered(versions: Sequence[tuple[int, Plan, Knowledge]]) -> tuple[Registered, ...]:
    """Every stop rule of the newest version; `versions` are all sealed ones, the oldest first."""
    if not versions:
        return ()
    found = []
    for rule in versions[-1][1].stop_rules:
        since = versions[-1]
        for one in reversed(versions):
            if rule not in one[1].stop_rules:
                break
            since = one
        found.append(Registered(rule.id, since[0], since[2]))
    return tuple(found)
