"""`punktum-server thin` as people type it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.db import Database, open_database
from app.db.guards import guard, unguard
from app.db.lockfile import FolderLock
from app.journal.audit import load_projectors
from app.serving import prepare
from app.settings import Settings
from tests.house.source import ROOT
from tests.runs.campaigns import ID, closed, event, opened, recorded


def _run(*words: str, data: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.start", *words, "--data", str(data)],
        cwd="/", env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr[-1500:]
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with a closed campaign: a run of 3,000 beats within one hour."""
    folder = tmp_path / "data"
    folder.mkdir()
    load_projectors()
    database = prepare(Settings(PUNKTUM_DATA=folder, _env_file=None))
    opened(database)
    recorded(database, event(1, "start"), *[event(n) for n in range(2, 3002)])
    recorded(database, event(3002, "finish"))
    closed(database)
    database.close()
    return folder


def _events(folder: Path) -> int:
    database = open_database(Settings(PUNKTUM_DATA=folder, _env_file=None))
    try:
        with database.read() as session:
            count = session.connection().exec_driver_sql("SELECT count(*) FROM run_events")
            return int(count.scalar_one())
    finally:
        database.close()


def _as_owner(folder: Path, statement: str) -> None:
    database: Database = open_database(Settings(PUNKTUM_DATA=folder, _env_file=None))
    with database.write_engine.begin() as connection:
        unguard(connection)
        connection.exec_driver_sql(statement)
        guard(connection)
    database.close()


def test_it_says_what_would_go_then_removes_it_and_shrinks_the_file(data: Path) -> None:
    code, said, _ = _run("thin", ID, "--dry-run", data=data)
    assert (code, said.splitlines()) == (
        0, ["Would remove 2,998 beats of 1 attempts.", "4 events of theirs stay."],
    )  # fmt: skip
    assert _events(data) == 3002
    size = (data / "punktum.sqlite").stat().st_size
    code, said, err = _run("thin", ID, data=data)
    assert (code, said.splitlines()[0]) == (0, "Removed 2,998 beats of 1 attempts.")
    assert _events(data) == 4
    assert (data / "punktum.sqlite").stat().st_size < size
    assert f"instead of {size:,}" in err
    code, said, _ = _run("audit", data=data)
    assert (code, said.splitlines()[-1].endswith("0 findings")) == (0, True)
    code, said, _ = _run("thin", ID, data=data)
    assert (code, said.startswith("Nothing to remove")) == (0, True)


def test_it_refuses_while_the_folder_is_held(data: Path) -> None:
    with FolderLock(data, "http://127.0.0.1:8000"):
        code, _, err = _run("thin", ID, data=data)
    assert (code, "http://127.0.0.1:8000" in err) == (3, True)
    assert _events(data) == 3002


def test_it_refuses_a_record_that_does_not_hold(data: Path) -> None:
    _as_owner(data, "UPDATE runs SET status = 'failed'")
    code, _, err = _run("thin", ID, data=data)
    assert (code, "does not hold" in err) == (1, True)
    assert _events(data) == 3002


def test_it_refuses_an_unknown_campaign(data: Path) -> None:
    code, said, err = _run("thin", "nobody", data=data)
    assert (code, said, "nobody" in err) == (1, "", True)
