"""What is still open when a campaign is about to be closed. Open points do not forbid the close;
their number is printed on the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.closing.rules.deviations import Deviation
from app.texts import Text, ntext, text


@dataclass(frozen=True, slots=True)
class Point:
    """One item: what should be true, whether it is, and where it is mended.

    `is_red`: it cannot be mended by a word at the close, since something was never looked at.
    """

    said: Text
    is_open: bool
    room: str
    is_red: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """The counts that the checklist is made of."""

    deviations: Sequence[Deviation]
    silent_rules: tuple[str, ...]
    undecided: tuple[str, ...]
    unaccepted: tuple[str, ...]
    unpriced_lots: int
    unordered_lots: int
    going: tuple[str, ...]
    unretrieved: int
    silent: tuple[str, ...] = ()


def checklist(standing: Standing) -> tuple[Point, ...]:
    """Every item, open ones first."""
    unexplained = sum(one.unexplained for one in standing.deviations)
    names = ", ".join
    points = (
        _point(
            unexplained,
            text("Every deviation is explained"),
            ntext("{n} deviation unexplained", "{n} deviations unexplained", unexplained),
            "closing",
        ),
        _point(
            len(standing.going),
            text("No run is still going"),
            text("Still going: {names}", names=names(standing.going)),
            "runs",
        ),
        _point(
            len(standing.silent),
            text("The end of every run is told"),
            text("Silent, and nobody said how it ended: {names}", names=names(standing.silent)),
            "runs",
        ),
        _point(
            len(standing.undecided),
            text("Every decision point is decided"),
            text("Not decided: {names}", names=names(standing.undecided)),
            "decisions",
        ),
        *_rules(standing),
        *_results(standing),
        *_money(standing),
    )
    return tuple(sorted(points, key=lambda point: (not point.is_open, not point.is_red)))


def _rules(standing: Standing) -> tuple[Point, ...]:
    """A red mark for each stop rule that nothing was ever held against."""
    if not standing.silent_rules:
        return (Point(text("Every stop rule was judged"), False, "runs"),)
    return tuple(
        Point(text("Stop rule {rule} was never judged", rule=rule), True, "runs", is_red=True)
        for rule in standing.silent_rules
    )


def _results(standing: Standing) -> tuple[Point, ...]:
    left = standing.unretrieved
    return (
        _point(
            len(standing.unaccepted),
            text("Every essential deliverable is accepted"),
            text("Not accepted: {names}", names=", ".join(standing.unaccepted)),
            "deliverables",
        ),
        _point(
            left,
            text("Every accepted deliverable is retrieved"),
            ntext(
                "{n} accepted deliverable is not retrieved",
                "{n} accepted deliverables are not retrieved",
                left,
            ),
            "deliverables",
        ),
    )


def _money(standing: Standing) -> tuple[Point, ...]:
    missing, unpriced = standing.unordered_lots, standing.unpriced_lots
    return (
        _point(
            missing,
            text("Every planned lot has its order"),
            ntext("{n} planned lot has no order", "{n} planned lots have no order", missing),
            "orders",
        ),
        _point(
            unpriced,
            text("Every lot has its price"),
            ntext("{n} lot unpriced", "{n} lots unpriced", unpriced),
            "orders",
        ),
    )


def _point(count: int, fine: Text, wanting: Text, room: str) -> Point:
    return Point(wanting, True, room) if count else Point(fine, False, room)


def open_points(points: Sequence[Point]) -> int:
    """How many items are open."""
    return sum(point.is_open for point in points)
