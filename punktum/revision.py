"""The git commit a job runs from, and the hash of what is not committed."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_S = 20


@dataclass(frozen=True, slots=True)
class Revision:
    """``commit`` is None outside a repository; ``diff`` is None when nothing is uncommitted."""

    commit: str | None = None
    diff: str | None = None


def revision(folder: Path) -> Revision:
    """Ask git in ``folder``; no git, no repository or no commit yet is an empty revision."""
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return Revision()
    diff = _git(folder, "diff", "HEAD", "--binary", "--no-ext-diff", "--no-textconv", "--no-color")
    return Revision(
        commit.decode("ascii", "replace").strip(),
        hashlib.sha256(diff).hexdigest() if diff else None,
    )


def _git(folder: Path, *arguments: str) -> bytes | None:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
