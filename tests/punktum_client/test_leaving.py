"""The terminal: leaving it, losing it, the hint beforehand, and being stopped and continued."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from punktum.detaching import HINT, needs_hint
from tests.punktum_client.box import HANG_GUARD_S, Box, Done
from tests.punktum_client.loopback import Loopback, wait_until
from tests.punktum_client.test_death_matrix import READY, SLEEP, online, ready, told

__all__ = ["online"]

SESSION = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


def gone(process: int) -> bool:
    """Whether a process that is no child of ours has ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return True
    return state.rpartition(")")[2].split()[0] == "Z"


def session_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[3])


def detached(box: Box, code: str, *words: str) -> tuple[Done, dict[str, Any]]:
    """Start a detached run with its words as JSON; what the caller saw."""
    done = box.run_job(code, "--detach", "--json", *words)
    assert done.code == 0, done.err
    return done, done.json()


def test_a_detached_run_goes_on_in_a_session_of_its_own(box: Box, online: Loopback) -> None:
    code = READY + "print('out', flush=True); print('err', file=sys.stderr); sys.stdin.read(); "
    done, left = detached(box, code + "time.sleep(1)", "--output", "out")
    assert left["run"] == "control-01"
    assert session_of(left["pid"]) == left["pid"]
    assert "punktum: recording control-01, attempt 1 at" in done.err
    wait_until(lambda: gone(left["pid"]))
    log = box.folder / left["log"]
    assert log.parent == box.folder / "out" / ".punktum" / "logs"
    lines = log.read_text().splitlines()
    assert {"out", "err", "punktum: control-01 completed"} <= set(lines)
    assert online.end("control-01")["log_tail"] == "err\n"
    status = box.typed(left["look"])
    assert "control-01  attempt 1  wrapper  completed" in status.out


def test_a_detached_run_is_ended_as_it_was_said(box: Box, online: Loopback) -> None:
    _, left = detached(box, READY + SLEEP)
    ready(box)
    subprocess.run(left["end"].split(), check=True)
    wait_until(lambda: gone(left["pid"]))
    assert told(online.end("control-01"), "signal") == ["stop", "operator", 2]


def test_what_a_person_sees_of_a_detached_run(box: Box) -> None:
    done = box.run_job("pass", "--detach", "--output", "out")
    said = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert list(said) == ["run", "pid", "log", "look", "end"]
    assert said["run"] == "control-01"
    assert said["look"] == f"{box.python} -m punktum status --output out"
    assert box.typed(said["look"]).out.startswith("spool    out/.punktum/spool\ncontrol-01 ")
    assert said["end"] == f"kill -INT {said['pid']}"
    assert "no PUNKTUM_URL: events of control-01 are kept" in done.err
    wait_until(lambda: gone(int(said["pid"])))


def test_a_detached_run_outlives_its_terminal(box: Box, online: Loopback) -> None:
    near, far = pty.openpty()
    run = ["run", "--step", "control", "--detach", "--", box.python, "-c"]
    words = [box.python, "-m", "punktum", *run, READY + "time.sleep(1); open('trained', 'w')"]
    caller = box.start(box.python, "-c", SESSION, *words, stdin=far, stdout=far, stderr=far)
    os.close(far)
    assert caller.wait(HANG_GUARD_S) == 0
    os.close(near)
    wait_until(lambda: (box.folder / "trained").exists())
    wait_until(lambda: "finish" in online.kinds("control-01"))
    assert not [event for event in online.of("control-01") if "note" in event]


@pytest.mark.parametrize("mode", ["hang", "500"])
def test_no_server_keeps_nobody_at_the_terminal(box: Box, online: Loopback, mode: str) -> None:
    online.mode = mode
    _, left = detached(box, READY + SLEEP)
    assert left["run"] == "control-01"
    assert not gone(left["pid"])
    os.kill(left["pid"], signal.SIGTERM)
    online.mode = "well"
    wait_until(lambda: gone(left["pid"]))


def test_a_command_that_cannot_start_is_said_at_once(box: Box) -> None:
    done = box.run("run", "--step", "control", "--detach", "--", "no-such-program")
    assert (done.code, done.out) == (127, "")
    assert "control-01 failed (no-such-program: No such file or directory)" in done.err


def test_strict_and_detached_says_that_it_did_not_start(box: Box, online: Loopback) -> None:
    online.refuse = lambda event: (409, {"detail": "campaign closed"})
    done = box.run_job("open('trained', 'w')", "--strict", "--detach")
    assert done.code == 1
    assert "not started (--strict): campaign closed" in done.err
    assert not (box.folder / "trained").exists()


def test_a_folder_that_takes_no_log_keeps_no_run_from_starting(box: Box) -> None:
    (box.folder / "out").write_text("a file")
    done, left = detached(box, "open('trained', 'w')", "--output", "out")
    wait_until(lambda: gone(left["pid"]))
    assert left["log"] == os.devnull
    assert "the output is not kept" in done.err
    assert (box.folder / "trained").exists()


