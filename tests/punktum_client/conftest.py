"""A loopback server, and a box: a fresh folder in which jobs run as on a rented machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.punktum_client.box import Box
from tests.punktum_client.loopback import Loopback

ROOT = Path(__file__).parents[2]


@pytest.fixture
def server() -> Iterator[Loopback]:
    """A server that behaves until it is told otherwise."""
    loopback = Loopback()
    yield loopback
    loopback.close()


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Box]:
    """A folder of its own as current folder, and none of our variables set."""
    for name in [name for name in os.environ if name.startswith("PUNKTUM_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "box"
    folder.mkdir()
    monkeypatch.chdir(folder)
    made = Box(folder, ROOT, sys.executable)
    yield made
    for process in made.processes:
        if process.poll() is None:
            process.kill()
            process.wait()
    assert all(isinstance(process, subprocess.Popen) for process in made.processes)
