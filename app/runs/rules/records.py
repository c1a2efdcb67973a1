"""The state of an attempt's sources as JSON text, so that the next event takes one step from it."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.runs.rules.events import Kind
from app.runs.rules.judging import Fired, Judged, Told
from app.runs.rules.metrics import MetricSeen
from app.runs.rules.numbers import Numbers
from app.runs.rules.parts import Ask, End, Inputs, Progress, Restored, Saved, Signs
from app.runs.rules.streams import Stream
from punktum.evaluating import RuleState
from punktum.stop_rules import StopRule, as_dict, parse_rules

json_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""A value as compact JSON; the order of members stays."""


def streams_text(streams: Mapping[str, Stream]) -> str:
    """All sources of an attempt as one text: equal states give equal texts."""
    return joined({source: stream_text(stream) for source, stream in streams.items()})


def joined(texts: Mapping[str, str]) -> str:
    """The text of all sources from that of each."""
    return "{" + ",".join([f"{_quoted(source)}:{texts[source]}" for source in sorted(texts)]) + "}"


def read_streams(said: str) -> dict[str, Stream]:
    """What `streams_text` wrote."""
    return {source: _stream(record) for source, record in json.loads(said).items()}


@functools.lru_cache(maxsize=1024)
def read_streams_once(said: str) -> Mapping[str, Stream]:
    """`read_streams`, each text parsed once; not to be written to."""
    return read_streams(said)


def rules_text(rules: tuple[StopRule, ...]) -> str:
    """Stop rules as they are handed to a job and kept with its attempt."""
    return json_text([as_dict(rule) for rule in rules])


def read_rules(said: str) -> tuple[StopRule, ...]:
    """What `rules_text` wrote."""
    return parse_rules(json.loads(said))


@functools.lru_cache(maxsize=256)
def read_rules_once(said: str) -> tuple[StopRule, ...]:
    """`read_rules`, each text parsed once."""
    return read_rules(said)


@functools.lru_cache(maxsize=4096)
def _quoted(name: str) -> str:
    return json_text(name)


def stream_text(stream: Stream) -> str:
    """One source, written out by hand: this is made anew with every beat.

    Texts of metrics were read as numbers, so nothing in them needs to be escaped.
    """
    numbers, signs, done = stream.numbers, stream.signs, stream.progress
    gaps = json_text(numbers.gaps) if numbers.gaps else "[]"
    said = f'{{"numbers":[{numbers.last},{numbers.size},{gaps}]'
    if signs is not None:
        said += (
            f',"signs":[{signs.first_at_us},{signs.last_at_us},{_whole(signs.elapsed_s)},'
            f"{signs.received_us},{_whole(signs.promise_s)}]"
        )
    if stream.started_at_us is not None:
        said += f',"started":{stream.started_at_us}'
    if stream.step is not None:
        said += f',"step":{_quoted(stream.step)}'
    if done is not None:
        said += (
            f',"progress":[{done.done},{_whole(done.total)},{done.since_us},'
            f"{_whole(done.since_s)},{done.longest_s},{done.before}]"
        )
    if stream.metrics:
        seen = stream.metrics
        said += ',"metrics":{' + ",".join(_metric(name, seen[name]) for name in sorted(seen)) + "}"
    if stream.judged.states:
        states = stream.judged.states
        said += ',"rules":{' + ",".join(_rule(name, states[name]) for name in sorted(states)) + "}"
    rare = _rare(stream)
    return said + ("," + json_text(rare)[1:] if rare else "}")


def _whole(value: int | None) -> str:
    return "null" if value is None else str(value)


def _number(said: str | None) -> str:
    return "null" if said is None else f'"{said}"'


def _metric(name: str, seen: MetricSeen) -> str:
    values = f"{_number(seen.last)},{_number(seen.low)},{_number(seen.high)},{_number(seen.final)}"
    return f"{_quoted(name)}:[{values}]"


def _rule(name: str, state: RuleState) -> str:
    fired = "true" if state.fired else "false"
    return f"{_quoted(name)}:[{state.evaluated},{state.hits},{_number(state.last)},{fired}]"


def _rare(stream: Stream) -> dict[str, Any]:
    """What most sources do not have."""
    record: dict[str, Any] = {}
    if stream.judged.told:
        record["told"] = {
            name: (told.evaluated, told.hits, told.last)
            for name, told in sorted(stream.judged.told.items())
        }
    if stream.judged.firings:
        record["fired"] = [asdict(fired) for fired in stream.judged.firings]
    if stream.inputs:
        record["inputs"] = dict(sorted(stream.inputs.items()))
    for name in ("saved", "end", "ask", "restored"):
        part = getattr(stream, name)
        if part is not None:
            record[name] = asdict(part)
    if stream.late:
        record["late"] = stream.late
    if stream.ids:
        record["ids"] = stream.ids
    return record


def _stream(record: Mapping[str, Any]) -> Stream:
    last, count, gaps = record["numbers"]
    signs, progress = record.get("signs"), record.get("progress")
    rules, told = record.get("rules", {}), record.get("told", {})
    saved, end, ask = record.get("saved"), record.get("end"), record.get("ask")
    restored = record.get("restored")
    return Stream(
        Numbers(last, count, tuple((low, high) for low, high in gaps)),
        Signs(*signs) if signs else None,
        record.get("started"),
        Progress(*progress) if progress else None,
        {name: MetricSeen(*seen) for name, seen in record.get("metrics", {}).items()},
        Judged(
            {name: RuleState(*state) for name, state in rules.items()},
            {name: Told(*seen) for name, seen in told.items()},
            tuple(Fired(**fired) for fired in record.get("fired", ())),
        ),
        Saved(**{**saved, "states": tuple(saved["states"])}) if saved else None,
        End(**{**end, "kind": Kind(end["kind"])}) if end else None,
        Ask(**ask) if ask else None,
        record.get("late", 0),
        tuple(record.get("ids", ())),
        record.get("step"),
        {name: Inputs(*counts) for name, counts in record.get("inputs", {}).items()},
        Restored(**{**restored, "states": tuple(restored["states"])}) if restored else None,
    )
