"""Listening: one port has one server, also where two are started together."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from app.serving import RefusedToServe, listeners
from app.settings import Settings
from tests.house.source import ROOT


def _settings(data: Path, port: int = 0, jobs_port: int | None = None) -> Settings:
    known = Settings(PUNKTUM_DATA=data, _env_file=None)
    return known.model_copy(update={"port": port, "jobs_port": jobs_port})


@pytest.mark.parametrize("as_jobs_port", [False, True])
def test_a_port_is_taken_from_the_moment_it_is_asked_for(
    tmp_path: Path, as_jobs_port: bool
) -> None:
    """Not only once the server answers there: both would say that they serve."""
    with ExitStack() as first:
        taken = listeners(_settings(tmp_path), first)[0].getsockname()[1]
        asked = _settings(tmp_path, 0, taken) if as_jobs_port else _settings(tmp_path, taken)
        with ExitStack() as second, pytest.raises(RefusedToServe) as caught:
            listeners(asked, second)
    assert str(caught.value).startswith(f"cannot serve on 127.0.0.1:{taken} from {tmp_path}: ")
    with ExitStack() as again:
        assert listeners(_settings(tmp_path, taken), again)


def test_the_server_that_comes_second_ends_with_a_sentence(tmp_path: Path) -> None:
    with ExitStack() as first:
        taken = listeners(_settings(tmp_path), first)[0].getsockname()[1]
        asked = ["serve", "--port", str(taken), "--data", str(tmp_path / "other")]
        command = [sys.executable, "-m", "bench.start", *asked]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"cannot serve on 127.0.0.1:{taken}" in done.stderr
    assert not (tmp_path / "other").exists()
