"""An output folder that cannot be written: with a server the record is as with a sound disk."""

from __future__ import annotations

import pytest

from tests.punktum_client.box import Box
from tests.punktum_client.loopback import Loopback
from tests.punktum_client.test_renaming import INSIDE, numbered, said, taken

FOLDERS = ["/proc/nope", "/dev/null/x", "file", "/proc/self/task"]
WAYS = ["wrapper", "alone"]


def run_it(box: Box, folder: str, way: str, more: str = "") -> tuple[int, str, str]:
    (box.folder / "file").touch()
    if way == "wrapper":
        done = box.run_job(INSIDE, "--output", folder, *(["--run", more] if more else []))
    else:
        named = f", run={more!r}" if more else ""
        done = box.python_code(
            "import punktum\n"
            f"with punktum.run('control', params={{}}, output={folder!r}{named}) as run:\n"
            "    run.metric('loss', 1)\n"
            "    run._recorder.await_start()\n"
            "    print(run.id)\n"
        )
    for line in done.err.splitlines():
        assert folder not in line or f"{folder}/.punktum/spool cannot be written" in line, line
        assert "took no more" not in line
    return done.code, done.out, done.err


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("many", [0, 1, 3])
def test_a_proposed_id_that_is_taken_gives_way_to_the_next(
    box: Box, server: Loopback, way: str, folder: str, many: int
) -> None:
    box.reports_to(server)
    server.refuse = taken(*numbered(many))
    code, out, err = run_it(box, folder, way)
    free = f"control-{many + 1:02}"
    assert (code, out) == (0, f"{free} {free}\n" if way == "wrapper" else f"{free}\n")
    assert err.count(f"control-01 is taken: this run is recorded as {free}") == int(many > 0)
    assert "NOT RECORDING" not in err
    assert "lost" not in err
    assert {key[0] for key in server.record()} == {free}
    kinds = server.kinds(free)
    assert (kinds.count("start"), kinds.count("finish"), "beat" in kinds) == (1, 1, True)
    sources = {key[2] for key in server.record()}
    assert sources == ({"main", "wrapper"} if way == "wrapper" else {"main"})


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("way", WAYS)
def test_a_named_id_is_refused_and_what_is_lost_is_said(
    box: Box, server: Loopback, way: str, folder: str
) -> None:
    box.reports_to(server)
    server.refuse = taken("control-01")
    code, _, err = run_it(box, folder, way, more="control-01")
    assert code == 0
    assert server.of("control-02") == []
    assert "NOT RECORDING: control-01 has another configuration" in err
    assert "; events stay in memory only" in err
    lost = [line for line in err.splitlines() if " lost: " in line]
    assert len(lost) == 1
    assert lost[0].endswith(f"{folder}/.punktum/spool cannot be written")


@pytest.mark.parametrize("mode", ["500", "401", "drop"])
@pytest.mark.parametrize("way", WAYS)
def test_no_message_says_that_events_wait_where_there_is_nothing(
    box: Box, server: Loopback, way: str, mode: str
) -> None:
    box.reports_to(server)
    server.mode = mode
    code, _, err = run_it(box, "/proc/nope", way)
    assert code == 0
    assert "; events wait in memory only" in err
    assert "replay" not in err


def test_without_a_server_nothing_is_said_to_be_kept(box: Box) -> None:
    _, _, err = run_it(box, "/proc/nope", "alone")
    assert "no PUNKTUM_URL: nothing is recorded of control-01" in err


def test_a_stop_reaches_the_run_under_the_new_id(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.refuse = taken("control-01")
    server.stops["control-02"] = {"rule": "loss-floor", "text": "too high"}
    done = box.run_job("import time; time.sleep(600)", "--output", "/proc/nope", "--beat", "1")
    assert (server.end("control-02")["kind"], said(done, "stop asked for by rule")) == ("stop", 1)
