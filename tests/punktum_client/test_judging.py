"""The client sees every value, the server only those in beats: both come to the same verdict."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from punktum.beats import Beats
from punktum.evaluating import Observation, RuleState, evaluate_all
from punktum.events import Identity
from punktum.judging import AT_ONCE_BURST, UNRULED_ROW, Judge
from punktum.recorder import Recorder
from punktum.settings import Settings
from punktum.stop_rules import StopRule
from tests.punktum_client.test_stop_rules import rules


class Ear(Recorder):
    """A recorder that only listens; its clock is set by hand."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, Identity("a-01", "0" * 32), Settings())
        self.heard: list[dict[str, Any]] = []
        self.clock_s = 0

    @property
    def elapsed_s(self) -> int:
        return self.clock_s

    def emit(self, kind: str, fields: Any, elapsed_s: int | None = None) -> None:
        at = self.clock_s if elapsed_s is None else elapsed_s
        self.heard.append({**fields, "elapsed_s": at})


values = st.sampled_from([0.1, 2000.0, math.nan])
moments = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(["loss", "f1"]), values, min_size=1, max_size=2),
        st.integers(0, 1),
        st.integers(0, 1),
    ),
    max_size=20,
)


@given(st.lists(rules, max_size=3, unique_by=lambda rule: rule.id), moments)
@settings(
    max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_a_server_that_sees_only_beats_counts_the_same_hits(
    tmp_path_factory: Any, sealed: list[StopRule], history: list[tuple[dict[str, float], int, int]]
) -> None:
    ear = Ear(tmp_path_factory.mktemp("spool"))
    beats = Beats(beat_s=1e9, idle_beats=True)
    beats.attach(ear)
    beats.use_rules(tuple(sealed), {})
    step = 0
    all_seen: dict[str, RuleState] = {}
    for measured, steps, seconds in history:
        step, ear.clock_s = step + steps, ear.clock_s + seconds
        beats.advance(step, None)
        beats.measure(measured)
        all_seen, _ = evaluate_all(sealed, all_seen, Observation(measured, step, ear.clock_s))
    beats.flush()
    served: dict[str, RuleState] = {}
    for beat in ear.heard:
        seen = Observation(beat["metrics"] or {}, beat["progress"], beat["elapsed_s"])
        served, _ = evaluate_all(sealed, served, seen)
    assert len(ear.heard) < AT_ONCE_BURST
    for rule in sealed:
        client = all_seen.get(rule.id, RuleState())
        server = served.get(rule.id, RuleState())
        assert (server.hits, server.fired) == (client.hits, client.fired)
        assert server.evaluated <= client.evaluated


def test_a_value_that_ends_a_row_of_hits_is_not_swallowed(tmp_path: Path) -> None:
    ear = Ear(tmp_path)
    beats = Beats(beat_s=1e9, idle_beats=True)
    beats.attach(ear)
    beats.use_rules((StopRule("r", "above", "loss", value="5", for_=2),), {})
    for value in (9.0, 1.0, 2.0, 9.0):
        beats.measure({"loss": value})
    assert [beat["metrics"]["loss"] for beat in ear.heard] == [9, 1, 9]


def test_values_that_change_no_verdict_wait_for_the_next_beat(tmp_path: Path) -> None:
    ear = Ear(tmp_path)
    beats = Beats(beat_s=1e9, idle_beats=True)
    beats.attach(ear)
    beats.use_rules((StopRule("r", "above", "loss", value="5"),), {})
    for value in (1.0, 2.0, 3.0):
        beats.measure({"loss": value})
    assert [beat["metrics"] for beat in ear.heard] == [{"loss": 1}]
    beats.flush()
    assert ear.heard[-1]["metrics"] == {"loss": 3}
    assert ear.heard[-1]["judged"] == {"r": {"evaluated": 3, "hits": 0, "last": "3"}}


def test_without_a_rule_the_first_values_that_are_not_finite_are_sent_all_the_same() -> None:
    judge = Judge()
    sent = [judge.see({"loss": math.nan}, None, 0).at_once for _ in range(UNRULED_ROW + 5)]
    assert sent == [True] * UNRULED_ROW + [False] * 5


def test_a_flapping_value_cannot_flood_the_server() -> None:
    judge = Judge()
    judge.use((StopRule("r", "above", "loss", value="5", for_=2),), {})
    sent = [judge.see({"loss": 9.0 * (number % 2)}, None, 0).at_once for number in range(2000)]
    assert sum(sent) < 2000 / 2


def test_what_cannot_be_read_as_a_number_is_left_out_and_said_once(tmp_path: Path) -> None:
    ear = Ear(tmp_path)
    beats = Beats(beat_s=1e9, idle_beats=True)
    beats.attach(ear)

    class Odd:
        def __float__(self) -> float:
            raise RuntimeError("no")

    for _ in range(3):
        beats.measure({"loss": Odd(), "f1": "0.5", "names": ["a"], "big": 10**400})
    beats.flush()
    assert ear.heard[-1]["metrics"] == {"f1": 0.5, "big": "inf"}
    assert list(ear._to_say) == [
        "metric loss: cannot read a Odd as a number; left out",
        "metric names: cannot read a list as a number; left out",
        "metric big: 10^400 is more than a float holds; kept as inf",
    ]
