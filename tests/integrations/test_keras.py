"""Keras 3 with torch below it."""

from __future__ import annotations

from tests.integrations.conftest import Dashboard, Trainers

SCRIPT = "with_keras.py"


def test_a_training_is_reported_to_its_end(box: Trainers, dashboard: Dashboard) -> None:
    done = box.alone(SCRIPT)
    assert done.code == 0, done.err
    run = dashboard.run()
    assert (run["status"], run["step"], run["progress"], run["total"]) == (
        "completed",
        "control",
        9,
        9,
    )
    assert {"loss", "val_loss"} <= dashboard.metrics().keys()
    saved = [event for event in box.spooled() if event["kind"] == "checkpoint"]
    assert [event["path"] for event in saved] == ["out-1.keras", "out-2.keras", "out-3.keras"]
    assert all("optimizer" in event["states"] and event["size"] > 1000 for event in saved)
    assert box.spooled()[0]["config"]["params"]["optimizer.name"] == "sgd"


def test_a_loss_that_is_not_finite_stops_it_at_once(box: Trainers, dashboard: Dashboard) -> None:
    done = box.wrapped(SCRIPT, "nan")
    assert done.code == 0, done.err
    assert "epoch 2" not in done.out
    run = dashboard.run()
    assert (run["status"], run["rule"], run["progress"]) == ("stopped", "loss-not-finite", 4)


def test_an_exception_is_told(box: Trainers, dashboard: Dashboard) -> None:
    done = box.alone(SCRIPT, "raise")
    assert done.code == 1
    run = dashboard.run()
    assert (run["status"], run["reason_text"]) == ("failed", "RuntimeError: the data loader broke")
