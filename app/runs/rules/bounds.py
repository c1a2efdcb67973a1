"""Where an attempt begins and ends by our clock, whatever the job's clock says."""

from __future__ import annotations

from typing import Final

from app.runs.rules import attempts as tell
from app.runs.rules.events import CLOSINGS
from app.runs.rules.times import CLOCK_OFF, CLOCK_PRESUMED, CLOCK_WRONG_S
from app.runs.rules.views import Kept

_CLOCK_WRONG_US: Final = CLOCK_WRONG_S * 1_000_000


def clock_off_s(one: Kept) -> int:
    """How far the job's clock is behind ours, in seconds; negative where it is ahead, 0 where it
    is about right.

    Where only the start's own time tells so, it holds as long as the job's events came as far apart
    as they happened: what is sent from a store comes all at once.
    """
    off_s: int = one.start.get(CLOCK_OFF, 0)
    if one.start.get(CLOCK_PRESUMED, False):
        said = tell.span_us(one.streams)
        came = (tell.received_us(one.streams) or one.created_us) - one.created_us
        return off_s if abs(said - came) <= _CLOCK_WRONG_US else 0
    return off_s


def bounds(one: Kept, machine_s: int) -> tuple[int | None, int | None]:
    """Where an attempt begins and where its newest sign lies, by our clock.

    The job's clock is set right by how far it was off when the start was sent. One that is plainly
    ahead all the same cannot have begun later than its work, as told by now, allows.
    """
    reported = tell.started_at_us(one.streams)
    if reported is None:
        return None, None
    received = tell.received_us(one.streams) or one.created_us
    right = reported + clock_off_s(one) * 1_000_000
    if clock_off_s(one):  # known to the minute; nothing begins after it was heard of
        right = min(right, one.created_us)
    machine_us = machine_s * 1_000_000
    if right - one.created_us > _CLOCK_WRONG_US:
        right = received - machine_us
    return right, max(right, min(right + machine_us, received))


def end_of(one: Kept, end_at_us: int, started: int, last: int) -> int:
    """The end by the job's clock, unless that clock was set in between."""
    shifted = end_at_us + started - (tell.started_at_us(one.streams) or started)
    return shifted if abs(shifted - last) <= _CLOCK_WRONG_US else last


def ended_after(one: Kept, current: Kept) -> bool:
    """Whether an attempt ended only when another one counted already."""
    ends = [stream.end for stream in one.streams.values() if stream.end is not None]
    heard = max((end.received_us for end in ends if end.kind not in CLOSINGS), default=0)
    return one.number < current.number and heard > current.created_us
