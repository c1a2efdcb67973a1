"""Names: the next free id of a run, and the known name that was most likely meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable

_NUMBERED = re.compile(r"(.*?)(\d{1,12})\Z", re.S)


def next_id(run: str, taken: Collection[str] = ()) -> str:
    """The next free id after one: `a-01` → `a-02`, `a-9` → `a-10`, `trial` → `trial-02`."""
    following = _following(run)
    while following in taken:
        following = _following(following)
    return following


def first_id(step: str) -> str:
    """The id of a step's first run, as a client proposes it: `control-01`."""
    cleaned = re.sub(r"[^A-Za-z0-9._-]+", "-", step).strip("-._")
    return f"{cleaned[:58] or 'run'}-01"


def free_id(run: str, taken: Collection[str]) -> str:
    """The id itself where it is free, else the next free one after it."""
    return next_id(run, taken) if run in taken else run


def stem(run: str) -> str:
    """What the ids that follow a run have in common: the id without its trailing number."""
    match = _NUMBERED.match(run)
    return match[1] if match else run


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is nearly this one."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def _following(run: str) -> str:
    match = _NUMBERED.match(run)
    if match is None:
        return f"{run[:61]}-02"
    number = str(int(match[2]) + 1).zfill(len(match[2]))
    return f"{match[1][: 64 - len(number)]}{number}"