# -- HUP --------------------------------------------------------------------------------------


def test_a_hup_is_passed_on_where_that_was_wished(box: Box, online: Loopback) -> None:
    job = box.job(READY + SLEEP, "--forward-hup")
    ready(box)
    job.send_signal(signal.SIGHUP)
    assert box.done(job).code == 129
    end = online.end("control-01")
    assert told(end, "signal", "reason_text") == ["stop", "infra", 1, "signal 1"]
    notes = [event["note"] for event in online.of("control-01") if "note" in event]
    assert notes == ["terminal gone, passed on to the job as wished"]


def test_a_job_that_saves_at_the_hup_is_interrupted_and_never_completed(
    box: Box, online: Loopback
) -> None:
    code = "import signal, sys; signal.signal(1, lambda *_: sys.exit(0)); " + READY + SLEEP
    job = box.job(code, "--forward-hup")
    ready(box)
    job.send_signal(signal.SIGHUP)
    assert box.done(job).code == 0
    assert told(online.end("control-01"), "exit_code", "reason_text") == [
        "stop", "infra", 0, "interrupted, clean",
    ]  # fmt: skip


# -- the hint ---------------------------------------------------------------------------------


def on_a_terminal(box: Box, *words: str, before: str = "") -> str:
    """What ``punktum run`` says on a real terminal; ``before`` is done first in the process."""
    near, far = pty.openpty()
    run = [box.python, "-m", "punktum", "run", "--step", "control", *words, "--", "true"]
    code = before + SESSION
    job = box.start(box.python, "-c", code, *run, stdin=far, stdout=far, stderr=far)
    os.close(far)
    seen = b""
    try:
        while block := os.read(near, 4096):
            seen += block
    except OSError:  # the last one that had the terminal is gone
        pass
    os.close(near)
    assert job.wait(HANG_GUARD_S) == 0
    return seen.decode()


@pytest.fixture
def bare(box: Box, monkeypatch: pytest.MonkeyPatch) -> Box:
    """No terminal multiplexer around the tests counts."""
    for name in ("TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)
    return box


def test_on_a_bare_terminal_there_is_one_hint(bare: Box) -> None:
    assert on_a_terminal(bare).count(f"punktum: {HINT}") == 1


@pytest.mark.parametrize("name", ["TMUX", "STY"])
def test_no_hint_where_the_terminal_may_go(bare: Box, name: str) -> None:
    bare.environment[name] = "1"
    assert HINT not in on_a_terminal(bare)


def test_no_hint_under_nohup_nor_where_the_job_is_to_end(bare: Box) -> None:
    ignored = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    assert HINT not in on_a_terminal(bare, before=ignored)
    assert HINT not in on_a_terminal(bare, "--forward-hup")
    assert HINT not in on_a_terminal(bare, "--detach")


def test_no_hint_where_stderr_is_no_terminal(bare: Box) -> None:
    assert HINT not in bare.run_job("pass").err
    assert not needs_hint({"TMUX": "x"})


# -- stopped and continued --------------------------------------------------------------------


def test_a_command_that_is_stopped_for_a_while_goes_on(box: Box, online: Loopback) -> None:
    """The wrapper gives its signs meanwhile, and the end is the command's own."""
    job = box.job(READY + "time.sleep(0.2); sys.exit(5)", "--beat", "0.05")
    child = ready(box)
    os.kill(child, signal.SIGSTOP)
    seen = len(online.of("control-01"))
    wait_until(lambda: len(online.of("control-01")) > seen + 3)
    assert job.poll() is None
    os.kill(child, signal.SIGCONT)
    assert box.done(job).code == 5
    assert told(online.end("control-01"), "exit_code") == ["fail", "code_error", 5]


def test_a_command_that_ends_while_the_wrapper_is_stopped(box: Box, online: Loopback) -> None:
    job = box.job(READY + "time.sleep(0.2); print('last', file=sys.stderr); sys.exit(5)")
    child = ready(box)
    job.send_signal(signal.SIGSTOP)
    wait_until(lambda: gone(child))
    job.send_signal(signal.SIGCONT)
    assert box.done(job).code == 5
    assert told(online.end("control-01"), "exit_code", "log_tail") == [
        "fail", "code_error", 5, "last\n",
    ]  # fmt: skip


def test_a_signal_that_comes_while_the_wrapper_is_stopped_is_passed_on(
    box: Box, online: Loopback
) -> None:
    job = box.job(READY + SLEEP)
    ready(box)
    job.send_signal(signal.SIGSTOP)
    job.terminate()
    job.send_signal(signal.SIGCONT)
    assert box.done(job).code == 143
    assert told(online.end("control-01"), "signal") == ["stop", "infra", 15]
