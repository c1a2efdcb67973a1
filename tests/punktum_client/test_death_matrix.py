"""How a job ends, with real processes: state, reason and the wrapper's exit code."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from punktum.death import ending_of_process
from punktum.machine import memory_kills
from punktum.marks import StopRequest
from punktum.pressure import Pressure
from punktum.stop_rules import StopRule
from tests.punktum_client.box import HANG_GUARD_S, TOKEN, Box
from tests.punktum_client.loopback import Loopback, wait_until

READY = "import os, signal, sys, time; open('ready', 'w').write(str(os.getpid())); "
SLEEP = "time.sleep(60)"


@pytest.fixture
def online(box: Box, server: Loopback) -> Loopback:
    """The box reports to the server."""
    box.reports_to(server)
    return server


def ready(box: Box) -> int:
    """Wait until the job runs; its process id."""
    path = box.folder / "ready"
    wait_until(lambda: path.exists() and path.read_text())
    return int(path.read_text())


def told(end: dict[str, Any], *names: str) -> list[Any]:
    return [end.get(name) for name in ("kind", "reason_code", *names)]


def test_exit_0(box: Box, online: Loopback) -> None:
    done = box.run_job("print('out'); import sys; print('err', file=sys.stderr)")
    assert (done.code, done.out) == (0, "out\n")
    assert "err\n" in done.err
    end = online.end("control-01")
    assert told(end, "exit_code", "log_tail") == ["finish", None, 0, "err\n"]
    assert online.kinds("control-01", "wrapper") == ["start", "finish"]


def test_exit_3(box: Box, online: Loopback) -> None:
    done = box.run_job("import sys; print('no such corpus', file=sys.stderr); sys.exit(3)")
    assert done.code == 3
    end = online.end("control-01")
    assert told(end, "exit_code", "reason_text") == [
        "fail", "code_error", 3, "exit 3: no such corpus",
    ]  # fmt: skip


def test_an_uncaught_exception(box: Box, online: Loopback) -> None:
    done = box.run_job("1 / 0")
    assert done.code == 1
    end = online.end("control-01")
    assert told(end, "exit_code", "reason_text") == [
        "fail", "code_error", 1, "exit 1: ZeroDivisionError: division by zero",
    ]  # fmt: skip
    assert "Traceback" in end["log_tail"]


def test_an_uncaught_exception_inside_punktum_run(box: Box, online: Loopback) -> None:
    code = "import punktum\nwith punktum.run('control') as run:\n    run.metric('f1', 1); 1 / 0"
    done = box.run_job(code)
    assert done.code == 1
    end = online.end("control-01")
    assert end["source"] == "wrapper"
    assert told(end, "metrics") == ["fail", "code_error", {"f1": 1}]


def test_term_and_the_child_dies_of_it(box: Box, online: Loopback) -> None:
    job = box.job(READY + SLEEP)
    ready(box)
    job.terminate()
    assert box.done(job).code == 143
    end = online.end("control-01")
    assert told(end, "signal", "reason_text", "exit_code") == [
        "stop", "infra", 15, "signal 15", None,
    ]  # fmt: skip


def test_term_and_the_child_saves_and_leaves_with_0(box: Box, online: Loopback) -> None:
    code = (
        READY
        + "signal.signal(15, lambda *_: (open('saved', 'w').close(), sys.exit(0))); "
        + "open('armed', 'w').close(); "
        + SLEEP
    )
    job = box.job(code)
    wait_until((box.folder / "armed").exists)
    job.terminate()
    assert box.done(job).code == 0
    assert (box.folder / "saved").exists()
    end = online.end("control-01")
    assert told(end, "exit_code", "reason_text") == ["stop", "infra", 0, "interrupted, clean"]


def test_term_sent_to_the_child_alone(box: Box, online: Loopback) -> None:
    job = box.job(READY + SLEEP)
    os.kill(ready(box), signal.SIGTERM)
    assert box.done(job).code == 143
    assert told(online.end("control-01"), "signal") == ["stop", "infra", 15]


def test_term_reaches_the_whole_group(box: Box, online: Loopback) -> None:
    inner = READY + SLEEP
    job = box.punktum(
        "run", "--step", "control", "--", "sh", "-c", f'{box.python} -c "{inner}"; exit 7'
    )
    inner_process = ready(box)
    job.terminate()
    box.done(job)
    wait_until(lambda: not Path(f"/proc/{inner_process}").exists())
    assert told(online.end("control-01"))[:2] == ["stop", "infra"]


def test_int(box: Box, online: Loopback) -> None:
    job = box.job(READY + SLEEP)
    ready(box)
    job.send_signal(signal.SIGINT)
    assert box.done(job).code == 130
    assert told(online.end("control-01"), "signal") == ["stop", "operator", 2]


def test_who_asks_twice_is_told_how_to_end_what_goes_on(box: Box, online: Loopback) -> None:
    code = "import signal; signal.signal(2, signal.SIG_IGN); " + READY + SLEEP
    said = box.folder / "said"
    with said.open("wb") as stream:
        job = box.punktum("run", "--step", "control", "--", box.python, "-c", code, stderr=stream)
    inner = ready(box)
    for _ in range(3):
        job.send_signal(signal.SIGINT)
        wait_until(lambda: signals_taken(job.pid, signal.SIGINT))
    wait_until(lambda: "goes on" in said.read_text())
    (way,) = re.findall(r"the command was told and goes on; at once: (.*)", said.read_text())
    assert way == f"kill -KILL -{inner}"
    assert box.typed(way).code == 0
    assert job.wait(HANG_GUARD_S) == 137
    assert online.end("control-01")["signal"] == 9


def signals_taken(process: int, number: int) -> bool:
    """Whether none of this signal waits for a process: several that wait are one."""
    status = Path(f"/proc/{process}/status").read_text()
    return not any(
        int(pending, 16) >> (number - 1) & 1 for pending in re.findall(r"Pnd:\s+(\w+)", status)
    )


def test_our_words_begin_on_a_line_of_their_own(box: Box) -> None:
    done = box.run_job("import sys; sys.stderr.write('no line end')")
    assert "\nno line end\npunktum: control-01 completed\n" in done.err
    assert "\n\n" not in box.run_job("import sys; sys.stderr.write('line end\\n')").err


def test_usr1_is_passed_on(box: Box, online: Loopback) -> None:
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGUSR1, lambda *_: sys.exit(0))\n"
        "open('ready', 'w').write('1')\n"
        "time.sleep(60)\n"
    )
    job = box.job(code)
    ready(box)
    job.send_signal(signal.SIGUSR1)
    assert box.done(job).code == 0
    assert told(online.end("control-01"), "exit_code") == ["finish", None, 0]


def test_hup_is_noted_and_the_run_goes_on(box: Box, online: Loopback) -> None:
    job = box.job(READY + "sys.stdin.read(); time.sleep(1); sys.exit(4)")
    ready(box)
    job.send_signal(signal.SIGHUP)
    assert box.done(job).code == 4
    notes = [event["note"] for event in online.of("control-01") if "note" in event]
    assert notes == ["terminal gone, the run continues"]
    assert told(online.end("control-01"), "exit_code") == ["fail", "code_error", 4]


def test_a_terminal_that_goes_away_takes_nothing_with_it(box: Box, online: Loopback) -> None:
    """A real terminal is hung up under a job that goes on printing to both streams."""
    code = (
        READY
        + "assert sys.stdout.isatty() and sys.stderr.isatty();"
        + "[(print('line', n, flush=True), print('err', n, file=sys.stderr, flush=True),"
        + " time.sleep(0.02)) for n in range(100)]; open('trained', 'w').close()"
    )
    near, far = pty.openpty()
    words = [box.python, "-m", "punktum", "run", "--step", "control", "--", box.python, "-c", code]
    session = (
        "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    job = box.start(box.python, "-c", session, *words, stdin=far, stdout=far, stderr=far)
    os.close(far)
    ready(box)
    os.close(near)
    assert job.wait(HANG_GUARD_S) == 0
    assert (box.folder / "trained").exists()
    assert told(online.end("control-01"), "exit_code") == ["finish", None, 0]
    assert "err 99\n" in online.end("control-01")["log_tail"]


def test_kill_of_the_child(box: Box, online: Loopback) -> None:
    job = box.job(READY + SLEEP)
    os.kill(ready(box), signal.SIGKILL)
    assert box.done(job).code == 137
    end = online.end("control-01")
    assert told(end, "signal", "reason_text") == ["fail", "infra", 9, "signal 9"]


def test_a_shell_that_reports_a_killed_program(box: Box, online: Loopback) -> None:
    done = box.run("run", "--step", "control", "--", "sh", "-c", "sh -c 'kill -9 $$'; exit $?")
    assert done.code == 137
    assert told(online.end("control-01"), "exit_code", "signal") == ["fail", "infra", 137, 9]


def test_kill_of_the_wrapper_leaves_no_end_and_the_job_goes_on(box: Box, online: Loopback) -> None:
    code = READY + (
        "[(print(n, file=sys.stderr, flush=True), time.sleep(0.02)) for n in range(50)];"
        "open('trained', 'w').close()"
    )
    job = box.job(code, "--beat", "0.05")
    ready(box)
    wait_until(lambda: "beat" in online.kinds("control-01"))
    job.kill()
    job.wait(HANG_GUARD_S)
    wait_until((box.folder / "trained").exists)
    assert set(online.kinds("control-01")) == {"start", "beat"}


def test_a_paused_wrapper_pauses_no_training(box: Box, online: Loopback) -> None:
    """The job writes far more to stderr than a pipe holds while the wrapper is stopped."""
    code = READY + (
        "time.sleep(0.3); [print('x' * 1000, file=sys.stderr) for _ in range(3000)];"
        "open('trained', 'w').close()"
    )
    words = ("run", "--step", "control", "--", box.python, "-c", code)
    job = box.punktum(*words, stderr=subprocess.DEVNULL)
    ready(box)
    job.send_signal(signal.SIGSTOP)
    wait_until((box.folder / "trained").exists)
    job.send_signal(signal.SIGCONT)
    assert job.wait(HANG_GUARD_S) == 0
    assert len(online.end("control-01")["log_tail"]) == 10_240


NAN_LOOP = (
    "import punktum, time\n"
    "with punktum.run('control') as run:\n"
    "    for step in range(1000):\n"
    "        run.progress(step, 1000)\n"
    "        run.metric('loss', float('nan') if step > 2 else 1.0)\n"
    "        time.sleep(0.01)\n"
)
STUBBORN = (
    "import punktum, signal, time\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "with punktum.run('control', raise_on_stop=False) as run:\n"
    "    while True:\n"
    "        run.metric('loss', float('nan'))\n"
    "        time.sleep(0.01)\n"
)


def test_nan_fires_the_rule_once_and_the_run_is_stopped(box: Box, online: Loopback) -> None:
    online.rules = (StopRule("loss-not-finite", "non_finite", "loss"),)
    done = box.run_job(NAN_LOOP)
    assert done.code == 1
    assert "StopRun: loss-not-finite: loss is nan" in done.err
    end = online.end("control-01")
    assert told(end, "rule", "exit_code", "source") == [
        "stop", "rule:loss-not-finite", "loss-not-finite", 1, "wrapper",
    ]  # fmt: skip
    assert end["metrics"] == {"loss": "nan"}
    fired = [entry for event in online.of("control-01") for entry in event.get("fired", [])]
    assert [entry["rule"] for entry in fired] == ["loss-not-finite"]
    assert online.states["control-01"]["loss-not-finite"].fired


def test_a_job_that_does_not_listen_is_ended(box: Box, online: Loopback) -> None:
    """Grace for leaving by itself, TERM ignored, KILL: still stopped by the rule."""
    online.rules = (StopRule("loss-not-finite", "non_finite", "loss"),)
    assert box.run_job(STUBBORN, "--grace", "0.3").code == 137
    end = online.end("control-01")
    assert told(end, "signal") == ["stop", "rule:loss-not-finite", 9]


def test_a_stop_reaches_a_job_that_knows_nothing_of_us(box: Box, online: Loopback) -> None:
    online.stops["control-01"] = {"rule": "overtime", "text": "12 h of 10 h"}
    done = box.run_job("import time; time.sleep(60)")
    assert done.code == 143
    end = online.end("control-01")
    assert told(end, "rule", "reason_text", "signal") == [
        "stop", "rule:overtime", "overtime", "12 h of 10 h", 15,
    ]  # fmt: skip


def test_after_a_stop_was_asked_for_even_exit_0_is_that_stop(box: Box, online: Loopback) -> None:
    online.stops["control-01"] = {"rule": "overtime", "text": "over time"}
    code = READY + "signal.signal(15, lambda *_: sys.exit(0)); " + SLEEP
    done = box.run_job(code)
    assert done.code in (0, 143)
    assert told(online.end("control-01"))[:2] == ["stop", "rule:overtime"]


def test_with_no_server_the_sealed_rule_fires_on_the_box(box: Box) -> None:
    box.spool.mkdir(parents=True)
    (box.spool / "sheet.json").write_text(
        '{"format": "punktum-sheet/1", "rules":'
        ' [{"id": "loss-not-finite", "kind": "non_finite", "metric": "loss"}]}'
    )
    done = box.run_job(NAN_LOOP)
    assert done.code == 1
    assert "(fired on the box): loss is nan" in done.err
    end = box.spooled_end()
    assert told(end, "rule") == ["stop", "rule:loss-not-finite", "loss-not-finite"]


def test_the_server_is_down_all_the_time_and_the_later_record_is_identical(
    box: Box, server: Loopback
) -> None:
    """The job is untouched; a replay brings exactly what was written."""
    code = NAN_LOOP.replace("float('nan') if step > 2 else 1.0", "1.0").replace("1000", "20")
    other = Loopback()
    other.close()
    box.url = other.url
    down = box.run_job(code, "--run", "a-01")
    assert down.code == 0
    assert box.spooled_end()["kind"] == "finish"
    box.reports_to(server)
    assert box.run("replay", str(box.spool)).code == 0
    by_number = sorted(box.spooled(), key=lambda event: (event["source"], event["seq"]))
    assert server.of("a-01") == by_number
    assert {event["source"] for event in by_number} == {"main", "wrapper"}


# -- starting ---------------------------------------------------------------------------------


def test_a_refused_start_is_said_and_the_training_starts_anyway(box: Box, online: Loopback) -> None:
    problem = {"detail": "a-01 ran with another configuration: params.lr", "next_id": "a-02"}
    online.refuse = lambda event: (409, problem) if event["kind"] == "start" else None
    done = box.run_job(NAN_LOOP.replace("1000", "5"), "--run", "a-01")
    assert done.code == 0
    assert "NOT RECORDING: a-01 ran with another configuration: params.lr" in done.err
    assert "the next id is a-02 (--run a-02). Training starts anyway" in done.err
    assert online.record() == {}
    assert {event["source"] for event in box.spooled()} == {"wrapper", "main"}
    told_way = "a-01 completed; events wait; send them with: "
    (way,) = [said for said in done.err.splitlines() if told_way in said]
    online.refuse = lambda event: None
    assert box.typed(way.partition(told_way)[2]).code == 0
    assert online.end("a-02")["kind"] == "finish"
    assert len(online.of("a-02")) == len(box.spooled())


def test_strict_does_not_start(box: Box, online: Loopback) -> None:
    online.refuse = lambda event: (409, {"detail": "campaign closed"})
    done = box.run_job("open('trained', 'w')", "--strict")
    assert done.code == 1
    assert "not started (--strict): campaign closed" in done.err
    assert not (box.folder / "trained").exists()


@pytest.mark.parametrize("mode", ["401", "403"])
def test_strict_does_not_start_with_a_token_that_is_not_taken(
    box: Box, online: Loopback, mode: str
) -> None:
    online.mode = mode
    done = box.run_job("open('trained', 'w')", "--strict")
    assert done.code == 1
    assert not (box.folder / "trained").exists()


def test_without_a_token_nothing_is_sent_and_nothing_is_held_back(
    box: Box, online: Loopback
) -> None:
    box.url = None
    done = box.run_job("pass", "--run", "a-01", "--url", online.url)
    assert done.code == 0
    assert "NOT RECORDING: no token: set PUNKTUM_TOKEN_FILE or PUNKTUM_TOKEN" in done.err
    assert online.paths == []
    box.reports_to(online)
    assert box.run("replay", str(box.spool)).code == 0
    assert online.kinds("a-01") == ["start", "finish"]


def test_events_that_found_no_place_are_not_said_to_wait(box: Box, server: Loopback) -> None:
    box.environment = {"PUNKTUM_SPOOL": "/dev/null/x"}
    done = box.run_job("pass", "--run", "a-01")
    assert "no PUNKTUM_URL: nothing is recorded of a-01" in done.err
    server.close()
    box.reports_to(server)
    for ended in (done, box.run_job("pass", "--run", "a-01")):
        assert ended.code == 0
        assert "a-01 completed; 2 events are lost: /dev/null/x cannot be written" in ended.err
        assert "replay" not in ended.err


def test_a_refused_start_holds_back_the_rest_also_where_no_mark_can_be_left(
    box: Box, online: Loopback
) -> None:
    online.refuse = lambda event: (409, {"detail": "no"}) if event["kind"] == "start" else None
    box.environment = {"PUNKTUM_SPOOL": "/dev/null/x"}
    done = box.run_job("pass", "--run", "a-01")
    assert online.record() == {}
    assert "a-01 completed; 1 event is lost: /dev/null/x cannot be written" in done.err


def test_strict_does_not_start_without_a_server(box: Box, server: Loopback) -> None:
    server.close()
    box.reports_to(server)
    done = box.run_job("open('trained', 'w')", "--strict")
    assert done.code == 5
    assert not (box.folder / "trained").exists()
    assert told(box.spooled_end()) == ["fail", "infra"]


@pytest.mark.parametrize("mode", ["hang", "garbage", "500", "drop"])
def test_a_server_in_any_state_keeps_no_command_from_running(
    box: Box, online: Loopback, mode: str
) -> None:
    online.mode = mode
    done = box.run_job("print('trained')")
    assert (done.code, done.out) == (0, "trained\n")
    assert box.spooled_end()["kind"] == "finish"
    assert "-m punktum replay" in done.err


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"PUNKTUM_URL": "nonsense"}, "NOT RECORDING: the address 'nonsense' is not one"),
        ({"PUNKTUM_URL": "http://127.0.0.1:9", "PUNKTUM_TOKEN_FILE": "gone"},
         "NOT RECORDING: token file gone is not there"),
        ({"PUNKTUM_SPOOL": "/dev/null/x"}, "events are kept in memory only"),
        ({"PUNKTUM_RUN_ID": "a b"}, "NOT RECORDING: ValueError: run id 'a b'"),
    ],
)  # fmt: skip
def test_wrong_settings_keep_no_command_from_running(
    box: Box, variables: dict[str, str], said: str
) -> None:
    box.environment = variables
    done = box.run_job("print('trained')")
    assert (done.code, done.out) == (0, "trained\n")
    assert said in done.err


def test_a_command_that_is_not_there(box: Box, online: Loopback) -> None:
    done = box.run("run", "--step", "control", "--", "no-such-program")
    assert done.code == 127
    end = online.end("control-01")
    assert told(end, "exit_code", "reason_text") == [
        "fail", "code_error", 127, "no-such-program: No such file or directory",
    ]  # fmt: skip


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_take_nothing_from_the_command(
    box: Box, online: Loopback, closed: str
) -> None:
    job = "echo out; echo err >&2; cat; echo trained > trained"
    words = f'exec "$0" -m punktum run --step control --run a-01 -- sh -c "{job}" {closed}'
    box.done(box.start("sh", "-c", words, box.python))
    assert (box.folder / "trained").exists()
    assert online.end("a-01")["kind"] == "finish"


def test_a_command_that_may_not_run(box: Box, online: Loopback) -> None:
    (box.folder / "data").write_text("no program")
    done = box.run("run", "--step", "control", "--", "./data")
    assert done.code == 126
    assert told(online.end("control-01"), "exit_code") == ["fail", "code_error", 126]


def test_a_signal_before_the_command_starts_ends_it_there(box: Box, online: Loopback) -> None:
    online.mode = "hang"
    job = box.job("open('trained', 'w')")
    wait_until(lambda: online.paths)
    job.terminate()
    assert box.done(job).code == 143
    assert not (box.folder / "trained").exists()
    assert told(box.spooled_end(), "signal") == ["stop", "infra", 15]


def test_what_the_start_says(box: Box, online: Loopback) -> None:
    (box.folder / "a.toml").write_text("lr = 1\n")
    (box.folder / "eval.jsonl").write_text("{}\n")
    box.environment = {"CUDA_VISIBLE_DEVICES": "1,3", "PUNKTUM_LOT": "lot-2"}
    box.done(
        box.punktum(
            *("run", "--step", "control", "--run", "a-01", "--param", "rank=16"),
            *("--config", "a.toml", "--corpus", "eval=eval.jsonl", "--param-not-config", "seed"),
            *("--output", "out", "--takeover", "--"),
            *(box.python, "-c", "pass", "--lr", "0.1", "--seed", "7", "--resume"),
        )
    )
    start = online.of("a-01")[0]
    assert (start["kind"], start["source"], start["step"]) == ("start", "wrapper", "control")
    assert start["config"]["params"] == {"arg1": "python", "c": "pass", "lr": "0.1", "rank": "16"}
    assert start["not_config"] == {"seed": "7", "resume": "true"}
    assert set(start["config"]["corpora"]) == {"eval"}
    assert (start["gpus"], start["lot"], start["takeover"]) == ([1, 3], "lot-2", True)
    assert start["command"].endswith("-c pass --lr 0.1 --seed 7 --resume")
    assert re.fullmatch(r"[0-9a-f]{64}", start["machine_id"])
    assert list((box.folder / "out" / ".punktum" / "spool").glob("a-01--*--wrapper.jsonl"))


def test_the_job_sees_what_it_needs_to_attach(box: Box, online: Loopback) -> None:
    (box.folder / "token").write_text(f"{TOKEN}\n")
    box.url = None
    code = "import os; print({k: v for k, v in os.environ.items() if k.startswith('PUNKTUM_')})"
    done = box.run_job(code, "--run", "a-01", "--url", online.url, "--token-file", "token")
    seen = eval(done.out)
    assert seen["PUNKTUM_RUN_ID"] == "a-01"
    assert seen["PUNKTUM_STEP"] == "control"
    assert seen["PUNKTUM_URL"] == online.url
    assert Path(seen["PUNKTUM_TOKEN_FILE"]).read_text() == f"{TOKEN}\n"
    assert Path(seen["PUNKTUM_SPOOL"]).is_absolute()
    assert online.of("a-01")[0]["attempt_id"] == seen["PUNKTUM_ATTEMPT_ID"]
    assert online.tokens == {f"Bearer {TOKEN}"}


def test_a_token_file_that_was_named_counts_for_the_code_inside_too(
    box: Box, online: Loopback
) -> None:
    (box.folder / "token").write_text(TOKEN)
    box.url, box.environment = None, {"PUNKTUM_TOKEN": "pk_of-another-campaign"}
    code = "import punktum\nwith punktum.run('control') as run: run.metric('loss', 1)"
    done = box.run_job(code, "--run", "a-01", "--url", online.url, "--token-file", "token")
    assert done.code == 0
    assert online.kinds("a-01", "main") == ["beat"]
    assert online.tokens == {f"Bearer {TOKEN}"}


def test_two_programs_one_after_the_other_share_the_attempt(box: Box, online: Loopback) -> None:
    inner = "import punktum\nwith punktum.run('control') as run: run.metric('loss', 1)"
    (box.folder / "inner.py").write_text(inner)
    done = box.run(
        "run",
        "--step",
        "control",
        "--",
        "sh",
        "-c",
        f"{box.python} inner.py; {box.python} inner.py",
    )
    assert done.code == 0
    mains = online.of("control-01", "main")
    assert [(event["seq"], event["kind"]) for event in mains] == [(1, "beat"), (2, "beat")]


def test_a_wrapper_in_a_wrapper_is_a_run_of_its_own(box: Box, online: Loopback) -> None:
    words = [box.python, "-m", "punktum", "run", "--step", "inner", "--", "true"]
    done = box.run("run", "--step", "outer", "--", *words)
    assert done.code == 0
    assert online.end("outer-01")["kind"] == online.end("inner-01")["kind"] == "finish"


def test_the_owner_is_told(box: Box, online: Loopback) -> None:
    told_by = 'echo "$PUNKTUM_RUN_ID $PUNKTUM_OUTCOME $PUNKTUM_REASON_CODE $PUNKTUM_EXIT_CODE"'
    done = box.run_job("raise SystemExit(3)", "--on-end", f"{told_by} > told; exit 9")
    assert done.code == 3
    assert (box.folder / "told").read_text() == "control-01 failed code_error 3\n"
    assert "punktum: --on-end left with 9" in done.err


def test_what_waits_while_the_code_inside_ends_arrives_before_the_end(
    box: Box, online: Loopback
) -> None:
    code = (
        "import os, signal, punktum\n"
        "with punktum.run('control') as run:\n"
        "    run.metric('loss', 1); run.metric('loss', 2)\n"
        "    run._beats.flush()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert box.run_job(code).code == 137
    assert online.of("control-01", "main")[-1]["metrics"] == {"loss": 2}
    assert online.end("control-01")["metrics"] == {"loss": 2}


# -- the pure parts ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("returncode", "options", "kind", "reason"),
    [
        (0, {}, "finish", None),
        (0, {"forwarded": (15,)}, "stop", "infra"),
        (1, {"forwarded": (15,)}, "stop", "infra"),
        (0, {"forwarded": (2,)}, "stop", "operator"),
        (-9, {"forwarded": (15,)}, "stop", "infra"),
        (143, {}, "stop", "infra"),
        (130, {}, "stop", "operator"),
        (-11, {}, "fail", "infra"),
        (255, {}, "fail", "code_error"),
        (0, {"stop": StopRequest("r", "t")}, "stop", "rule:r"),
        (0, {"stop": StopRequest(None, "t")}, "stop", "operator"),
        (-9, {"stop": StopRequest("r", "t"), "memory_kills": 1}, "stop", "rule:r"),
    ],
)
def test_ends_by_their_numbers(
    returncode: int, options: dict[str, Any], kind: str, reason: str | None
) -> None:
    ending = ending_of_process(returncode, **options)
    assert (ending.kind, ending.reason_code) == (kind, reason)


def test_out_of_memory_is_said_where_the_kernel_counted_it() -> None:
    ending = ending_of_process(-9, memory_kills=2)
    assert ending.reason_text == "signal 9, out of memory (the kernel counted 2)"


@pytest.mark.parametrize(
    ("files", "count"),
    [
        ({"proc/vmstat": "nr_free 1\noom_kill 4\n"}, 4),
        ({"proc/self/cgroup": "0::/job\n", "sys/fs/cgroup/job/memory.events": "oom 1\noom_kill 2\n",
          "proc/vmstat": "oom_kill 40\n"}, 2),
        ({"proc/self/cgroup": "4:memory:/job\n",
          "sys/fs/cgroup/memory/job/memory.oom_control": "under_oom 0\noom_kill 3\n"}, 3),
        ({}, None),
    ],
)  # fmt: skip
def test_the_kernels_count_of_memory_kills(
    tmp_path: Path, files: dict[str, str], count: int | None
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert memory_kills(tmp_path) == count


def test_the_pressure_after_a_stop() -> None:
    deaf = Pressure(now=0, grace_s=10, listens=False)
    assert [deaf.due(now) for now in (0, 5, 10, 1000)] == [15, None, 9, None]
    listening = Pressure(now=0, grace_s=10, listens=True)
    assert [listening.due(now) for now in (0, 10, 19, 20, 99)] == [None, 15, None, 9, None]
