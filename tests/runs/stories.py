"""Events of runs for tests: a whole attempt as its client tells it, and pieces of it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.runs.rules.attempts import Facts, facts_of
from app.runs.rules.events import Kind, Stored
from app.runs.rules.judging import Context
from app.runs.rules.streams import EMPTY, Stream, fold, step, with_gap_filled
from punktum.stop_rules import StopRule

T0 = 1_796_112_000_000_000
"""2026-12-01T08:00:00Z in microseconds."""
SHA = "a" * 64
LOSS = StopRule("loss-not-finite", "non_finite", "loss")
FLOOR = StopRule("f1-floor", "below", "f1", value="0.5", for_=3, act="warn")
RULES = (LOSS, FLOOR)
CONTEXT = Context(RULES, {"f1": "eval_f1"})


def said(
    seq: int, kind: str = "beat", source: str = "main", *, late_s: int = 0, **fields: Any
) -> Stored:
    """One event: a second of the job's clock for each number, received `late_s` later."""
    at_us = T0 + seq * 1_000_000
    return Stored(source, seq, Kind(kind), at_us, at_us + late_s * 1_000_000, fields)


def started(source: str = "main", **fields: Any) -> Stored:
    """The first event of an attempt."""
    return said(1, "start", source, step="control", config_sha256=SHA, elapsed_s=0, **fields)


def arrive(events: Iterable[Stored], context: Context = CONTEXT) -> dict[str, Stream]:
    """The states when events come in this order, as the recording takes them: one step where an
    event is above all others, the whole set anew otherwise; repeated ones change nothing."""
    seen: dict[str, list[Stored]] = {}
    streams: dict[str, Stream] = {}
    for event in events:
        state = streams.get(event.source, EMPTY)
        if state.numbers.has(event.seq):
            continue
        seen.setdefault(event.source, []).append(event)
        if event.seq > state.numbers.last:
            streams[event.source] = step(state, event, context)
        else:
            counted = with_gap_filled(state, event.seq)
            streams[event.source] = fold(seen[event.source], context)
            assert streams[event.source].numbers == counted.numbers
    return streams


def at_once(events: Sequence[Stored], context: Context = CONTEXT) -> dict[str, Stream]:
    """The states of a set of events."""
    sources = {event.source for event in events}
    return {source: fold([e for e in events if e.source == source], context) for source in sources}


def shuffled(events: Sequence[Stored], seed: int, repeats: int = 3) -> list[Stored]:
    """The events in some order, a few of them more than once."""
    chance = random.Random(seed)
    order = [*events, *chance.choices(list(events), k=repeats)]
    chance.shuffle(order)
    return order


def facts(events: Sequence[Stored], context: Context = CONTEXT) -> Facts:
    """What binds after these events."""
    return facts_of(at_once(events, context))


def sorted_states(streams: Mapping[str, Stream]) -> list[tuple[str, Stream]]:
    """States in an order of their own, to be compared."""
    return sorted(streams.items(), key=lambda item: item[0])
