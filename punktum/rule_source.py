"""Where the sealed rules come from: the start's answer, a wrapper's mark, else the kept sheet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from punktum.answers import Answer, read_names, readable_rules
from punktum.events import Identity
from punktum.marks import marked_rules
from punktum.sheet import kept_sheet
from punktum.stop_rules import KINDS, StopRule, rules_for

Use = Callable[[tuple[StopRule, ...], Mapping[str, str]], None]


class RuleSource:
    """Hands the rules of one step on; the server's word for this attempt is the last.

    ``kinds`` are those that are judged here, where a process beside this one judges the others.
    """

    def __init__(self, step: str, use: Use, kinds: Collection[str] = KINDS) -> None:
        self._step = step
        self._use = use
        self._kinds = kinds
        self._told = False

    def look_at_sheet(self, folder: Path) -> None:
        """Take the rules of the sheet kept beside the spool, if there is one."""
        sheet = kept_sheet(folder)
        if sheet is not None:
            self._hand_on(sheet.rules, sheet.metric_names)

    def hear(self, answer: Answer) -> None:
        """A start's answer brings the sealed rules."""
        if answer.rules is not None:
            self._told = True
            self._hand_on(answer.rules, answer.metric_names or {})

    def look_for_mark(self, folder: Path, identity: Identity) -> None:
        """Take the rules a wrapper left, once they are there."""
        found = None if self._told else marked_rules(folder, identity)
        if found is not None:
            self._told = True
            names = read_names(found.get("metric_names"))
            self._hand_on(readable_rules(found.get("rules")), names)

    def _hand_on(self, rules: tuple[StopRule, ...], names: Mapping[str, str]) -> None:
        ours = (rule for rule in rules if rule.kind in self._kinds)
        self._use(rules_for(ours, self._step), names)
