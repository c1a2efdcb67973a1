"""What a job measures, gathered into beats: newest values, progress, rules judged on them."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Final, SupportsFloat

from punktum.events import plain, whole
from punktum.judging import Judge, fired_form, metrics_form
from punktum.marks import StopRequest
from punktum.recorder import Recorder
from punktum.stop_rules import Firing, StopRule, as_number

NAMES_AT_ONCE: Final = 50
"""The first value of so many metrics is sent at once, so that the page shows what there is."""


NAME_LENGTH: Final = 128
MOST_NAMES: Final = 500
"""Metrics of one run; what comes under further names is left out, and said."""


class Beats:
    """Progress and metrics of one attempt. Called from the training thread and from the keeper.

    ``beat_s``: seconds between beats; ``idle_beats``: whether to beat when nothing is new, as a
    sign of life (not under a wrapper, which gives its own).
    """

    def __init__(self, beat_s: float, idle_beats: bool) -> None:
        self._beat_s = max(0.05, beat_s)
        self._idle_beats = idle_beats
        self._lock = threading.RLock()
        self._judge = Judge()
        self._recorder: Recorder | None = None
        self._progress: int | None = None
        self._total: int | None = None
        self._values: dict[str, float] = {}
        self._waiting: dict[str, float] = {}
        self._seen_at: tuple[int | None, int] = (None, 0)
        self._fired: list[Firing] = []
        self._moved = False
        self._attached_at = 0.0
        self._beat_at: float | None = None

    def attach(self, recorder: Recorder) -> None:
        """Where the beats go."""
        self._recorder = recorder
        self._attached_at = time.monotonic()

    @property
    def expect_next_s(self) -> int:
        """Within how many seconds the next sign of life is promised."""
        return max(60, int(2 * self._beat_s))

    def use_rules(self, rules: tuple[StopRule, ...], names: Mapping[str, str]) -> None:
        """Judge by these rules from now on."""
        with self._lock:
            self._judge.use(rules, names)

    def advance(self, progress: int, total: int | None) -> None:
        """Note how far the job is."""
        with self._lock:
            self._moved = self._moved or progress != self._progress
            self._progress = whole(progress)
            if total is not None:
                self._total = whole(total)
            if self._is_time():
                self._beat()

    def measure(self, given: Mapping[str, object]) -> None:
        """Note new values, judge them, send what cannot wait."""
        values = self._admitted(self._numbers(given))
        recorder = self._recorder
        if not values or recorder is None:
            return
        with self._lock:
            elapsed_s = recorder.elapsed_s
            judgement = self._judge.see(values, self._progress, elapsed_s)
            if judgement.flush_first and self._waiting:
                self._beat()
            is_new = not self._values.keys() >= values.keys() and len(self._values) < NAMES_AT_ONCE
            self._values.update(values)
            self._waiting.update(values)
            self._seen_at = (self._progress, elapsed_s)
            self._fired += judgement.firings
            if judgement.at_once or is_new or self._is_time():
                self._beat()
        for firing in judgement.firings:
            self._act(recorder, firing)

    def tick(self) -> None:
        """From the keeper: beat when it is time."""
        with self._lock:
            is_first = self._beat_at is None
            if is_first and time.monotonic() - self._attached_at < self._beat_s:
                return
            if self._is_time() and (self._idle_beats or self._waiting or self._moved):
                self._beat()

    def flush(self) -> None:
        """Beat now if anything is new."""
        with self._lock:
            if self._waiting or self._moved or self._fired:
                self._beat()

    def standing(self) -> dict[str, object]:
        """Progress, and when the next sign is due, for a checkpoint event."""
        with self._lock:
            return {
                "progress": self._progress,
                "total": self._total,
                "expect_next_s": self.expect_next_s,
            }

    def last_fields(self) -> dict[str, object]:
        """Progress and the newest value of every metric, for the terminal event."""
        with self._lock:
            return {
                "progress": self._progress,
                "total": self._total,
                "metrics": metrics_form(self._values) or None,
                "judged": self._judge.summary() or None,
            }

    def _is_time(self) -> bool:
        return self._beat_at is None or time.monotonic() - self._beat_at >= self._beat_s

    def _beat(self) -> None:
        """Write one beat; with values it carries the progress and time at which they were seen."""
        recorder = self._recorder
        if recorder is None:
            return
        progress, elapsed_s = self._progress, None
        if self._waiting:
            progress, elapsed_s = self._seen_at
        fields: dict[str, object] = {
            "progress": progress,
            "total": self._total,
            "metrics": metrics_form(self._waiting) or None,
            "judged": self._judge.summary() or None,
            "fired": [fired_form(firing) for firing in self._fired] or None,
            "expect_next_s": self.expect_next_s,
        }
        self._moved = progress != self._progress
        self._waiting, self._fired = {}, []
        self._beat_at = time.monotonic()
        recorder.emit("beat", fields, elapsed_s)

    def _numbers(self, given: Mapping[str, object]) -> dict[str, float]:
        values = {}
        for name, value in given.items():
            number = _number(value)
            if number is not None:
                values[plain(str(name), NAME_LENGTH) or "(no name)"] = number
            elif self._recorder is not None:
                kind = type(value).__name__
                said = f"metric {name}: cannot read a {kind} as a number; left out"
                self._recorder.say_once(f"metric {name}", said)
        return values

    def _admitted(self, values: dict[str, float]) -> dict[str, float]:
        """Without the names that are too many."""
        room = MOST_NAMES - len(self._values)
        fresh = [name for name in values if name not in self._values]
        if len(fresh) <= room:
            return values
        if self._recorder is not None:
            said = f"more than {MOST_NAMES} metrics: {fresh[room]} and later names are left out"
            self._recorder.say_once("names", said)
        return {name: value for name, value in values.items() if name not in fresh[room:]}

    def _act(self, recorder: Recorder, firing: Firing) -> None:
        if firing.act == "stop":
            recorder.request_stop(StopRequest(firing.rule, firing.text, on_box=True))
        else:
            recorder.say(f"rule {firing.rule} warns (fired on the box): {firing.text}")


def _number(value: object) -> float | None:
    """Anything that can be read as a float: numbers, texts, arrays of one element; else None."""
    try:
        return float(value) if isinstance(value, (str, SupportsFloat)) else None
    except OverflowError:
        return as_number(str(value))
    except Exception:  # whatever a foreign __float__ raises is not the training's concern
        return None
