"""Lightning, told nothing of Punktum: being installed is enough where the address is set."""

from __future__ import annotations

from tests.integrations.conftest import Dashboard, Trainers

SCRIPT = "with_lightning.py"
OURS = "punktum.integrations.lightning"


def test_unchanged_code_is_reported_to_its_end(box: Trainers, dashboard: Dashboard) -> None:
    done = box.alone(SCRIPT, PUNKTUM_STEP="control")
    assert done.code == 0, done.err
    run = dashboard.run()
    assert (run["status"], run["step"], run["progress"], run["total"]) == (
        "completed",
        "control",
        12,
        12,
    )
    assert {"loss", "train_loss", "val_loss"} <= dashboard.metrics().keys()
    saved = [event for event in box.spooled() if event["kind"] == "checkpoint"]
    assert saved
    assert saved[-1]["states"] == ["parameters", "optimizer", "scheduler", "progress"]
    assert saved[-1]["size"] > 1000
    assert saved[-1]["write_s"] > 0
    assert box.spooled()[0]["config"]["params"]["lr"] == "0.01"


def test_without_an_address_nothing_is_added(box: Trainers) -> None:
    del box.environment["PUNKTUM_URL"]
    done = box.alone(SCRIPT)
    assert done.code == 0, done.err
    assert OURS not in done.out
    assert "punktum" not in done.err
    assert not box.spool.exists()


def test_under_the_wrapper_a_loss_that_is_not_finite_stops_it(
    box: Trainers, dashboard: Dashboard
) -> None:
    done = box.wrapped(SCRIPT, "nan")
    assert done.code == 0, done.err
    assert OURS in done.out
    assert "steps 6\n" in done.out
    run = dashboard.run()
    assert (run["status"], run["rule"], run["progress"]) == ("stopped", "loss-not-finite", 6)


def test_an_exception_is_told(box: Trainers, dashboard: Dashboard) -> None:
    done = box.alone(SCRIPT, "raise", PUNKTUM_STEP="control")
    assert done.code == 1
    run = dashboard.run()
    assert (run["status"], run["reason_text"]) == ("failed", "RuntimeError: the data loader broke")


def test_two_processes_of_one_trainer_leave_together_and_one_reports(
    box: Trainers, dashboard: Dashboard
) -> None:
    done = box.wrapped(SCRIPT, "nan", "2")
    assert done.code == 0, done.err
    assert done.out.count("steps 6\n") == 2
    run = dashboard.run()
    assert (run["status"], run["rule"], run["progress"]) == ("stopped", "loss-not-finite", 6)
    assert {event.get("source", "main") for event in box.spooled()} == {"wrapper", "main"}
