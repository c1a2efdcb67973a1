"""``punktum.run`` in a training: what is recorded, and that nothing of ours disturbs it."""

from __future__ import annotations

import json
import math
import os
import re
import socket
import threading
from pathlib import Path

import pytest

import punktum
from punktum.events import Identity
from punktum.spool import SpoolWriter
from punktum.stop_rules import StopRule
from tests.punktum_client.box import TOKEN, Box
from tests.punktum_client.loopback import Loopback, wait_until

NAN_RULE = StopRule("loss-not-finite", "non_finite", "loss")


@pytest.fixture
def online(box: Box, server: Loopback, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    """This process reports to the server."""
    monkeypatch.setenv("PUNKTUM_URL", server.url)
    monkeypatch.setenv("PUNKTUM_TOKEN", TOKEN)
    return server


def test_a_run_from_start_to_end(online: Loopback) -> None:
    with punktum.run("control", params={"lr": 0.1}) as run:
        for step in range(5):
            run.progress(step + 1, 5)
            run.metrics({"loss": 1 / (step + 1), "f1": step / 10})
        assert run.id == "control-01"
        assert run.stop_requested is None
    start, *_, finish = online.of("control-01")
    assert start["kind"] == "start"
    assert start["step"] == "control"
    assert start["config"]["params"] == {"lr": "0.1"}
    assert re.fullmatch(r"[0-9a-f]{64}", start["config_sha256"])
    assert re.fullmatch(r"[0-9a-f]{32}", start["attempt_id"])
    assert start["pid"] == os.getpid()
    assert start["expect_next_s"] == 60
    assert finish["kind"] == "finish"
    assert (finish["progress"], finish["total"], finish["exit_code"]) == (5, 5, 0)
    assert finish["metrics"] == {"loss": 0.2, "f1": 0.4}
    assert {event["source"] for event in online.of("control-01")} == {"main"}
    assert online.tokens == {f"Bearer {TOKEN}"}
    assert (online.duplicates, online.connections) == (0, 1)


def test_instants_have_an_offset_and_absent_fields_are_absent(online: Loopback) -> None:
    with punktum.run("control", params={}) as run:
        run.progress(1)
    for event in online.of("control-01"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["at"])
        assert None not in event.values()
        assert event["elapsed_s"] >= 0


def test_an_exception_is_a_failure_with_its_last_line(online: Loopback) -> None:
    with pytest.raises(ZeroDivisionError), punktum.run("control", params={}):
        print(1 / 0)
    end = online.end("control-01")
    assert (end["kind"], end["reason_code"], end["exit_code"]) == ("fail", "code_error", 1)
    assert end["reason_text"] == "ZeroDivisionError: division by zero"
    assert "Traceback" in end["log_tail"]


@pytest.mark.parametrize(
    ("code", "kind", "exit_code"),
    [(None, "finish", 0), (0, "finish", 0), (3, "fail", 3), ("no data", "fail", 1)],
)
def test_leaving_by_sys_exit(
    online: Loopback, code: int | str | None, kind: str, exit_code: int
) -> None:
    with pytest.raises(SystemExit), punktum.run("control", params={}):
        raise SystemExit(code)
    end = online.end("control-01")
    assert (end["kind"], end["exit_code"]) == (kind, exit_code)


def test_ctrl_c_is_a_stop_by_the_operator(online: Loopback) -> None:
    with pytest.raises(KeyboardInterrupt), punktum.run("control", params={}):
        raise KeyboardInterrupt
    end = online.end("control-01")
    assert (end["kind"], end["reason_code"], end["signal"]) == ("stop", "operator", 2)


def test_the_servers_rule_stops_the_loop(online: Loopback) -> None:
    online.rules = (NAN_RULE,)
    seen = 0

    def train() -> None:
        nonlocal seen
        with punktum.run("control", params={}) as run:
            while seen < 10_000_000:
                run.metric("loss", math.nan)
                seen += 1

    with pytest.raises(punktum.StopRun, match="loss is nan") as stop:
        train()
    assert stop.value.rule == "loss-not-finite"
    end = online.end("control-01")
    assert (end["kind"], end["reason_code"]) == ("stop", "rule:loss-not-finite")
    assert (end["rule"], end["reason_text"]) == ("loss-not-finite", "loss is nan")
    assert end["metrics"] == {"loss": "nan"}


def test_a_person_stops_the_loop(online: Loopback) -> None:
    online.stops["control-01"] = {"rule": None, "text": "enough"}

    def train() -> None:
        with punktum.run("control", params={}) as run:
            wait_until(lambda: run.stop_requested)
            run.progress(1)

    with pytest.raises(punktum.StopRun):
        train()
    end = online.end("control-01")
    assert (end["kind"], end["reason_code"], end["reason_text"]) == ("stop", "operator", "enough")
    assert "rule" not in end


def test_a_framework_may_look_at_the_flag_instead(online: Loopback) -> None:
    online.rules = (NAN_RULE,)
    with punktum.run("control", params={}, raise_on_stop=False) as run:
        run.metric("loss", math.nan)
        wait_until(lambda: run.stop_requested)
        assert run.stop_requested is not None
        assert run.stop_requested.rule == "loss-not-finite"
        with pytest.raises(punktum.StopRun):
            run.raise_if_stopped()
    end = online.end("control-01")
    assert (end["kind"], end["rule"], end["exit_code"]) == ("stop", "loss-not-finite", 0)


def test_a_rule_that_warns_stops_nobody(
    online: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    online.rules = (StopRule("careful", "above", "loss", value="1", act="warn"),)
    with punktum.run("control", params={}) as run:
        wait_until(lambda: run._beats._judge.rules)
        run.metric("loss", 2)
        assert run.stop_requested is None
    fired = [entry for event in online.of("control-01") for entry in event.get("fired", [])]
    assert [(entry["rule"], entry["act"], entry["value"]) for entry in fired] == [
        ("careful", "warn", "2")
    ]
    assert online.end("control-01")["kind"] == "finish"
    assert "rule careful warns (fired on the box): loss 2 is above 1" in capsys.readouterr().err


def test_without_a_server_the_kept_sheets_rules_are_judged_here(box: Box) -> None:
    box.spool.mkdir(parents=True)
    sheet = {
        "format": "punktum-sheet/1",
        "metric_names": {"loss": "train_loss"},
        "rules": [{"id": "loss-not-finite", "kind": "non_finite", "metric": "loss"}],
    }
    (box.spool / "sheet.json").write_text(json.dumps(sheet))

    def train() -> None:
        with punktum.run("control", params={}) as run:
            run.metric("train_loss", 0.5)
            run.metric("train_loss", math.nan)

    with pytest.raises(punktum.StopRun):
        train()
    fired = [entry for event in box.spooled() for entry in event.get("fired", [])]
    assert [(entry["rule"], entry["metric"], entry["value"]) for entry in fired] == [
        ("loss-not-finite", "loss", "nan")
    ]
    assert box.spooled_end()["reason_code"] == "rule:loss-not-finite"


def test_no_server_is_a_normal_way_to_work(box: Box, capsys: pytest.CaptureFixture[str]) -> None:
    with punktum.run("control", params={}) as run:
        run.progress(1, 2)
        run.metric("loss", 0.5)
        run.checkpoint("last.pt", 1234, states=["parameters", "optimizer"], write_s=1.5)
    kinds = [event["kind"] for event in box.spooled()]
    assert kinds == ["start", "beat", "beat", "checkpoint", "finish"]
    checkpoint = box.spooled()[3]
    assert (checkpoint["path"], checkpoint["size"], checkpoint["write_s"]) == ("last.pt", 1234, 1.5)
    assert checkpoint["states"] == ["parameters", "optimizer"]
    assert checkpoint["progress"] == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("punktum: no PUNKTUM_URL: events of control-01 are kept; ")


def test_a_checkpoints_size_is_looked_up(box: Box) -> None:
    (box.folder / "last.pt").write_bytes(b"x" * 77)
    with punktum.run("control", params={}) as run:
        run.checkpoint("last.pt")
        run.checkpoint("not-there.pt")
    sizes = [event.get("size") for event in box.spooled() if event["kind"] == "checkpoint"]
    assert sizes == [77, None]


@pytest.mark.parametrize("mode", ["hang", "garbage", "500", "drop", "404", "401"])
def test_a_server_in_any_state_disturbs_nothing(box: Box, server: Loopback, mode: str) -> None:
    server.mode = mode
    box.reports_to(server)
    done = box.python_code(
        "import punktum\n"
        "with punktum.run('control', params={}) as run:\n"
        "    for step in range(2000):\n"
        "        run.progress(step, 2000)\n"
        "        run.metric('loss', float('nan'))\n"
        "print('trained')\n"
    )
    assert (done.code, done.out) == (0, "trained\n")
    assert box.spooled_end()["kind"] == "finish"
    assert TOKEN not in done.err
    assert "punktum replay" in done.err


def test_no_step_waits_for_a_hanging_server(box: Box, server: Loopback) -> None:
    """All steps are done while the first post still hangs."""
    server.mode = "hang"
    box.reports_to(server)
    done = box.python_code(
        "import punktum, threading\n"
        "with punktum.run('control', params={}) as run:\n"
        "    for step in range(20000):\n"
        "        run.metric('loss', step)\n"
        "    sender = run._recorder._sender\n"
        "    print(sender._failures, sender._served)\n"
    )
    assert (done.code, done.out) == (0, "0 0\n")


def test_a_token_that_is_not_taken_is_said_and_tried_again(
    online: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    online.mode = "401"
    with punktum.run("control", params={}) as run:
        wait_until(lambda: run._recorder and run._recorder._hearing.trouble)
        online.mode = "well"
    assert online.end("control-01")["kind"] == "finish"
    said = capsys.readouterr().err
    assert "NOT RECORDING: told to say 401 (401); events wait in" in said
    assert "control-01 is recorded now; what waited is being sent" in said


def test_a_refused_start_says_so_and_offers_the_next_id(
    online: Loopback, box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = {
        "type": "x/problems/new-id-needed",
        "detail": "a-01 ran with another configuration: params.lr",
        "next_id": "a-02",
    }
    online.refuse = lambda event: (409, problem) if event["run"] == "a-01" else None
    with punktum.run("control", run="a-01", params={}) as run:
        wait_until(lambda: run._recorder and run._recorder.start_news.word == "refused")
        run.metric("loss", 1)
    assert online.record() == {}
    assert box.spooled_end()["kind"] == "finish"
    said = capsys.readouterr().err
    assert "punktum: NOT RECORDING: a-01 ran with another configuration: params.lr" in said
    assert "the next id is a-02 (--run a-02)" in said


def test_strict_raises_when_the_start_is_refused(online: Loopback) -> None:
    online.refuse = lambda event: (409, {"detail": "closed", "next_id": "a-02"})
    with pytest.raises(punktum.NotRecording, match=r"closed \(next id: a-02\)"):
        punktum.run("control", params={}, strict=True).__enter__()


def test_strict_raises_when_no_server_answers(online: Loopback, box: Box) -> None:
    online.close()
    with pytest.raises(punktum.NotRecording, match="does not answer"):
        punktum.run("control", params={}, strict=True).__enter__()
    end = box.spooled_end()
    assert (end["kind"], end["reason_code"]) == ("fail", "infra")


def test_strict_raises_without_an_address(box: Box) -> None:
    with pytest.raises(punktum.NotRecording, match="no PUNKTUM_URL"):
        punktum.run("control", params={}, strict=True).__enter__()


def test_strict_trains_when_all_is_well(online: Loopback) -> None:
    with punktum.run("control", params={}, strict=True) as run:
        run.progress(1)
    assert online.end("control-01")["kind"] == "finish"


@pytest.mark.parametrize(
    "variables",
    [
        {"PUNKTUM_URL": "ftp://example.org"},
        {"PUNKTUM_URL": "http://a:b@127.0.0.1:1"},
        {"PUNKTUM_URL": "http://127.0.0.1:99999"},
        {"PUNKTUM_URL": "http://127.0.0.1:1", "PUNKTUM_TOKEN_FILE": "gone"},
        {"PUNKTUM_URL": "http://127.0.0.1:1", "PUNKTUM_TOKEN": "two words"},
        {"PUNKTUM_RUN_ID": "no/slashes"},
        {"PUNKTUM_SPOOL": "/dev/null/spool"},
    ],
)
def test_wrong_settings_keep_nobody_from_training(box: Box, variables: dict[str, str]) -> None:
    box.environment = variables
    done = box.python_code(
        "import punktum\n"
        "with punktum.run('control', params={}) as run:\n"
        "    run.metric('loss', 1)\n"
        "    run.checkpoint('x')\n"
        "print('trained')\n"
    )
    assert (done.code, done.out) == (0, "trained\n")
    assert done.err.startswith("punktum: ")
    assert "Traceback" not in done.err


def test_a_full_disk_is_said_once_and_the_server_gets_everything(
    box: Box, server: Loopback
) -> None:
    """The process may write 3 kB per file: the spool is full long before the end."""
    box.reports_to(server)
    done = box.python_code(
        "import punktum, resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "with punktum.run('control', params={}, run='a-01', beat_s=0.001) as run:\n"
        "    for step in range(300):\n"
        "        run.progress(step, 300)\n"
        "        run.metric('loss', float('nan'))\n"
        "        run._beats.flush()\n"
        "print('trained')\n"
    )
    assert (done.code, done.out) == (0, "trained\n")
    assert done.err.count("events are kept in memory only") == 1
    numbers = [event["seq"] for event in server.of("a-01")]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 100
    assert server.end("a-01")["metrics"] == {"loss": "nan"}


def test_killed_without_warning_nothing_written_is_lost(box: Box) -> None:
    done = box.python_code(
        "import os, signal, punktum\n"
        "with punktum.run('control', params={}) as run:\n"
        "    run.progress(7, 9)\n"
        "    run.metric('loss', 0.5)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert done.code == -9
    assert [event["kind"] for event in box.spooled()] == ["start", "beat", "beat"]


def test_a_forked_worker_reports_nothing(online: Loopback) -> None:
    with punktum.run("control", params={}) as run:
        run.metric("loss", 1)
        worker = os.fork()
        if worker == 0:
            run.metric("loss", math.nan)
            run.checkpoint("x")
            run.__exit__(None, None, None)
            os._exit(0)
        assert os.waitpid(worker, 0)[1] == 0
        run.metric("loss", 2)
    assert online.kinds("control-01") == ["start", "beat", "beat", "finish"]
    assert online.end("control-01")["metrics"] == {"loss": 2}


def test_only_the_first_process_of_a_group_reports(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "3")
    with punktum.run("control", params={}) as run:
        run.progress(1)
        run.metric("loss", math.nan)
    assert not box.spool.exists()
    assert run.attempt_id is None


def test_many_threads_may_report_at_once(online: Loopback) -> None:
    with punktum.run("control", params={}, beat_s=0.05) as run:

        def report() -> None:
            for number in range(500):
                run.metric("loss", number)

        threads = [threading.Thread(target=report) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    numbers = [event["seq"] for event in online.of("control-01")]
    assert numbers == list(range(1, len(numbers) + 1))


def test_without_a_with_block_nothing_is_recorded_and_that_is_said(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    run = punktum.run("control", params={})
    run.progress(1)
    run.metric("loss", 1)
    assert not box.spool.exists()
    said = "punktum: NOT RECORDING: use it as \"with punktum.run('control') as run:\"\n"
    assert capsys.readouterr().err == said


def test_it_beats_by_itself_while_a_step_takes_long(online: Loopback) -> None:
    with punktum.run("control", params={}, beat_s=0.05):
        wait_until(lambda: online.kinds("control-01").count("beat") >= 2)
    assert online.end("control-01")["kind"] == "finish"


def test_a_server_that_comes_back_gets_what_waited(box: Box, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    os.environ.update(PUNKTUM_URL=f"http://127.0.0.1:{port}", PUNKTUM_TOKEN=TOKEN)
    try:
        with punktum.run("control", params={}) as run:
            run.metric("loss", 1)
            wait_until(lambda: run._recorder and run._recorder._hearing.trouble)
            server = Loopback(port)
            run.metric("loss", 2)
            wait_until(lambda: server.kinds("control-01"))
    finally:
        del os.environ["PUNKTUM_URL"], os.environ["PUNKTUM_TOKEN"]
    assert server.end("control-01")["metrics"] == {"loss": 2}
    server.close()


def test_a_resumed_run_keeps_its_id_and_a_new_configuration_gets_the_next(box: Box) -> None:
    def attempt(ends: BaseException | None = None, **params: object) -> str:
        run = punktum.run("control", params=params)
        run.__enter__()
        run.__exit__(type(ends) if ends else None, ends, None)
        return run.id

    assert attempt(KeyboardInterrupt(), lr=1) == "control-01"
    assert attempt(lr=1) == "control-01"
    assert attempt(lr=1) == "control-02"
    assert attempt(lr=2) == "control-03"
    starts = [event for event in box.spooled() if event["kind"] == "start"]
    parents = {event["run"]: event.get("parent") for event in starts}
    assert parents == {"control-01": None, "control-02": None, "control-03": "control-02"}


def test_an_attempt_whose_process_is_gone_is_named_at_the_next_start(box: Box) -> None:
    code = (
        "import os, signal, punktum\n"
        "with punktum.run('control', params={}) as run:\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    box.python_code(code)
    gone = box.spooled()[0]["attempt_id"]
    with punktum.run("control", params={}) as run:
        assert run.id == "control-01"
        second = next(event for event in box.spooled() if event["attempt_id"] == run.attempt_id)
        assert second["gone_attempts"] == [gone]
        with punktum.run("control", params={}) as beside:
            assert beside.id == "control-02"


def test_an_attempt_lives_as_long_as_the_code_inside(box: Box) -> None:
    """A wrapper that was killed leaves the training behind: nothing resumes beside it unsaid."""
    inside = (
        "import os, punktum, signal, time\n"
        "with punktum.run('control') as run:\n"
        "    run.progress(1)\n"
        "    open('ready', 'w').write(str(os.getpid()))\n"
        "    time.sleep(60)\n"
    )
    (box.folder / "train.py").write_text(inside)
    words = ("run", "--step", "control", "--", box.python, "train.py")
    first = box.punktum(*words)
    ready = box.folder / "ready"
    wait_until(lambda: ready.exists() and ready.read_text())
    first.kill()
    box.done_with(first)
    (box.folder / "train.py").write_text("pass")
    beside = box.run(*words)
    assert "punktum: control-01 still runs on this box; this is another run, control-02" in (
        beside.err.splitlines()
    )
    os.kill(int(ready.read_text()), 9)


def test_the_head_is_kept_as_an_outside_witness(online: Loopback, box: Box) -> None:
    with punktum.run("control", params={}) as run:
        run.metric("loss", 1)
    heads = [json.loads(line) for line in (box.spool / "heads.jsonl").read_text().splitlines()]
    assert heads[-1]["number"] == len(online.record())
    assert heads[-1]["sha256"] == f"{heads[-1]['number']:064x}"


def test_the_sheet_is_fetched_and_kept(online: Loopback, box: Box) -> None:
    online.sheet["steps"] = [{"id": "control"}]
    with punktum.run("control", params={}):
        wait_until(lambda: (box.spool / "sheet.json").exists())
    assert json.loads((box.spool / "sheet.json").read_text()) == online.sheet


def test_a_warning_of_the_server_is_said_once(
    online: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    online.warnings = ['step "contorl" is not in the plan; did you mean "control"?']
    with punktum.run("contorl", params={}) as run:
        run.metric("loss", 1)
        run.checkpoint("x")
    assert capsys.readouterr().err.count('punktum: step "contorl" is not in the plan') == 1


def test_code_under_a_wrapper_attaches_and_posts_neither_start_nor_end(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = SpoolWriter(box.spool, Identity("a-01", "0f" * 16, "wrapper"))
    wrapper.append({"kind": "start", "step": "control"})
    monkeypatch.setenv("PUNKTUM_RUN_ID", "a-01")
    monkeypatch.setenv("PUNKTUM_ATTEMPT_ID", "0f" * 16)
    with punktum.run("control", params={}) as run:
        assert (run.id, run.attempt_id) == ("a-01", "0f" * 16)
        run.metric("loss", 1)
        run.metric("loss", 2)
    events = [event for event in box.spooled() if event["source"] == "main"]
    assert [event["kind"] for event in events] == ["beat", "beat"]
    assert events[-1]["metrics"] == {"loss": 2}
