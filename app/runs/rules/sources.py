"""The sources of an attempt: what has come of each, what is missing, and who told of the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.runs.rules.attempts import Facts
from app.runs.rules.events import NOT_JOBS, TRACKER, source_rank
from app.runs.rules.streams import Stream


@dataclass(frozen=True, slots=True)
class SourceView:
    """One source: all numbers up to `acknowledged` have come, and the greatest is `last`.

    `gaps` are closed ranges of the numbers between that have not come.
    """

    source: str
    acknowledged: int
    last: int
    gaps: tuple[tuple[int, int], ...]
    missing: int


def sources_of(streams: Mapping[str, Stream]) -> tuple[SourceView, ...]:
    """The sources that a job reports from, the one whose word counts first."""
    return tuple(
        _source(name, streams[name])
        for name in sorted(streams, key=source_rank)
        if name not in NOT_JOBS
    )


def _source(name: str, stream: Stream) -> SourceView:
    numbers = stream.numbers
    acknowledged = numbers.gaps[0][0] - 1 if numbers.gaps else numbers.last
    return SourceView(name, acknowledged, numbers.last, numbers.gaps, numbers.missing_count)


def told_by_tracker(streams: Mapping[str, Stream], facts: Facts) -> bool:
    """Whether the state is a tracker's word alone: its end, or while it runs its start."""
    if facts.end is not None:
        return facts.end.source == TRACKER
    starters = {name for name, one in streams.items() if one.started_at_us is not None}
    return starters == {TRACKER}
