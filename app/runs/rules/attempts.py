"""An attempt: what its sources together say, whichever of them came first.

Who started it, how it ended, which rules fired and which stop was asked for are functions of the
sources' states alone. The wrapper's word on the end counts before the training code's, any job's
word before a person's assumption.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.runs.rules.events import CLOCK, CLOSINGS, NOT_JOBS, PERSON, Kind, Status, source_rank
from app.runs.rules.judging import Fired
from app.runs.rules.metrics import MetricSeen, merged
from app.runs.rules.parts import Ask, End, Restored
from app.runs.rules.streams import Stream
from app.runs.rules.transitions import after

Streams = Mapping[str, Stream]
TOGETHER_S = 2
"""So little apart two processes that count whole seconds may end together."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of an attempt as it counts: `rule` is set where a rule had asked for the stop."""

    status: Status
    reason_code: str | None
    reason_text: str | None
    rule: str | None
    exit_code: int | None
    signal: int | None
    at_us: int
    source: str

    @property
    def by(self) -> str:
        """Who ended it: `job`, `rule` or `person`."""
        if self.source == PERSON:
            return "person"
        return "rule" if self.rule is not None else "job"


@dataclass(frozen=True, slots=True)
class Facts:
    """What of an attempt binds: it goes to the journal when it changes."""

    started: bool
    status: Status
    end: Ended | None
    firings: tuple[Fired, ...]
    ask: Ask | None
    restored: Restored | None = None

    @property
    def stopped_by(self) -> Fired | None:
        """The rule that asked for the stop: the first that fired and does more than warn."""
        return next((fired for fired in self.firings if fired.act == "stop"), None)


NOTHING = Facts(False, Status.PLANNED, None, (), None)


def facts_of(streams: Streams) -> Facts:
    """What binds, from the states of all sources."""
    ordered = sorted(streams.items(), key=lambda item: source_rank(item[0]))
    started = any(stream.started_at_us is not None for _, stream in ordered)
    ask = next((stream.ask for _, stream in ordered if stream.ask is not None), None)
    status = after(Status.PLANNED, Kind.START) if started else Status.PLANNED
    end, told = None, _told_end(ordered, streams)
    if told is not None:
        status = after(status, told[1].kind)
        end = _ended(told[1], told[0], status)
    firings = _merged(ordered, told)
    stop = next((fired for fired in firings if fired.act == "stop"), None)
    if end is not None and end.source != PERSON and stop is not None:
        end = _by_rule(end, stop, firings)
        status = end.status
    return Facts(started, status, end, firings, ask, restored_of(streams))


def _told_end(ordered: list[tuple[str, Stream]], streams: Streams) -> tuple[str, End] | None:
    """The end that counts, and the source that told it."""
    ends = ((source, stream.end) for source, stream in ordered if stream.end is not None)
    return next((one for one in ends if not _comes_after_stop(one[1], streams)), None)


def _comes_after_stop(end: End, streams: Streams) -> bool:
    """Whether an end was told when a person had said that the attempt is stopped: it is kept, and
    changes nothing. That it is lost is an assumption, which any end corrects."""
    said = streams[PERSON].end if PERSON in streams else None
    if said is None or said.kind is not Kind.CLOSE or end is said:
        return False
    return end.received_us >= said.received_us


def binding_changed(before: Stream, now: Stream, *, ended: bool = False) -> bool:
    """Whether a step of a source may have changed anything that binds.

    Once the attempt has ended its values bind too: the decision rests on them.
    """
    return (
        before.end is not now.end
        or before.judged.firings is not now.judged.firings
        or before.started_at_us is not now.started_at_us
        or before.ask is not now.ask
        or before.restored is not now.restored
        or (ended and before.metrics is not now.metrics)
    )


def _fired_late(fired: Fired, source: str, told: tuple[str, End] | None) -> bool:
    """Whether a rule fired on what another process of the job went on to say after the end: that
    is evidence which came late.

    By how long both say to have run, where they do: clocks are set, and differ between machines.
    What the server's own clock found was found before the end.
    """
    if told is None or told[1].kind in CLOSINGS or source in (told[0], CLOCK):
        return False
    end = told[1]
    if fired.elapsed_s is not None and end.elapsed_s is not None:
        return fired.elapsed_s > end.elapsed_s + TOGETHER_S
    return fired.at_us > end.at_us


def _merged(ordered: list[tuple[str, Stream]], told: tuple[str, End] | None) -> tuple[Fired, ...]:
    """Each rule once over all sources, the earliest first; without what fired after the end."""
    best: dict[str, tuple[tuple[int, int, int, str], Fired]] = {}
    for source, stream in ordered:
        for fired in stream.judged.firings:
            if _fired_late(fired, source, told):
                continue
            late = fired.elapsed_s if fired.elapsed_s is not None else 1 << 62
            key = (late, fired.at_us, fired.seq, source)
            if fired.rule not in best or key < best[fired.rule][0]:
                best[fired.rule] = (key, fired)
    return tuple(fired for _, fired in sorted(best.values(), key=lambda item: item[0]))


