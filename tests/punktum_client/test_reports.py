"""Progress by iterating, inputs that were cut short, a job that ends itself, and a resume."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import punktum
from punktum.stop_rules import StopRule
from tests.punktum_client.box import TOKEN, Box
from tests.punktum_client.loopback import Loopback, wait_until


@pytest.fixture
def online(box: Box, server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    """This process reports to the server."""
    monkeypatch.setenv("PUNKTUM_URL", server.url)
    monkeypatch.setenv("PUNKTUM_TOKEN", TOKEN)
    return server


def sealed(box: Box, *rules: Mapping[str, object]) -> None:
    """A kept sheet with these rules, and no server."""
    box.spool.mkdir(parents=True)
    sheet = {"format": "punktum-sheet/1", "rules": list(rules)}
    (box.spool / "sheet.json").write_text(json.dumps(sheet))


def fired(box: Box) -> list[dict[str, Any]]:
    return [entry for event in box.spooled() for entry in event.get("fired", [])]


# -- track ------------------------------------------------------------------------------------


def test_tracking_passes_everything_on_and_counts_what_was_worked_on(box: Box) -> None:
    seen = []
    with punktum.run("control", params={}) as run:
        for item in run.track(["a", "b", "c"]):
            seen.append((item, run._beats.progress))
    assert seen == [("a", None), ("b", 1), ("c", 2)]
    end = box.spooled_end()
    assert (end["progress"], end["total"]) == (3, 3)


def test_epochs_count_on(box: Box) -> None:
    with punktum.run("control", params={}) as run:
        for _ in range(3):
            assert list(run.track(range(5), total=15)) == [0, 1, 2, 3, 4]
    end = box.spooled_end()
    assert (end["progress"], end["total"]) == (15, 15)


def test_an_iterable_of_unknown_length_has_no_total(box: Box) -> None:
    class Strange:
        def __iter__(self) -> Iterator[int]:
            return iter([1, 2])

        def __len__(self) -> int:
            raise TypeError("nobody knows")

    with punktum.run("control", params={}) as run:
        assert list(run.track(Strange())) == [1, 2]
        assert list(run.track(number for number in range(2))) == [0, 1]
    end = box.spooled_end()
    assert (end["progress"], "total" in end) == (4, False)


def test_an_item_that_was_left_in_the_middle_is_not_counted(box: Box) -> None:
    with punktum.run("control", params={}) as run:
        for item in run.track(range(10)):
            if item == 4:
                break
    assert box.spooled_end()["progress"] == 4


def test_the_iterables_own_errors_are_the_jobs(box: Box) -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise OSError("no such file")

    def train() -> None:
        with punktum.run("control", params={}) as run:
            list(run.track(broken()))

    with pytest.raises(OSError, match="no such file"):
        train()
    assert box.spooled_end()["kind"] == "fail"


def test_a_stop_comes_between_two_items(online: Loopback) -> None:
    worked: list[int] = []

    def train() -> None:
        with punktum.run("control", params={}, beat_s=0.01) as run:
            for item in run.track(range(10**9)):
                if item == 3:
                    online.stops["control-01"] = {"rule": None, "text": "enough"}
                    wait_until(lambda: run._beats.progress == 3 and _heard(run))
                worked.append(item)

    def _heard(run: punktum.Run) -> bool:
        run._beats._beat_at = None
        run._beats.tick()
        return run.stop_requested is not None

    with pytest.raises(punktum.StopRun):
        train()
    assert worked == [0, 1, 2, 3]
    end = online.end("control-01")
    assert (end["kind"], end["progress"]) == ("stop", 4)


def test_tracking_goes_on_where_nothing_is_recorded(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "1")
    with punktum.run("control", params={}) as run:
        assert list(run.track(range(3))) == [0, 1, 2]
    assert not box.spool.exists()


# -- inputs -----------------------------------------------------------------------------------


def test_cut_inputs_add_up_and_are_sent_at_once(box: Box) -> None:
    with punktum.run("control", params={}, beat_s=1000) as run:
        run.progress(1)
        run.input_truncated("eval", 0, 100)
        run.input_truncated("eval", 2, 100)
        run.input_truncated("train", 1)
        beats = [event["inputs"] for event in box.spooled() if "inputs" in event]
    assert beats == [
        {"eval": {"expected": 200, "truncated": 2}},
        {"train": {"expected": 1, "truncated": 1}},
    ]
    assert box.spooled_end()["inputs"] == {
        "eval": {"expected": 200, "truncated": 2},
        "train": {"expected": 1, "truncated": 1},
    }


def test_a_flood_of_cut_inputs_is_no_flood_of_events(box: Box) -> None:
    with punktum.run("control", params={}, beat_s=1000) as run:
        for _ in range(2000):
            run.input_truncated("eval", 1, 1)
    assert len(box.spooled()) < 20
    assert box.spooled_end()["inputs"]["eval"] == {"expected": 2000, "truncated": 2000}


@pytest.mark.parametrize("name", ["eval", None])
def test_the_sealed_rule_fires_on_the_box(box: Box, name: str | None) -> None:
    rule = {"id": "cut", "kind": "input_truncated", "value": "3"}
    sealed(box, {**rule, "metric": name} if name else rule)
    counts: list[int] = []

    def train() -> None:
        with punktum.run("control", params={}) as run:
            for number in range(10):
                counts.append(number)
                run.input_truncated("eval", 1, 10)

    with pytest.raises(punktum.StopRun, match="4 of 40 eval are truncated"):
        train()
    assert counts == [0, 1, 2, 3]
    assert [(entry["rule"], entry["value"]) for entry in fired(box)] == [("cut", "4")]
    assert box.spooled_end()["reason_code"] == "rule:cut"


def test_strange_counts_and_too_many_names_disturb_nobody(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    with punktum.run("control", params={}) as run:
        run.input_truncated("eval", -5, -1)
        run.input_truncated("eval", 7, 3)
        run.input_truncated("eval", "many")  # type: ignore[arg-type]
        for number in range(150):
            run.input_truncated(f"name-{number}", 1, 1)
    inputs = box.spooled_end()["inputs"]
    assert "eval" not in inputs
    assert len(inputs) == 100
    said = capsys.readouterr().err
    assert said.count("later names are left out") == 1
    assert said.count("inputs of eval cut: -5 is below 0; not kept") == 1
    assert "while recording" not in said


# -- a job that ends itself -------------------------------------------------------------------


def test_a_job_ends_itself_with_a_reason(box: Box, capsys: pytest.CaptureFixture[str]) -> None:
    def train() -> None:
        with punktum.run("control", params={}) as run:
            run.stop("the loss does not fall any more")

    with pytest.raises(punktum.StopRun, match="does not fall") as stop:
        train()
    assert stop.value.rule is None
    end = box.spooled_end()
    assert (end["kind"], end["reason_code"]) == ("stop", "operator")
    assert end["reason_text"] == "the loss does not fall any more"
    assert "stop asked for by the job itself: the loss" in capsys.readouterr().err


def test_a_job_ends_itself_by_a_custom_rule(online: Loopback) -> None:
    online.rules = (StopRule("collapse", "custom"),)

    def train() -> None:
        with punktum.run("control", params={}) as run:
            wait_until(lambda: run._beats._judge.rules)
            run.stop("all outputs are the same", rule="collapse")

    with pytest.raises(punktum.StopRun, match="collapse: all outputs"):
        train()
    entries = [entry for event in online.of("control-01") for entry in event.get("fired", [])]
    assert [(entry["rule"], entry["act"], entry["text"]) for entry in entries] == [
        ("collapse", "stop", "all outputs are the same")
    ]
    end = online.end("control-01")
    assert (end["reason_code"], end["rule"]) == ("rule:collapse", "collapse")


def test_a_rule_that_the_plan_has_only_warn_stops_nobody(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    sealed(box, {"id": "collapse", "kind": "custom", "act": "warn"})
    with punktum.run("control", params={}) as run:
        run.stop("all the same", rule="collapse")
        assert run.stop_requested is None
    assert [(entry["rule"], entry["act"]) for entry in fired(box)] == [("collapse", "warn")]
    assert box.spooled_end()["kind"] == "finish"
    assert "rule collapse only warns by the plan" in capsys.readouterr().err


def test_a_rule_that_the_plan_does_not_have_is_no_reason(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    sealed(box, {"id": "collapse", "kind": "custom"})

    def train() -> None:
        with punktum.run("control", params={}) as run:
            run.stop("all the same", rule="colapse")

    with pytest.raises(punktum.StopRun):
        train()
    assert fired(box) == []
    end = box.spooled_end()
    assert (end["reason_code"], end["reason_text"]) == ("operator", "colapse: all the same")
    assert "rule colapse is not in the plan for this step" in capsys.readouterr().err


def test_without_raising_the_flag_says_it(box: Box) -> None:
    with punktum.run("control", params={}, raise_on_stop=False) as run:
        run.stop("enough", rule="mine")
        assert run.stop_requested is not None
        assert (run.stop_requested.rule, run.stop_requested.text) == ("mine", "enough")
    assert box.spooled_end()["reason_code"] == "rule:mine"


def test_a_process_that_does_not_report_stops_all_the_same(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "1")

    def train() -> None:
        with punktum.run("control", params={}) as run:
            run.stop("enough")

    with pytest.raises(punktum.StopRun, match="enough"):
        train()


def test_under_the_wrapper_the_jobs_own_stop_is_the_runs(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.rules = (StopRule("collapse", "custom"),)
    code = (
        "import punktum\n"
        "with punktum.run('control') as run:\n"
        "    run.stop('all the same', rule='collapse')\n"
    )
    assert box.run_job(code).code == 1
    end = server.end("control-01")
    assert (end["source"], end["kind"], end["reason_code"], end["reason_text"]) == (
        "wrapper", "stop", "rule:collapse", "all the same",
    )  # fmt: skip


# -- a resume ---------------------------------------------------------------------------------


def test_a_resume_says_where_it_goes_on(box: Box) -> None:
    with punktum.run("control", params={}, resumed_at=40) as run:
        list(run.track(range(2)))
    start, *_, end = box.spooled()
    assert (start["kind"], start["progress"]) == ("start", 40)
    assert (end["progress"], end["total"]) == (42, 42)


def test_under_a_wrapper_the_first_beat_says_where_it_goes_on(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    code = (
        "import punktum\nwith punktum.run('control', resumed_at=40) as run:\n    run.progress(41)\n"
    )
    assert box.run_job(code).code == 0
    inside = server.of("control-01", "main")
    assert [event["progress"] for event in inside] == [40, 41]
    assert "progress" not in server.of("control-01", "wrapper")[0]


def test_a_strange_number_of_steps_keeps_nobody_from_training(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    with punktum.run("control", params={}, resumed_at="x") as run:  # type: ignore[arg-type]
        run.progress(1)
    assert "progress" not in box.spooled()[0]
    assert "resumed_at: 'x' is no number; not kept" in capsys.readouterr().err


# -- a restore check that the job did itself --------------------------------------------------


def test_the_result_of_a_restore_check(box: Box) -> None:
    with punktum.run("restore-check", params={}) as run:
        run.restore_check(
            False, reason="loss differs", save_s=1.23456, restore_s=2, size=77, steps=20,
            states=["optimizer", "parameters", "hat"], compared="loss", expected=0.5, found=0.7,
            path="out/last.pt", colour="red", note=None,
        )  # fmt: skip
    (result,) = [event["restore"] for event in box.spooled() if "restore" in event]
    assert result == {
        "passed": False, "reason": "loss differs", "save_s": 1.235, "restore_s": 2.0, "size": 77,
        "steps": 20, "states": ["parameters", "optimizer"], "compared": "loss", "expected": "0.5",
        "found": "0.7", "path": "out/last.pt",
    }  # fmt: skip


def test_a_value_that_is_no_number_never_reaches_the_training_inside_a_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Odd:
        def __float__(self) -> float:
            raise RuntimeError("on another device")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PUNKTUM_RESTORE_VALUES", str(tmp_path / "values"))
    with punktum.run("control", params={}) as run:
        run.metrics({"loss": Odd(), "note": object(), "f1": "0.5"})
    lines = [json.loads(line) for line in (tmp_path / "values").read_text().splitlines()]
    assert [{k: v for k, v in line.items() if k != "at_s"} for line in lines] == [{"f1": 0.5}]


def test_a_rule_that_the_job_judges_itself_is_counted(
    online: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with punktum.run("control", params={}, beat_s=1000) as run:
        run.judged("mine", 0.3)
        run.judged("mine", "0.2 of the words")
        run.judged("other")
        run.metrics({"loss": 0.5})
    end = online.end("control-01")
    assert end["judged"] == {
        "mine": {"evaluated": 2, "hits": 0, "last": "0.2 of the words"},
        "other": {"evaluated": 1, "hits": 0, "last": None},
    }


def test_a_start_that_meets_a_living_attempt_is_taken_once_that_one_is_silent(
    online: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other machine is gone but not yet overdue: the run is recorded as soon as it is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("punktum.delivery.STILL_ALIVE_S", 0)
    problem = {"type": "/problems/attempt-alive", "detail": "control-01 still runs on box-1"}
    asked: list[int] = []

    def refuse(event: Mapping[str, Any]) -> tuple[int, dict[str, Any]] | None:
        if event["kind"] != "start" or len(asked) == 3:
            return None
        asked.append(409)
        return 409, problem

    online.refuse = refuse
    with punktum.run("control", run="control-01", params={}) as run:
        wait_until(lambda: online.kinds("control-01"))
        run.metric("loss", 0.5)
    assert len(asked) == 3
    assert online.kinds("control-01")[0] == "start"
    assert online.end("control-01")["kind"] == "finish"


def test_what_the_plan_watches_has_its_room_among_many_names(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PUNKTUM_SPOOL", str(box.spool))
    rule = {"id": "low", "kind": "below", "metric": "f1", "value": "0.5"}
    box.spool.mkdir(parents=True)
    sheet = {"format": "punktum-sheet/1", "rules": [rule], "metric_names": {"f1": "eval_f1"}}
    (box.spool / "sheet.json").write_text(json.dumps(sheet))
    with punktum.run("control", params={}, raise_on_stop=False) as run:
        run.metrics({f"layer{n}": n for n in range(600)})
        run.metric("eval_f1", 0.1)
        assert run.stop_requested is not None
        assert run.stop_requested.rule == "low"
