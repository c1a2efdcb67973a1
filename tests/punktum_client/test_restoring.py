"""``punktum restore-check``: real trainings that are saved, resumed in a new process, compared."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from punktum.comparing import Value, compare, pause_s, value_printed, values_in_file
from tests.punktum_client.box import Box, Done
from tests.punktum_client.loopback import Loopback, wait_until

TRAINER = Path(__file__).with_name("trainer.py")
TRAIN = f"{sys.executable} {TRAINER}"


def words(
    *more: str, save: str = "--steps 10 --save-at 5", resume: str = "--resume", way: str = "lines"
) -> tuple[str, ...]:
    return (
        *("restore-check", "--compare", "loss", "--steps", "5", "--output", "out"),
        *("--save", f"{TRAIN} {save} --report {way}"),
        *("--resume", f"{TRAIN} {resume} --report {way}"),
        *more,
    )


def check(box: Box, *more: str, **about: str) -> tuple[Done, dict[str, Any]]:
    """Do a check and read what it prints for a program."""
    done = box.run(*words(*more, "--json", **about))
    return done, (done.json() if done.out else {})


def spooled(box: Box) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted((box.folder / "out/.punktum/spool").glob("*--main.jsonl"))
        for line in path.read_text().splitlines()
    ]


def result(events: list[dict[str, Any]]) -> dict[str, Any]:
    (found,) = [event["restore"] for event in events if "restore" in event]
    return dict(found)


@pytest.mark.parametrize("way", ["lines", "json", "dict", "file", "punktum"])
def test_a_training_that_saves_all_it_needs_passes(box: Box, server: Loopback, way: str) -> None:
    box.reports_to(server)
    done, said = check(box, way=way)
    assert done.code == 0, done.err
    assert (said["passed"], said["steps"], said["run"]) == (True, 5, "restore-check-01")
    events = server.of("restore-check-01")
    assert [event["kind"] for event in events if event["kind"] != "beat"] == ["start", "finish"]
    assert {event["source"] for event in events} == {"main"}
    told = result(list(events))
    assert (told["passed"], told["compared"], told["steps"]) == (True, "loss", 5)
    assert told["expected"] == told["found"]
    assert told["size"] > 100
    assert told["restore_s"] > 0
    if way == "punktum":
        assert told["states"] == ["parameters", "random", "progress"]
        assert told["save_s"] == 1.25
    assert {key[0] for key in server.record()} == {"restore-check-01"}
    assert not list((box.folder / "out/.punktum/restore-check").iterdir())
    assert "path" not in told, "what is gone lies nowhere"


def test_a_state_that_was_left_out_is_found(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    done, said = check(box, resume="--resume --forget random")
    assert done.code == 1
    assert (said["passed"], said["first_differing_step"]) == (False, 1)
    assert said["reason"].startswith("loss differs at step 1 after the checkpoint: ")
    assert "nothing was loaded" not in said["reason"]
    end = server.end("restore-check-01")
    assert (end["kind"], end["reason_code"]) == ("fail", "code_error")
    assert end["reason_text"] == f"exit 1: restore check: {said['reason']}"
    told = result(list(server.of("restore-check-01")))
    assert told["passed"] is False
    assert told["expected"] != told["found"]
    (folder,) = (box.folder / "out/.punktum/restore-check").iterdir()
    assert told["path"] == str(folder / "saved")
    assert (folder / "saved" / "last.json").exists(), "what failed is kept for a look"


def test_a_resume_that_loads_nothing_is_told_as_such(box: Box) -> None:
    done, said = check(box, resume="--resume --forget all")
    assert done.code == 1
    assert said["reason"].endswith("these are the values of the first steps: nothing was loaded")


def test_a_resume_that_trains_from_the_beginning_does_not_pass(box: Box) -> None:
    """Its last values are those of the reference, and it has restored nothing."""
    done, said = check(box, resume="--steps 10")
    assert done.code == 1
    assert said["reason"] == (
        "--resume reported 10 values of loss, 5 are expected: it does not go on from the checkpoint"
    )


@pytest.mark.parametrize(
    ("about", "reason"),
    [
        ({"save": "--steps 3"}, "--save reported 3 values of loss, 5 are needed"),
        ({"resume": "--resume --steps 1"}, "--resume reported 1 value of loss, 5 are needed"),
    ],
)
def test_too_few_values_do_not_pass(box: Box, about: dict[str, str], reason: str) -> None:
    (box.folder / "out").mkdir()
    done, said = (
        check(box, **about) if "save" not in about else check(box, **about, resume="--steps 5")
    )
    assert (done.code, said["reason"]) == (1, reason)


def test_a_command_that_fails_is_the_reason(box: Box) -> None:
    done, said = check(box, save="--steps 5")
    assert done.code == 1
    assert said["reason"].startswith("--resume left with 1: FileNotFoundError")
    assert said["size"] is None
    done, said = check(box, save="--steps many")
    assert said["reason"].startswith("--save left with 2: ")


def test_how_long_saving_took_is_seen_in_the_pause(box: Box) -> None:
    _, said = check(box, save="--steps 10 --save-at 5 --slow-save 0.6")
    assert 0.5 < said["save_s"] < 20
    assert said["states"] is None


def test_states_are_named_and_known(box: Box) -> None:
    done, said = check(box, "--states", "parameters,random", "--states", "progress")
    assert (done.code, said["states"]) == (0, ["parameters", "random", "progress"])
    wrong = box.run(*words("--states", "hat"))
    assert wrong.code == 2
    assert "--states: hat unknown; there are parameters, optimizer" in wrong.err


def test_what_a_person_reads(box: Box) -> None:
    done = box.run(*words("--tolerance", "0"))
    first, second, third = done.out.splitlines()
    assert first == "passed    loss agrees over 5 steps (tolerance 0)"
    assert second.startswith("saved     ")
    assert third.endswith(" s to the first value")
    assert "step 10: eval_loss=9" in done.err


def test_values_that_never_change_are_said_to_prove_little(box: Box) -> None:
    same = "for n in 1 2 3 4 5; do echo loss=1; done; touch $PUNKTUM_RESTORE_FOLDER/x"
    done = box.run(
        "restore-check", "--compare", "loss", "--steps", "5", "--save", same, "--resume", same
    )
    assert done.code == 0
    assert "note      loss never changes: that it agrees proves little" in done.out


def test_the_step_is_the_plans_own(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.sheet["steps"] = [{"id": "control"}, {"id": "try-it", "role": "restore_check"}]
    assert check(box)[1]["run"] == "try-it-01"
    assert server.of("try-it-01")[0]["step"] == "try-it"
    assert check(box, "--step", "other")[1]["run"] == "other-01"


def test_a_server_that_is_away_gets_the_result_later(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.mode = "500"
    done, said = check(box)
    assert (done.code, said["passed"]) == (5, True)
    server.mode = "well"
    assert box.run("replay", "out").code == 0
    assert result(list(server.of("restore-check-01")))["passed"] is True
    assert server.end("restore-check-01")["kind"] == "finish"


def test_a_failed_check_is_1_whatever_the_server_does(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.mode = "500"
    assert check(box, resume="--resume --forget random")[0].code == 1


def test_a_start_that_is_refused_is_1(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.refuse = lambda event: (409, {"detail": "campaign closed"})
    done, said = check(box)
    assert (done.code, said["passed"]) == (1, True)
    assert "NOT RECORDING: campaign closed" in done.err


def test_no_server_is_a_normal_way_to_work(box: Box) -> None:
    done, _ = check(box)
    assert done.code == 0
    assert result(spooled(box))["passed"] is True


def test_a_check_inside_a_wrapper_is_a_run_of_its_own(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    inner = [box.python, "-m", "punktum", *words()]
    done = box.run("run", "--step", "control", "--", *inner)
    assert done.code == 0, done.err
    assert server.end("restore-check-01")["kind"] == "finish"
    assert server.end("control-01")["kind"] == "finish"
    assert server.kinds("control-01", "main") == []


@pytest.mark.parametrize(
    ("number", "code", "reason"), [(signal.SIGTERM, 143, "infra"), (signal.SIGINT, 130, "operator")]
)
def test_a_check_that_is_interrupted_says_so_and_leaves_nothing_running(
    box: Box, number: int, code: int, reason: str
) -> None:
    save = "echo $$ > ready; sleep 60"
    about = ("--compare", "loss", "--steps", "5", "--output", "out")
    job = box.punktum("restore-check", *about, "--save", save, "--resume", "true")
    ready = box.folder / "ready"
    wait_until(lambda: ready.exists() and ready.read_text())
    job.send_signal(number)
    assert box.done(job).code == code
    wait_until(lambda: not Path(f"/proc/{int(ready.read_text())}").exists())
    end = spooled(box)[-1]
    assert (end["kind"], end["reason_code"], end.get("signal")) == ("stop", reason, number)


def test_a_stop_ends_the_check(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.stops["restore-check-01"] = {"rule": None, "text": "enough"}
    about = ("--compare", "loss", "--steps", "5", "--output", "out")
    done = box.run("restore-check", *about, "--save", "sleep 60", "--resume", "true")
    assert done.code == 1
    assert server.end("restore-check-01")["reason_text"] == "enough"


def test_a_folder_that_takes_nothing_is_said(box: Box) -> None:
    (box.folder / "out").write_text("a file")
    done = box.run(*words())
    assert done.code == 1
    assert "the restore check cannot be done" in done.err


@pytest.mark.parametrize(
    "wrong", [("--steps", "0"), ("--steps", "x"), ("--tolerance", "-1"), ("--tolerance", "nan")]
)
def test_wrong_usage(box: Box, wrong: tuple[str, str]) -> None:
    assert box.run(*words(*wrong)).code == 2
    assert not os.listdir(box.folder)


def test_of_a_group_of_processes_the_first_one_reports(box: Box) -> None:
    code = "import punktum; punktum.run('x').__enter__().metric('loss', 1)"
    box.environment["PUNKTUM_RESTORE_VALUES"] = str(box.folder / "values")
    for rank in ("1", "0"):
        box.environment["RANK"] = rank
        assert box.python_code(code).code == 0
    assert len((box.folder / "values").read_text().splitlines()) == 1
    assert not box.spool.exists()


# -- the pure parts ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("loss=0.5", 0.5),
        ("loss = 0.5", 0.5),
        ("step 3: loss: 1e-3, lr 0.1", 1e-3),
        ('{"loss": 0.25, "step": 3}', 0.25),
        ("{'loss': '0.25', 'epoch': 1}", 0.25),
        ("loss=-.5", -0.5),
        ("LOSS=2", 2.0),
        ("loss=inf", float("inf")),
        ("loss=1 loss=2", 2.0),
        ("eval_loss=0.5", None),
        ("my.loss=0.5", None),
        ("loss=0.5.3", None),
        ("loss=0x10", None),
        ("loss", None),
        ("no loss here", None),
    ],
)
def test_values_are_found_in_what_trainings_print(line: str, value: float | None) -> None:
    assert value_printed(line, "loss") == value


def test_a_file_of_values_may_hold_anything_else() -> None:
    lines = ['{"loss": 1, "at_s": 3.5}', "torn {", "[1]", '{"loss": true}', '{"f1": 2}',
             '{"loss": "0.5"}', '{"loss": "x"}', '{"checkpoint": {"size": 3}}']  # fmt: skip
    values, checkpoints = values_in_file("\n".join(lines), "loss")
    assert values == [(1.0, 3.5), (0.5, None)]
    assert checkpoints == [{"size": 3}]


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "agrees"),
    [
        (0.5, 0.5, 0.0, True),
        (0.5, 0.5 + 1e-9, 0.0, False),
        (0.5, 0.5 + 1e-9, 1e-6, True),
        (2000.0, 2000.001, 1e-6, True),
        (2000.0, 2000.1, 1e-6, False),
        (float("nan"), float("nan"), 1.0, False),
        (float("inf"), float("inf"), 1.0, False),
    ],
)
def test_how_far_values_may_lie_apart(
    one: float, other: float, tolerance: float, agrees: bool
) -> None:
    found = compare([9.0, one], [other], name="loss", steps=1, tolerance=tolerance)
    assert found.passed is agrees


def test_the_first_step_that_differs_is_named() -> None:
    found = compare([1, 2, 3, 4, 5, 6], [4, 5, 7], name="loss", steps=3, tolerance=0)
    assert (found.passed, found.first, found.expected, found.found) == (False, 3, "6", "7")
    assert found.reason == "loss differs at step 3 after the checkpoint: 6 expected, 7 found"


def test_a_pause_is_only_seen_where_there_is_one() -> None:
    def at(*moments: float) -> list[Value]:
        return [Value(0.0, moment) for moment in moments]

    assert pause_s(at(1, 2, 3, 8, 9, 10), 3) == 4
    assert pause_s(at(1, 1, 1, 1), 2) is None
    assert pause_s(at(8, 9, 10), 3) is None
