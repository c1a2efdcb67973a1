"""Where the wrapper is one file, ``python3 punktum.py run``, code in the job finds it all the same.

A copy of the file lies in a folder of its own inside the spool, and that folder stands last on the
job's PYTHONPATH. The folder that the file was fetched to is not put there: whatever else lies in
it, an ``evaluate.py`` say, would stand before the installed packages of the same name.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

import punktum

FOLDER: Final = "client"
NAME: Final = "punktum.py"


def lend_client(environment: dict[str, str], spool: Path) -> dict[str, str]:
    """The environment with the client within a job's reach; as it is where the client is an
    installed package. Where the disk takes no copy, the file's own folder must do."""
    single_file = getattr(punktum, "single_file", None)
    if not isinstance(single_file, str):
        return environment
    folder = Path(os.path.abspath(spool / FOLDER))
    if not _copied(Path(single_file), folder):
        folder = Path(single_file).parent
    already = environment.get("PYTHONPATH")
    path = f"{already}{os.pathsep}{folder}" if already else str(folder)
    return {**environment, "PYTHONPATH": path}


def _copied(source: Path, folder: Path) -> bool:
    """The same bytes are there, whole or not at all."""
    target, beside = folder / NAME, folder / f"{NAME}.{os.getpid()}.new"
    try:
        content = source.read_bytes()
        if target.is_file() and target.read_bytes() == content:
            return True
        folder.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)
        os.replace(beside, target)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()
        return False
    return True
