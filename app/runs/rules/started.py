"""What the starts of a run's attempts say of the run: its links, and the rules it is judged by."""

from __future__ import annotations

from collections.abc import Sequence

from app.runs.rules.attempts import step_of
from app.runs.rules.views import Kept
from punktum.links import is_address
from punktum.stop_rules import StopRule, rules_for


def links_of(kept: Sequence[Kept]) -> tuple[tuple[str, str], ...]:
    """Names with their addresses: of each name the newest attempt's word counts.

    What was kept before addresses were looked at, and no page may link to, is left out.
    """
    found: dict[str, str] = {}
    for one in sorted(kept, key=lambda one: one.number):
        found.update(one.start.get("links") or {})
    return tuple((name, said) for name, said in sorted(found.items()) if is_address(said))


def rules_of(kept: Sequence[Kept]) -> tuple[StopRule, ...]:
    """The stop rules as they hold for the run's step, each once: as the newest attempt has it."""
    found: dict[str, StopRule] = {}
    for one in sorted(kept, key=lambda one: one.number):
        found.update({rule.id: rule for rule in rules_for(one.rules, step_of(one.streams))})
    return tuple(found.values())
