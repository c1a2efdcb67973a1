"""Two real processes under torchrun and the wrapper: one reports, and both leave together."""

from __future__ import annotations

from tests.integrations.conftest import TORCHRUN, Dashboard, Trainers


def test_both_ranks_leave_at_the_same_step(box: Trainers, dashboard: Dashboard) -> None:
    done = box.wrapped("with_torchrun.py", launcher=TORCHRUN)
    assert done.code == 0, done.err
    left = [(box.folder / f"left-{rank}").read_text() for rank in (0, 1)]
    assert left == ["0 left: loss-not-finite", "1 left: loss-not-finite"]
    steps = [(box.folder / f"step-{rank}").read_text() for rank in (0, 1)]
    assert steps == ["6", "6"]
    run = dashboard.run()
    assert (run["status"], run["rule"], run["exit_code"]) == ("stopped", "loss-not-finite", 0)
    assert {event.get("source", "main") for event in box.spooled()} == {"wrapper", "main"}


def test_a_group_that_ignores_the_stop_gets_a_signal(box: Trainers, dashboard: Dashboard) -> None:
    job = box.start_wrapped("with_torchrun.py", "ignores", launcher=TORCHRUN, grace="2")
    done = box.done(job)
    assert done.code != 0
    assert "SIGTERM" in done.err, "asked to leave, not yet killed"
    steps = [int((box.folder / f"step-{rank}").read_text()) for rank in (0, 1)]
    assert all(6 < step < 1999 for step in steps), "cut down in the middle"
    assert not list(box.folder.glob("left-*"))
    run = dashboard.run()
    assert (run["status"], run["rule"]) == ("stopped", "loss-not-finite")
    assert {event.get("source", "main") for event in box.spooled()} == {"wrapper", "main"}