def _ended(end: End, source: str, status: Status) -> Ended:
    code = end.reason_code
    if code is None and end.kind is not Kind.FINISH and end.kind not in CLOSINGS:
        code = "code_error" if end.kind is Kind.FAIL else "operator"
    if end.kind is Kind.CLOSE and code is None:
        code = "operator"
    return Ended(
        status, code, end.reason_text, end.rule, end.exit_code, end.signal, end.at_us, source
    )


def _by_rule(end: Ended, stop: Fired, firings: tuple[Fired, ...]) -> Ended:
    """Once a rule asked for a stop, any end is that stop; the exit code stays the child's."""
    # A rule that the end itself names has not asked for anything.
    asked = {one.rule for one in firings if one.act == "stop" and one.at_us < end.at_us}
    if end.rule in asked and end.status is Status.STOPPED:
        said = next((fired.text for fired in firings if fired.rule == end.rule), None)
        return replace(end, reason_text=end.reason_text or said)
    return replace(
        end,
        status=Status.STOPPED,
        reason_code=f"rule:{stop.rule}",
        reason_text=stop.text,
        rule=stop.rule,
    )


def metrics_of(streams: Streams) -> Mapping[str, MetricSeen]:
    """What all sources know of the metrics; the word of the higher source counts."""
    known: dict[str, MetricSeen] = {}
    for source in sorted(streams, key=source_rank, reverse=True):
        for name, seen in streams[source].metrics.items():
            known[name] = merged(known.get(name), seen)
    return known


def started_at_us(streams: Streams) -> int | None:
    """When the attempt began by the job's clock; the first sign of it without a start."""
    for _, stream in sorted(streams.items(), key=lambda item: source_rank(item[0])):
        if stream.started_at_us is not None:
            return stream.started_at_us
    firsts = [
        s.signs.first_at_us for name, s in streams.items() if s.signs and name not in NOT_JOBS
    ]
    return min(firsts, default=None)


def step_of(streams: Streams) -> str | None:
    """The step of the plan that the attempt works on: by its start, else by any event."""
    ordered = sorted(streams.items(), key=lambda item: source_rank(item[0]))
    named = [stream for _, stream in ordered if stream.step is not None]
    started = [stream for stream in named if stream.started_at_us is not None]
    return (started or named)[0].step if named else None


def restored_of(streams: Streams) -> Restored | None:
    """The newest result of a restore check, by the job's clock."""
    found = [stream.restored for stream in streams.values() if stream.restored is not None]
    return max(found, key=lambda one: one.at_us, default=None)


def machine_s(streams: Streams) -> int:
    """How long the process ran, by its own measure where it gives one; whole seconds.

    What another of its processes goes on to say after the end adds nothing.
    """
    spent, whole = _spent_s(streams), _whole_s(streams)
    return spent if whole is None else min(spent, whole)


def _whole_s(streams: Streams) -> int | None:
    """From the start to the end that the job told; None while it told none."""
    ordered = sorted(streams.items(), key=lambda item: source_rank(item[0]))
    ends = (stream.end for name, stream in ordered if name not in NOT_JOBS)
    end = next((one for one in ends if one is not None and one.kind not in CLOSINGS), None)
    began = started_at_us(streams)
    if end is None or end.elapsed_s is not None:
        return None if end is None else end.elapsed_s
    return None if began is None else max(0, end.at_us - began) // 1_000_000


def _spent_s(streams: Streams) -> int:
    jobs = [s.signs for name, s in streams.items() if s.signs is not None and name not in NOT_JOBS]
    measured = [signs.elapsed_s for signs in jobs if signs.elapsed_s is not None]
    began = started_at_us(streams)
    if measured:
        return max(measured)
    if not jobs or began is None:
        return 0
    return max(0, max(signs.last_at_us for signs in jobs) - began) // 1_000_000


def span_us(streams: Streams) -> int:
    """From the first to the last sign of the job, by its own clock, in microseconds."""
    jobs = [s.signs for name, s in streams.items() if s.signs is not None and name not in NOT_JOBS]
    if not jobs:
        return 0
    return max(one.last_at_us for one in jobs) - min(one.first_at_us for one in jobs)


def received_us(streams: Streams) -> int | None:
    """When the newest sign of the job came, by our clock."""
    jobs = [s.signs.received_us for name, s in streams.items() if s.signs and name not in NOT_JOBS]
    return max(jobs, default=None)
