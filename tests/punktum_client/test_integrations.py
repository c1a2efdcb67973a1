"""What the integrations have in common, without any framework: one run of a process, its ends."""

from __future__ import annotations

import sys

import pytest

from punktum.integrations.factories import lightning_callbacks
from punktum.integrations.mlflow import RunContext
from punktum.integrations.session import size_of
from punktum.stop_rules import StopRule
from tests.punktum_client.box import Box, Done
from tests.punktum_client.loopback import Event, Loopback

BEGIN = (
    "import sys, punktum\n"
    "from punktum.integrations.session import session\n"
    "session.begin('control', {'lr': 0.1}, {'run': 'a-01'})\n"
    "session.progress(3, 10)\n"
    "session.metrics({'loss': 0.5, 'text': 'no number'})\n"
)


def _leave(box: Box, server: Loopback, code: str) -> tuple[Done, Event]:
    box.reports_to(server)
    done = box.python_code(BEGIN + code)
    return done, server.end("a-01")


def test_a_run_ends_with_its_process_so_that_what_follows_the_training_counts(
    box: Box, server: Loopback
) -> None:
    after = "session.ended()\nsession.metrics({'eval_f1': 0.8})\n"
    done, end = _leave(box, server, after)
    assert (done.code, end["kind"], end["progress"]) == (0, "finish", 3)
    assert end["metrics"] == {"loss": 0.5, "eval_f1": 0.8}
    assert server.of("a-01")[0]["config"]["params"]["lr"] == "0.1"


def test_two_trainings_of_a_process_are_one_run(box: Box, server: Loopback) -> None:
    again = "session.begin('control', {}, {})\nsession.progress(9, 10)\nsession.ended()\n"
    _, end = _leave(box, server, f"session.ended()\n{again}")
    assert (end["kind"], end["progress"]) == ("finish", 9)
    assert server.kinds("a-01").count("start") == 1


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        ("raise KeyError('x')\n", "fail", "KeyError: 'x'"),
        ("session.ended()\nraise KeyError('x')\n", "fail", "KeyError: 'x'"),
        ("session.failed(OSError('no space'))\nsys.exit(1)\n", "fail", "OSError: no space"),
        ("sys.exit(3)\n", "fail", "exit 1: left before the end of the training"),
        ("raise KeyboardInterrupt\n", "stop", "signal 2"),
    ],
)
def test_how_a_process_dies_is_told(
    box: Box, server: Loopback, code: str, kind: str, text: str
) -> None:
    done, end = _leave(box, server, code)
    assert done.code != 0
    assert (end["kind"], end["reason_text"]) == (kind, text)


def test_a_stop_is_the_end_even_where_the_training_was_cut_short(
    box: Box, server: Loopback
) -> None:
    server.rules = (StopRule("loss-not-finite", "non_finite", "loss"),)
    code = (
        "import time\n"
        "while session.stop_requested is None:\n"
        "    session.metrics({'loss': float('nan')})\n"
        "    time.sleep(0.02)\n"
    )
    _, end = _leave(box, server, code)
    assert (end["kind"], end["rule"]) == ("stop", "loss-not-finite")


def test_inside_a_block_the_trainer_reports_to_its_run(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.rules = (StopRule("loss-not-finite", "non_finite", "loss"),)
    code = (
        "import time, punktum\n"
        "from punktum.integrations.session import session\n"
        "with punktum.run('control', run='a-01') as run:\n"
        "    session.begin(None, {}, {})\n"
        "    while session.stop_requested is None:\n"
        "        session.metrics({'loss': float('nan')})\n"
        "        time.sleep(0.02)\n"
        "    session.ended()\n"
        "assert punktum.Run.current is None\n"
    )
    done = box.python_code(code)
    assert (done.code, "StopRun" in done.err) == (0, False), done.err
    assert {key[0] for key in server.record()} == {"a-01"}
    assert server.end("a-01")["rule"] == "loss-not-finite"


def test_a_forked_worker_ends_nothing(box: Box, server: Loopback) -> None:
    code = "import os\nif os.fork() == 0:\n    sys.exit(0)\nos.wait()\nsession.ended()\n"
    _, end = _leave(box, server, code)
    assert end["kind"] == "finish"


def test_importing_the_client_loads_no_integration(box: Box) -> None:
    code = (
        "import sys, punktum\npunktum.run\nassert not [m for m in sys.modules if 'integr' in m]\n"
    )
    assert box.python_code(code).code == 0


def test_lightning_gets_nothing_unless_somebody_wants_it(
    box: Box, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lightning_callbacks() == []
    assert capsys.readouterr().err == ""


def test_a_lightning_that_cannot_be_used_is_said_and_keeps_nobody_from_training(
    box: Box, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "punktum.integrations.lightning", raising=False)
    monkeypatch.setenv("PUNKTUM_URL", "http://127.0.0.1:1")
    assert lightning_callbacks() == []
    assert "NOT RECORDING" in capsys.readouterr().err


def test_the_tags_join_a_tracker_with_the_wrapper(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not RunContext().in_context()
    monkeypatch.setenv("PUNKTUM_STEP", "control")
    assert RunContext().tags() == {"punktum.step": "control"}
    monkeypatch.setenv("PUNKTUM_RUN_ID", "control-01")
    monkeypatch.setenv("PUNKTUM_ATTEMPT_ID", "ab" * 16)
    assert RunContext().in_context()
    assert RunContext().tags()["punktum.attempt"] == "ab" * 16


def test_the_size_of_a_folder_is_that_of_its_files(box: Box) -> None:
    assert size_of(box.folder / "none") is None
    (box.folder / "checkpoint" / "part").mkdir(parents=True)
    (box.folder / "checkpoint" / "a").write_bytes(b"123")
    (box.folder / "checkpoint" / "part" / "b").write_bytes(b"45")
    assert size_of(box.folder / "checkpoint") == 5
    assert size_of(box.folder / "checkpoint" / "a") == 3
