"""One server for one folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.db.lockfile import FolderInUse, FolderLock


def test_a_second_process_is_told_where_the_first_serves(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from app.db.lockfile import *\n"
        "try: FolderLock(Path(sys.argv[1]), 'second')\n"
        "except FolderInUse as held: print(held.address)"
    )
    with FolderLock(tmp_path, "http://127.0.0.1:8123"):
        said = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
        )
    assert said.stdout.strip() == "http://127.0.0.1:8123"
    free = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert free.stdout == ""


def test_released_twice_is_fine_and_taken_again(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path, "a")
    with pytest.raises(FolderInUse):
        FolderLock(tmp_path, "b")
    lock.release()
    lock.release()
    FolderLock(tmp_path, "b").release()
