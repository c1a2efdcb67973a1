"""What a job measures, gathered into beats: newest values, progress, rules judged on them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from typing import Final

from punktum.counts import NAME_LENGTH, read_metrics
from punktum.evaluating import Firing, InputCount
from punktum.events import plain, whole
from punktum.judging import MOST_WATCHED, Judge, Judgement, fired_form, metrics_form
from punktum.marks import StopRequest
from punktum.recorder import Recorder
from punktum.stop_rules import StopRule

NAMES_AT_ONCE: Final = 50
"""The first value of so many metrics is sent at once, so that the page shows what there is."""

MOST_OTHERS: Final = 500 - MOST_WATCHED
"""Metrics of one run beside those that the plan watches; further names are left out, and said.
One event takes 500."""
MOST_INPUTS: Final = 100
"""Names of inputs of one run; what comes under further names is left out, and said."""
INPUTS_EVERY_S: Final = 1.0
"""Cut inputs of a name that is known are sent at once, but not more often than this."""
TIME_EVERY_S: Final = 10.0
"""How often the rules that time decides are judged, where beats are rarer."""


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
        self._inputs: dict[str, InputCount] = {}
        self._counted: set[str] = set()
        self._counted_at = 0.0
        self._moved = False
        self._attached_at = 0.0
        self._timed_at = 0.0
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

    @property
    def progress(self) -> int | None:
        """How far the job is, as far as it said."""
        return self._progress

    def resume(self, progress: int) -> None:
        """Note what was done before: the work goes on from there."""
        with self._lock:
            self._progress = whole(progress)
            self._seen_at = (self._progress, 0)

    def note_judged(self, rule: str, seen: object) -> None:
        """Count that the job itself judged one of its rules; it goes with the next beat."""
        with self._lock:
            self._judge.note(rule, None if seen is None else plain(str(seen), 100))
            self._moved = True
            if self._is_time():
                self._beat()

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
            self._take(judgement)
            is_new = not self._values.keys() >= values.keys() and len(self._values) < NAMES_AT_ONCE
            self._values.update(values)
            self._waiting.update(values)
            self._seen_at = (self._progress, elapsed_s)
            if judgement.at_once or is_new or self._is_time():
                self._beat()
        for firing in judgement.firings:
            self._act(recorder, firing)

    def count_inputs(self, name: str, truncated: int, of: int) -> None:
        """Add to the inputs counted under a name; what was cut short is judged and sent at once."""
        recorder = self._recorder
        name = plain(name, NAME_LENGTH) or "(no name)"
        if recorder is None:
            return
        with self._lock:
            before = self._inputs.get(name)
            if before is None and len(self._inputs) >= MOST_INPUTS:
                said = f"more than {MOST_INPUTS} inputs: {name} and later names are left out"
                recorder.say_once("inputs", said)
                return
            cut, all_of = whole(truncated), whole(max(of, truncated))
            known = before or InputCount(0, 0)
            count = InputCount(known.expected + all_of, known.truncated + cut)
            self._inputs[name] = count
            self._counted.add(name)
            judgement = self._judge.see(
                {}, self._progress, recorder.elapsed_s, inputs={name: count}, now_s=recorder.now_s
            )
            self._take(judgement)
            is_late = time.monotonic() - self._counted_at >= INPUTS_EVERY_S
            is_new = known.truncated == 0 or is_late
            if judgement.firings or (cut and is_new) or self._is_time():
                self._beat()
        for firing in judgement.firings:
            self._act(recorder, firing)

    def fire(self, stop: StopRequest) -> bool:
        """The job's own word that it ends; False where its rule only warns by the plan."""
        recorder = self._recorder
        if recorder is None:
            return True
        with self._lock:
            rule = next((rule for rule in self._judge.rules if rule.id == stop.rule), None)
            if stop.rule is not None:
                act = rule.act if rule is not None else "stop"
                self._fired.append(Firing(stop.rule, None, None, act, 1, stop.text))
                self._beat()
        if rule is not None and rule.act != "stop":
            recorder.say(f"rule {rule.id} only warns by the plan: {stop.text}")
            return False
        recorder.request_stop(stop)
        return True

    def knows_no(self, rule: str) -> bool:
        """Whether the sealed rules are here and this one is not among them."""
        return bool(self._judge.rules) and all(one.id != rule for one in self._judge.rules)

    def tick(self) -> None:
        """From the keeper: beat when it is time, and judge the rules that time decides."""
        for firing in self._judge_time():
            if self._recorder is not None:
                self._act(self._recorder, firing)
        with self._lock:
            is_first = self._beat_at is None
            if is_first and time.monotonic() - self._attached_at < self._beat_s:
                return
            if self._is_time() and (self._idle_beats or self._has_news):
                self._beat()

    def _judge_time(self) -> tuple[Firing, ...]:
        recorder, now = self._recorder, time.monotonic()
        if recorder is None or now - self._timed_at < min(TIME_EVERY_S, self._beat_s):
            return ()
        with self._lock:
            self._timed_at = now
            judgement = self._judge.see(
                {}, self._progress, recorder.elapsed_s, now_s=recorder.now_s
            )
            self._take(judgement)
            if judgement.firings:
                self._beat()
        return judgement.firings

    def _take(self, judgement: Judgement) -> None:
        """Before new values are noted: what was seen before a rule became due is sent first."""
        if judgement.flush_first and self._waiting:
            self._beat()
        self._fired += judgement.firings

    @property
    def _has_news(self) -> bool:
        return bool(self._waiting or self._moved or self._fired or self._counted)

    def flush(self) -> None:
        """Beat now if anything is new; twice where the job went on since its last value."""
        with self._lock:
            while self._has_news and self._recorder is not None:
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
                "inputs": self._inputs_form(self._inputs) or None,
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
            "inputs": self._inputs_form(self._counted) or None,
            "judged": self._judge.summary() or None,
            "fired": [fired_form(firing) for firing in self._fired] or None,
            "expect_next_s": self.expect_next_s,
        }
        self._moved = progress != self._progress
        self._waiting, self._fired = {}, []
        self._beat_at = time.monotonic()
        if self._counted:
            self._counted, self._counted_at = set(), self._beat_at
        recorder.emit("beat", fields, elapsed_s)

    def _inputs_form(self, names: Iterable[str]) -> dict[str, object]:
        """The wire's ``inputs``: all that were counted under these names so far."""
        counts = {name: self._inputs[name] for name in sorted(names)}
        return {
            name: {"expected": count.expected, "truncated": count.truncated}
            for name, count in counts.items()
        }

    def _numbers(self, given: Mapping[str, object]) -> dict[str, float]:
        values, wrong = read_metrics(given)
        for name, said in wrong.items():
            if self._recorder is not None:
                self._recorder.say_once(f"metric {name}", said)
        return values

    def _admitted(self, values: dict[str, float]) -> dict[str, float]:
        """Without the names that are too many; what the plan watches has its room."""
        watched = self._judge.watched
        room = MOST_OTHERS - len(self._values.keys() - watched)
        fresh = [name for name in values if name not in self._values and name not in watched]
        if len(fresh) <= room:
            return values
        if self._recorder is not None:
            said = f"more than {MOST_OTHERS} metrics: {fresh[room]} and later names are left out"
            self._recorder.say_once("names", said)
        return {name: value for name, value in values.items() if name not in fresh[room:]}

    def _act(self, recorder: Recorder, firing: Firing) -> None:
        if firing.act == "stop":
            recorder.request_stop(StopRequest(firing.rule, firing.text, on_box=True))
        else:
            recorder.say(f"rule {firing.rule} warns (fired on the box): {firing.text}")
