"""Hugging Face's Trainer: to its end, stopped by a loss that is not finite, killed and resumed."""

from __future__ import annotations

import re

from tests.integrations.conftest import TORCHRUN, Dashboard, Trainers

SCRIPT = "with_transformers.py"
WHOLE = ["parameters", "optimizer", "scheduler", "random", "data_position", "progress"]


def test_a_training_is_reported_to_its_end(box: Trainers, dashboard: Dashboard) -> None:
    done = box.alone(SCRIPT)
    assert done.code == 0, done.err
    run = dashboard.run()
    assert (run["status"], run["step"], run["progress"], run["total"]) == (
        "completed",
        "control",
        12,
        12,
    )
    assert {"loss", "grad_norm", "learning_rate", "eval_loss"} <= dashboard.metrics().keys()
    saved = [event for event in box.spooled() if event["kind"] == "checkpoint"]
    assert [event["progress"] for event in saved] == [4, 8, 12]
    assert all(event["states"] == WHOLE for event in saved)
    assert all(event["size"] > 1000 and event["write_s"] > 0 for event in saved)
    start = box.spooled()[0]
    assert start["config"]["params"]["learning_rate"] == "0.01"
    assert "output_dir" not in start["config"]["params"]


def test_a_loss_that_is_not_finite_stops_the_trainer(box: Trainers, dashboard: Dashboard) -> None:
    done = box.alone(SCRIPT, "--act", "nan", "--at", "5")
    assert done.code == 0, done.err
    assert "trained 5\n" in done.out
    run = dashboard.run()
    assert (run["status"], run["rule"], run["progress"]) == ("stopped", "loss-not-finite", 5)
    assert dashboard.metrics()["loss"] == "nan"
    saved = [event["progress"] for event in box.spooled() if event["kind"] == "checkpoint"]
    assert saved == [4], "a model that is no good is not saved over good ones"


def test_an_exception_in_the_training_is_the_end_that_is_told(
    box: Trainers, dashboard: Dashboard
) -> None:
    done = box.alone(SCRIPT, "--act", "raise", "--at", "3")
    assert done.code == 1
    run = dashboard.run()
    assert (run["status"], run["reason_code"]) == ("failed", "code_error")
    assert run["reason_text"] == "RuntimeError: the data loader broke"


def test_a_killed_training_goes_on_as_another_attempt(box: Trainers, dashboard: Dashboard) -> None:
    killed = box.wrapped(SCRIPT, "--act", "kill", "--at", "10")
    assert killed.code == 137
    run = dashboard.run()
    assert (run["status"], run["signal"]) == ("failed", 9)
    assert run["progress"] >= 8
    again = box.wrapped(SCRIPT, "--act", "kill", "--at", "10", "--resume")
    assert again.code == 0, again.err
    assert "step 9\n" in again.out
    assert "step 8\n" not in again.out
    run = dashboard.run()
    assert [one["status"] for one in run["attempts"]] == ["failed", "completed"]
    assert run["progress"] == 12


def test_two_processes_of_one_trainer_leave_together_and_one_reports(
    box: Trainers, dashboard: Dashboard
) -> None:
    done = box.wrapped(SCRIPT, "--act", "nan", "--at", "5", launcher=TORCHRUN)
    assert done.code == 0, done.err
    left = re.findall(r"trained (\d+)", done.out)
    assert left in (["5"] * 2, ["6"] * 2), done.out
    run = dashboard.run()
    assert (run["status"], run["rule"]) == ("stopped", "loss-not-finite")
    assert {event.get("source", "main") for event in box.spooled()} == {"wrapper", "main"}
