"""What no proof of retrieval shows, in words."""

from __future__ import annotations

from dataclasses import dataclass

from app.deliverables.rules.retrieval import Pending, Whereabouts
from app.deliverables.rules.words import size_said
from app.texts import Text, ntext, text


@dataclass(frozen=True, slots=True)
class Left:
    """What is only on a rented machine and by when pulling it begins; what was never proven;
    checkpoints, which no proof covers."""

    there: Text | None
    size: Text
    begin: Text | None
    unproven: Text | None
    checkpoints: Text | None


def left_said(found: Pending) -> Left:
    """The counts of what is not proven, as sentences."""
    return Left(
        there_said(found),
        size_said(found.size_bytes),
        begin_said(found),
        unproven_said(found),
        checkpoints_said(found),
    )


def whereabouts_said(found: Whereabouts) -> Text:
    """Where the files are, in words."""
    match found:
        case Whereabouts.THERE:
            return text("Only on the rented machine")
        case Whereabouts.RETRIEVED:
            return text("Retrieved")
        case Whereabouts.UNPROVEN:
            return text("Retrieval not proven, window over")
        case Whereabouts.LOST:
            return text("Lost")
        case Whereabouts.ELSEWHERE:
            return text("Verified after the window; not on the rented machine")


def there_said(found: Pending) -> Text | None:
    """How much is only on the rented machine; None where nothing is."""
    n = len(found.there)
    if not n:
        return None
    return ntext(
        "{n} deliverable is only on the rented machine",
        "{n} deliverables are only on the rented machine",
        n,
    )


def begin_said(found: Pending) -> Text | None:
    """By when pulling must begin; None where nothing has to be pulled."""
    if not found.there:
        return None
    if found.begin_by is not None:
        return text("Begin retrieving by {at}", at=found.begin_by)
    if found.ends_at is not None:
        return text(
            "The window ends {at}. Neither a transfer rate nor a retrieval step says how long "
            "pulling takes.",
            at=found.ends_at,
        )
    return text("No window is known, so nothing says by when.")


def unproven_said(found: Pending) -> Text | None:
    """How much was not proven before its window ended; None where nothing is open."""
    n = len(found.unproven)
    if not n:
        return None
    return ntext(
        "{n} deliverable: retrieval not proven, window over",
        "{n} deliverables: retrieval not proven, window over",
        n,
    )


def checkpoints_said(found: Pending) -> Text | None:
    """The newest checkpoints that lie on a rented machine; None where there are none."""
    n, size = found.checkpoints, found.checkpoint_bytes
    if not n:
        return None
    return ntext(
        "The newest checkpoint of {n} run lies on the rented machine ({size}).",
        "The newest checkpoints of {n} runs lie on the rented machine ({size}).",
        n,
        size=text("size not stated") if size is None else size_said(size),
    )
