"""The decision log: entries that are never edited, and what stands after corrections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.texts import Text, text

CONTINUE, CUT, REVISE, STOP = "continue", "cut", "revise", "stop"
CHOICES = (CONTINUE, CUT, REVISE, STOP)
CHOICE_WORDS: Mapping[str, Text] = {
    CONTINUE: text("Continue"),
    CUT: text("Cut"),
    REVISE: text("Revise"),
    STOP: text("Go to the close"),
}


@dataclass(frozen=True, slots=True)
class DecisionEntry:
    """One decision as it was written down.

    `number` is that of its journal entry. `step` is the decision point that it ends, `cut` the
    steps it gives up, `version` the sealed plan it refers to, `corrects` the entry that it
    replaces; `corrected_by` the one that replaces it.
    """

    number: int
    at: datetime
    actor_kind: str
    actor_name: str
    choice: str
    reason: str
    step: str | None = None
    cut: tuple[str, ...] = ()
    version: int | None = None
    link: str | None = None
    corrects: int | None = None
    corrected_by: int | None = None

    @property
    def stands(self) -> bool:
        """Whether no later entry replaces this one."""
        return self.corrected_by is None


@dataclass(frozen=True, slots=True)
class Decisions:
    """The whole log of a campaign, newest first, and what follows from it.

    `ended`: decision point → the first entry that names it, whose time ends the step.
    `cut`: step → the standing entry that gives it up. `stopped`: the standing decision to stop.
    """

    entries: tuple[DecisionEntry, ...] = ()
    ended: Mapping[str, DecisionEntry] = field(default_factory=dict)
    cut: Mapping[str, DecisionEntry] = field(default_factory=dict)
    stopped: DecisionEntry | None = None

    def entry(self, number: int | None) -> DecisionEntry | None:
        """An entry by its number."""
        return next((entry for entry in self.entries if entry.number == number), None)

    def newest_of(self, entry: DecisionEntry) -> DecisionEntry:
        """The last correction of an entry, or itself."""
        while entry.corrected_by is not None:
            later = self.entry(entry.corrected_by)
            if later is None:
                break
            entry = later
        return entry


def read_log(written: Iterable[DecisionEntry]) -> Decisions:
    """What stands after all entries, given in any order and without `corrected_by`."""
    in_order = sorted(written, key=lambda entry: entry.number)
    corrected = {entry.corrects: entry.number for entry in in_order if entry.corrects is not None}
    entries = [replace(entry, corrected_by=corrected.get(entry.number)) for entry in in_order]
    ended: dict[str, DecisionEntry] = {}
    cut: dict[str, DecisionEntry] = {}
    stopped = None
    for entry in entries:
        if entry.step is not None:
            ended.setdefault(entry.step, entry)
        if not entry.stands:
            continue
        if entry.choice == CUT:
            cut.update({step: entry for step in entry.cut if step not in cut})
        if entry.choice == STOP:
            stopped = entry
    return Decisions(tuple(reversed(entries)), ended, cut, stopped)
