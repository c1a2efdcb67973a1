"""Going on under the next free run id where the proposed one belongs to another run.

A fresh box cannot know which ids are taken: it proposes ``control-01``, and the server's answer
names the id that is free. Only an id that was proposed here is given up, never one that a person
named. The spool keeps the lines as they were written; beside them lies the ``named`` mark, written
before the new id is tried. So whoever sends the attempt later tries that id first, and nothing is
recorded twice, even if this process died before it heard the answer. Where the id belongs to
another configuration, the new run says which one it followed: its ``parent``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from punktum import reading
from punktum.events import RUN_ID, Identity
from punktum.marks import mark_named, marked_named, marked_proposed
from punktum.naming import name_of_the_same

MOST_IDS: Final = 20
"""After so many taken ids in a row the refusal stands; a replay goes on from there."""


class Renaming:
    """The ids that one attempt has tried, and the next one to try."""

    def __init__(self, folder: Path, identity: Identity) -> None:
        self._folder = folder
        self._identity = identity
        self._tried: list[str] = []

    @property
    def happened(self) -> bool:
        """Whether an id was given up."""
        return bool(self._tried)

    def after(
        self, refused: str, status: int, problem: Mapping[str, object]
    ) -> dict[str, str] | None:
        """The names under which the start is sent again; None: the refusal of this one stands."""
        is_taken = status == 409 and _type_of(problem) == "new-id-needed"
        proposed = marked_proposed(self._folder, self._identity) is not None
        if not is_taken or not proposed or len(self._tried) >= MOST_IDS:
            return None
        self._tried.append(refused)
        named = marked_named(self._folder, self._identity)
        for candidate in (
            named.get("run"),  # a replay beside this process may have gone ahead
            name_of_the_same(self._folder, self._identity),
            reading.text(problem.get("next_id")),
        ):
            if candidate and candidate not in self._tried and RUN_ID.match(candidate):
                names = {**named, **parent_by(problem), "run": candidate}
                return names if mark_named(self._folder, self._identity, names) else None
        return None


def parent_by(problem: Mapping[str, object]) -> dict[str, str]:
    """Whose configuration the new run follows; nothing where it is the same one once more."""
    parent = reading.text(problem.get("parent"))
    return {"parent": parent} if parent and problem.get("changed") else {}


def under_names(event: dict[str, object], names: Mapping[str, str]) -> dict[str, object]:
    """The event under other names; it says no step where it said none. Only a start has a parent,
    and one that says whom it follows keeps it."""
    said = {name: said for name, said in names.items() if name in ("run", "step") and name in event}
    if event.get("kind") == "start" and "parent" in names:
        event = {"parent": names["parent"], **event}
    return {**event, **said}


def _type_of(problem: Mapping[str, object]) -> str:
    return (reading.text(problem.get("type")) or "").rsplit("/", 1)[-1]
