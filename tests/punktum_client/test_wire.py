"""Whatever a job says, what the client writes is read by the server without a complaint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import punktum
from app.runs.rules.reading import FIELDS, read_event
from punktum.beats import MOST_OTHERS
from punktum.death import ending_of_exception, ending_of_process
from punktum.marks import StopRequest
from punktum.stop_rules import StopRule
from tests.punktum_client.box import Box

hostile = st.text(max_size=12) | st.sampled_from(["\x00", "a\nb", "\ud800", "x" * 900, "", "é\t"])
values = hostile | st.floats() | st.integers() | st.none() | st.just(10**400) | st.just(["a"])


def spooled(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in (folder / ".punktum" / "spool").glob("*--*.jsonl")
        for line in path.read_text().splitlines()
    ]


@given(
    step=hostile,
    params=st.dictionaries(
        hostile, values | st.dictionaries(hostile, values, max_size=2), max_size=4
    ),
    metrics=st.dictionaries(hostile, values, max_size=4),
    progress=st.integers(),
    path=hostile.filter(lambda text: "\x00" not in text),
    size=st.none() | st.integers(),
    states=st.lists(hostile | st.just("optimizer"), max_size=3),
    error=st.none()
    | st.builds(ValueError, hostile)
    | st.builds(SystemExit, hostile | st.integers()),
)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_line_is_taken(
    box: Box,
    tmp_path_factory: pytest.TempPathFactory,
    step: str,
    params: dict[str, Any],
    metrics: dict[str, Any],
    progress: int,
    path: str,
    size: int | None,
    states: list[str],
    error: BaseException | None,
) -> None:
    folder = tmp_path_factory.mktemp("out")
    run = punktum.run(step, params=params, output=folder, run="a-01", raise_on_stop=False)
    run.__enter__()
    run._beats.use_rules((StopRule("r" * 90, "below", "loss", value="1"),), {"loss": "x" * 128})
    run.progress(progress, progress)
    run.metrics(metrics)
    run.metric("x" * 200, 0)
    run.checkpoint(path, size, states=states, write_s=-1)
    run.__exit__(type(error) if error else None, error, None)
    events = spooled(folder)
    assert events[0]["kind"] == "start"
    assert len([event for event in events if event["kind"] in ("stop", "fail", "finish")]) == 1
    for event in events:
        read_event(event)


def test_very_many_parameters_and_metrics_are_bounded(box: Box) -> None:
    params = {f"p{number}": "v" * 3000 for number in range(5000)}
    with punktum.run("control", params=params) as run:
        run.metrics({f"m{number}": number for number in range(2000)})
    events = spooled(box.folder)
    for event in events:
        read_event(event)
        assert len(json.dumps(event)) < 100_000
    assert len(events[-1]["metrics"]) == MOST_OTHERS


def test_the_wrappers_lines_are_taken(box: Box) -> None:
    (box.folder / "a.toml").write_text("lr = 1\n")
    code = "import sys; print('\\x1b[1m\\x00é\\nlast\\x07', file=sys.stderr); sys.exit(3)"
    box.environment = {"CUDA_VISIBLE_DEVICES": "0", "PUNKTUM_LOT": "lot-1"}
    words = ("--config", "a.toml", "--corpus", "eval=gone.jsonl", "--takeover", "--param", "a=\n")
    assert box.run_job(code, *words).code == 3
    events = box.spooled()
    assert [event["kind"] for event in events] == ["start", "fail"]
    for event in events:
        read_event(event)


@pytest.mark.parametrize("returncode", [0, 1, 255, -1, -2, -9, -15, -64, 137, 143])
@pytest.mark.parametrize("stop", [None, StopRequest("r", "t\n"), StopRequest(None, "")])
def test_every_end_is_taken(returncode: int, stop: StopRequest | None) -> None:
    endings = [
        ending_of_process(returncode, stop=stop, last_line="\x00"),
        ending_of_exception(None, stop),
    ]
    for ending in endings:
        said = {name: value for name, value in ending.fields().items() if value is not None}
        identity = {"run": "a", "attempt_id": "0f" * 16, "source": "main", "seq": 1}
        read_event({**identity, "kind": ending.kind, "at": "2026-12-01T08:00:00.000Z", **said})


def test_both_sides_name_the_same_kinds() -> None:
    assert {kind.value for kind in FIELDS} == {
        "start", "beat", "checkpoint", "stop", "fail", "finish",
    }  # fmt: skip
