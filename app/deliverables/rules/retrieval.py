"""What lies only on a rented machine, until when pulling it must begin, and what became of it.

*Retrieved* is proven by equal hashes on another machine. Behind a window's end nothing more is
known of what was not proven: only a person says that it is lost, and a later proof settles it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from app.deliverables.rules.evidence import Result, Status
from app.deliverables.rules.standing import DeliverableStanding, Retrieval, State
from app.plan.rules.model import CheckKind

RELOADS = (CheckKind.RELOAD, CheckKind.REPRODUCE)
"""The checks that load what was delivered; at home their result stands for itself."""


LONGEST_S = 100 * 365 * 24 * 3600
"""A transfer that takes longer never arrives; a calendar must still be able to say its begin."""


class Whereabouts(StrEnum):
    """What is known of where the files of a newest submission are."""

    THERE = "there"
    RETRIEVED = "retrieved"
    UNPROVEN = "unproven"
    LOST = "lost"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class Window:
    """When a lot's machine can be used: from `starts_at` up to `usable_until`."""

    starts_at: datetime
    usable_until: datetime


@dataclass(frozen=True, slots=True)
class Pending:
    """What no proof shows on another machine.

    `there` are titles of what is only on a rented machine, `size_bytes` all of it; pulling must
    begin by `begin_by`, None where neither a rate nor a planned retrieval says how long it takes;
    `by_rate` says which of the two it was. `unproven` are titles whose window is over.
    `checkpoints` is how many runs left their newest checkpoint on a machine that still can be
    used, `checkpoint_bytes` the size of all of them, None where one is not known.
    """

    there: tuple[str, ...] = ()
    size_bytes: int = 0
    begin_by: datetime | None = None
    by_rate: bool = False
    ends_at: datetime | None = None
    unproven: tuple[str, ...] = ()
    checkpoints: int = 0
    checkpoint_bytes: int | None = 0
    states: tuple[tuple[str, Whereabouts], ...] = ()

    def of(self, deliverable: str) -> Whereabouts | None:
        """What is known of one deliverable's files; None before anything came."""
        return dict(self.states).get(deliverable)


def whereabouts(
    standing: DeliverableStanding, windows: Sequence[Window], now: datetime
) -> tuple[Whereabouts, datetime | None] | None:
    """Where the files of a newest submission are, and until when they can be pulled.

    The window is the one that held when they were verified; where several did, the one that ends
    first, and where none did, the last. What was verified behind every window's end lies on a
    machine that is no rented one. None before anything came, and for what was rejected.
    """
    newest = standing.newest
    if newest is None or standing.state is State.REJECTED:
        return None
    if standing.retrieved is not None:
        return Whereabouts.RETRIEVED, None
    if standing.lost is not None:
        return Whereabouts.LOST, None
    if not windows:
        return Whereabouts.THERE, None
    ends_at = _held_until(newest.made_at or newest.at, windows)
    if ends_at is None:
        return Whereabouts.ELSEWHERE, None
    return (Whereabouts.THERE if now < ends_at else Whereabouts.UNPROVEN), ends_at


def _held_until(at: datetime, windows: Sequence[Window]) -> datetime | None:
    """The end of the window that held at an instant; None behind all of them."""
    last = max(one.usable_until for one in windows)
    held = [one.usable_until for one in windows if one.starts_at <= at < one.usable_until]
    return None if at >= last else min(held, default=last)


def pending(
    standings: Sequence[DeliverableStanding],
    windows: Sequence[Window],
    rate_bps: int | None,
    planned_s: int | None,
    now: datetime,
    saved: Iterable[tuple[datetime, int | None]] = (),
) -> Pending:
    """All that is not proven at `now`. `rate_bps` is in bits per second, `planned_s` what the plan
    reserves for the retrieval, in seconds; `saved` are the newest checkpoints of runs, when and how
    many bytes."""
    states: list[tuple[str, Whereabouts]] = []
    there: list[tuple[DeliverableStanding, datetime | None]] = []
    unproven: list[str] = []
    for standing in standings:
        found = whereabouts(standing, windows, now)
        if found is None:
            continue
        states.append((standing.id, found[0]))
        if found[0] is Whereabouts.THERE:
            there.append((standing, found[1]))
        elif found[0] is Whereabouts.UNPROVEN:
            unproven.append(standing.title)
    sizes = [(ends_at, _size(standing)) for standing, ends_at in there if ends_at is not None]
    kept = _checkpoints(saved, windows, now)
    return Pending(
        there=tuple(standing.title for standing, _ in there),
        size_bytes=sum(_size(standing) for standing, _ in there),
        begin_by=begin_by(sizes, rate_bps, planned_s),
        by_rate=rate_bps is not None,
        ends_at=min((ends_at for ends_at, _ in sizes), default=None),
        unproven=tuple(unproven),
        checkpoints=len(kept),
        checkpoint_bytes=None if None in kept else sum(size or 0 for size in kept),
        states=tuple(states),
    )


def _checkpoints(
    saved: Iterable[tuple[datetime, int | None]], windows: Sequence[Window], now: datetime
) -> list[int | None]:
    """The sizes of those that lie on a machine whose window still goes on."""
    if not windows:
        return []
    ends = ((_held_until(at, windows), size) for at, size in saved)
    return [size for ends_at, size in ends if ends_at is not None and now < ends_at]


def begin_by(
    sizes: Sequence[tuple[datetime, int]], rate_bps: int | None, planned_s: int | None
) -> datetime | None:
    """The latest moment at which pulling one after the other, what ends first first, is still in
    time; `sizes` are ends with bytes. Without a rate the first end less what is planned."""
    if not sizes:
        return None
    if rate_bps is None:
        first = min(ends_at for ends_at, _ in sizes)
        return first - timedelta(seconds=planned_s) if planned_s is not None else None
    total, latest = 0, []
    for ends_at, size in sorted(sizes):
        total += size
        latest.append(ends_at - timedelta(seconds=min(-(-total * 8 // rate_bps), LONGEST_S)))
    return min(latest)


def _size(standing: DeliverableStanding) -> int:
    return standing.newest.size_bytes if standing.newest is not None else 0


def reloaded(results: Iterable[Result]) -> str | None:
    """How the checks that load the files stood: failed when one did, passed when all that there
    are did, else not run; None where none is announced."""
    kinds = [str(kind) for kind in RELOADS]
    found = [one.status for one in results if one.announced and one.kind in kinds]
    if not found:
        return None
    if Status.FAILED in found:
        return str(Status.FAILED)
    return str(Status.NOT_RUN if Status.NOT_RUN in found else Status.PASSED)


def settled(retrievals: Iterable[Retrieval]) -> dict[int, Retrieval]:
    """Submission → its newest proof; a reload that was tried stands until it is tried again."""
    found: dict[int, Retrieval] = {}
    for one in retrievals:
        before = found.get(one.submission)
        tried = one.reloaded not in (None, str(Status.NOT_RUN))
        if before is not None and not tried and before.reloaded is not None:
            one = replace(one, reloaded=before.reloaded)
        found[one.submission] = one
    return found
