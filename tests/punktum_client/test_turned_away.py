"""A server that is there and takes nothing for now: a token that is mended, a run that goes on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from punktum.server import Server
from punktum.settings import Settings, token_in
from tests.punktum_client.box import HANG_GUARD_S, TOKEN, Box
from tests.punktum_client.loopback import Event, Loopback, wait_until

WAITS = "import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)\n"
ALONE = f"import punktum\nwith punktum.run('control', params={{}}):\n    exec({WAITS!r})\n"
ALIVE = "control-01 still runs on vm. Wait until it is silent, end it there, or say takeover."


class Job:
    """Python code that waits for the file ``go``; what it says can be read meanwhile."""

    def __init__(self, box: Box, way: str, *words: str) -> None:
        self.box, self.file = box, box.folder / "said"
        with self.file.open("wb") as stream:
            if way == "wrapper":
                words = ("run", "--step", "control", *words, "--", box.python, "-c", WAITS)
                self.process: subprocess.Popen[bytes] = box.punktum(*words, stderr=stream)
            else:
                self.process = box.start(box.python, "-c", ALONE, stderr=stream)

    @property
    def said(self) -> str:
        return self.file.read_text()

    def end(self) -> None:
        (self.box.folder / "go").touch()
        assert self.process.wait(timeout=HANG_GUARD_S) == 0, self.said


def alive(*runs: str, **about: Any) -> Any:
    """Starts of these runs meet another attempt that still reports."""

    def refuse(event: Event) -> tuple[int, dict[str, Any]] | None:
        if event["kind"] != "start" or event["run"] not in runs:
            return None
        return 409, {"type": "/problems/attempt-alive", "detail": ALIVE, **about}

    return refuse


# -- a token that is mended -------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("way", ["wrapper", "alone"])
def test_a_token_file_that_is_mended_while_the_job_runs_is_read(
    box: Box, server: Loopback, way: str, status: int
) -> None:
    file = box.folder / "token"
    file.write_text("pk_of-yesterday\n")
    file.chmod(0o600)
    server.wanted_token, server.without_token = TOKEN, status
    box.environment = {"PUNKTUM_URL": server.url, "PUNKTUM_TOKEN_FILE": "token"}
    job = Job(box, way)
    wait_until(lambda: "NOT RECORDING" in job.said)
    assert f"not this token ({status}); {file} is read again before each try; events" in job.said
    file.write_text(TOKEN)
    wait_until(lambda: server.kinds("control-01"))
    job.end()
    assert server.end("control-01")["kind"] == "finish"
    assert job.said.count("control-01 is recorded now; what waited is being sent") == 1
    assert "answers again" not in job.said
    assert TOKEN not in job.said


def test_a_token_is_read_again_only_after_it_was_turned_away(
    tmp_path: Path, server: Loopback
) -> None:
    file = tmp_path / "token"
    client = Server(Settings(server.url, "pk_1", str(file)))

    def tried() -> str | None:
        server.tokens.clear()
        client.post("/api/v1/events", {"events": []})
        (token,) = server.tokens
        return token

    server.events[("a", "b", "c", 1)] = {}
    server.answer = lambda batch: {}  # type: ignore[method-assign]
    file.write_text("pk_2")
    assert [tried(), tried()] == ["Bearer pk_1"] * 2, "it is taken"
    server.wanted_token = "pk_3"
    assert [tried(), tried()] == ["Bearer pk_1", "Bearer pk_2"]
    for unusable in ("", "two words", "\0"):
        file.write_text(unusable)
        assert tried() == "Bearer pk_2", "it is being written just now"
    file.unlink()
    assert tried() == "Bearer pk_2"
    file.write_text("pk_3")
    assert tried() == "Bearer pk_3"
    file.write_text("pk_4")
    assert tried() == "Bearer pk_3"
    client.close()


@pytest.mark.parametrize("name", ["none", "/dev/null", "."])
def test_what_is_no_file_holds_no_token(box: Box, name: str) -> None:
    assert token_in(name) is None


def test_a_token_of_the_environment_is_not_said_to_be_read_again(
    box: Box, server: Loopback
) -> None:
    server.wanted_token = "pk_other"
    box.reports_to(server)
    done = box.run_job("pass")
    assert "NOT RECORDING: not this token (401); events wait in" in done.err
    assert "read again" not in done.err


# -- another attempt that goes on -------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "takeover"), [("wrapper", "--takeover"), ("alone", "takeover=True")]
)
def test_beside_a_run_that_goes_on_the_line_that_is_named_records_it(
    box: Box, server: Loopback, way: str, takeover: str
) -> None:
    box.reports_to(server)
    server.refuse = alive("control-01")
    job = Job(box, way)
    wait_until(lambda: "NOT RECORDING" in job.said and job.said.endswith("\n"))
    assert f"NOT RECORDING: {ALIVE[:-1]}; events wait in " in job.said
    assert f"To take over: end this one and start it again with {takeover}\n" in job.said
    found = re.search(r"To record it as another run: (.* --run control-02)\. To take", job.said)
    assert found is not None, job.said
    assert box.typed(found[1]).code == 0
    assert server.kinds("control-02") == ["start"]
    job.end()
    assert server.kinds("control-02")[-1] == "finish"
    assert server.of("control-01") == []
    assert job.said.count("control-02 is recorded now; what waited is being sent") == 1
    assert ".;" not in job.said
    assert "answers again" not in job.said


def test_the_next_id_is_the_servers_where_it_names_one(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.refuse = alive("control-01", next_id="control-07")
    assert "--run control-07. To take over" in box.run_job("pass").err


def test_once_the_other_one_is_silent_it_is_recorded(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.refuse = alive("control-01")
    job = Job(box, "wrapper")
    wait_until(lambda: "NOT RECORDING" in job.said)
    server.refuse = lambda event: None
    job.end()
    assert server.end("control-01")["kind"] == "finish"
    assert job.said.count("control-01 is recorded now; what waited is being sent") == 1
    assert "answers again" not in job.said


def test_where_nothing_can_be_written_it_has_to_start_again(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.refuse = alive("control-01")
    done = box.run_job("pass", "--output", "/dev/null/x")
    assert "wait in memory only. Start it again with --run control-02 or --takeover\n" in done.err
    assert "replay" not in done.err


def test_a_restore_check_offers_no_option_that_it_does_not_have(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.refuse = alive("restore-check-01")
    same = "echo loss=1"
    done = box.run(
        "restore-check", "--compare", "loss", "--steps", "1", "--save", f"{same}; {same}",
        "--resume", same,
    )  # fmt: skip
    assert "--run restore-check-02\n" in done.err
    assert not re.search(r"--takeover|takeover=", done.err)


@pytest.mark.parametrize(("before", "again"), [("500", 1), (None, 0)])
def test_only_a_server_that_was_away_answers_again(
    box: Box, server: Loopback, before: str | None, again: int
) -> None:
    """Away, then there and taking nothing, then taking: each is told as what it is."""
    box.reports_to(server)
    server.refuse = alive("control-01")
    server.mode = before or "well"
    job = Job(box, "wrapper")
    if before is not None:
        wait_until(lambda: "told to say 500" in job.said)
        server.refuse = lambda event: None
        server.mode = "well"
        wait_until(lambda: server.kinds("control-01"))
    job.end()
    assert job.said.count("the server answers again; what waited is being sent") == again


def test_a_start_that_is_refused_after_a_silence_is_not_said_to_be_sent(
    box: Box, server: Loopback
) -> None:
    box.reports_to(server)
    server.refuse = lambda event: (409, {"detail": "no"}) if event["kind"] == "start" else None
    server.mode = "500"
    job = Job(box, "wrapper")
    wait_until(lambda: "told to say 500" in job.said)
    server.mode = "well"
    wait_until(lambda: "NOT RECORDING: no" in job.said)
    job.end()
    assert "is being sent" not in job.said
