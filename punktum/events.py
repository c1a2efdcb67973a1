"""One event as it is written to the spool and sent to the server: the wire form of the job API.

An event is a JSON object. Always there: ``run``, ``attempt_id`` (32 hex, random by client),
``source`` (``wrapper``, ``main``, ``main-2``, ``rank-3`` …), ``seq`` (from 1, without gaps per run,
attempt and source), ``kind`` (start, beat, checkpoint, stop, fail, finish), ``at`` (job's clock)
and ``elapsed_s`` (whole seconds since the attempt began, by a clock that is never set).
Further fields, each absent when unknown:

* start: ``step config_sha256 config not_config host pid machine_id parent takeover gone_attempts
  lot gpus command client links progress expect_next_s`` (``progress``: steps done before, of a
  resume; ``links``: name → address)
* beat: ``progress total metrics inputs judged fired restore note expect_next_s``
* checkpoint: ``path size states write_s progress expect_next_s``
* stop, fail, finish: ``exit_code signal reason_code reason_text rule log_tail progress total
  metrics inputs judged note``

``inputs`` is all that was counted so far: ``{name: {"expected", "truncated"}}``. ``restore`` is the
result of a restore check (``checkpoints.py``).
Metrics are JSON numbers; those that are not finite are the texts ``"nan"``, ``"inf"``, ``"-inf"``.
A beat carries only values that are new since the last one, so the server may judge each once.
``docs`` call this page the client protocol; the server's answers are read in ``answers.py``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
SOURCE: Final = re.compile(r"[a-z][a-z0-9-]{0,31}\Z")
ENDS: Final = frozenset({"stop", "fail", "finish"})
LASTING: Final = ENDS | {"start", "checkpoint"}
"""Kinds that are on the disk before the call that writes them returns."""
LOG_TAIL_BYTES: Final = 10_240
TEXT_LENGTH: Final = 500

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who writes: one source of one attempt of one run."""

    run: str
    attempt_id: str
    source: str = "main"


def encode(event: Mapping[str, object]) -> bytes:
    """The event as one line of JSON with its line end."""
    text = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def metric_number(value: float) -> float | int | str:
    """A metric as it travels: finite numbers as they are, the others as text."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def whole(value: int) -> int:
    """A count as it travels: not negative, within 63 bits."""
    return min(max(0, int(value)), (1 << 63) - 1)


def plain(text: str, length: int = TEXT_LENGTH) -> str:
    """One line of text with control characters made visible, cut to ``length`` characters."""
    return visible(" ".join(_COLOURS.sub("", text).split()))[:length]


def visible(text: str) -> str:
    """Text with every control character, line ends too, made visible: ``\\x0a``."""
    return _CONTROLS.sub(_escape, text)


def log_tail(raw: bytes) -> str:
    """The last 10 kB of a log as a terminal shows it: no colours, progress bars' last state."""
    lines = _COLOURS.sub("", raw.decode("utf-8", "replace")).replace("\r\n", "\n").split("\n")
    states = (line.rstrip("\r").rsplit("\r", 1)[-1] for line in lines)
    shown = _UNSEEN.sub(_escape, "\n".join(states))
    cut = shown.encode("utf-8")[-LOG_TAIL_BYTES:]
    return cut.decode("utf-8", "ignore")


def last_line(tail: str) -> str:
    """The last line of a log that says something; empty when there is none."""
    said = [line.strip() for line in tail.replace("\r", "\n").split("\n") if line.strip()]
    return said[-1][:TEXT_LENGTH] if said else ""


def _escape(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"
