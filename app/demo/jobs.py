"""The jobs of `examples/digits`, run as a person would: `punktum run` and `punktum verify`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from app.demo.processes import Processes
from app.settings import ROOT

EXAMPLE = ROOT / "examples" / "digits"
LONGEST_S = 120.0
"""No job of this example takes that long."""


class JobFailed(RuntimeError):
    """A job left with another exit code than it should; the end of its log is told."""


class Jobs:
    """A copy of the example in a folder of its own, and its commands with a server and a token."""

    def __init__(self, processes: Processes, folder: Path, address: str) -> None:
        self.work = folder / "digits"
        self._processes = processes
        self._address = address
        self._log = folder / "digits.log"
        self._token_file = folder / "token"
        unwanted = shutil.ignore_patterns("out", "home", "__pycache__", ".*")
        shutil.copytree(EXAMPLE, self.work, ignore=unwanted)

    def keep_token(self, token: str) -> None:
        """Write the job token where only its owner can read it."""
        descriptor = os.open(self._token_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as target:
            target.write(token)

    def run(self, step: str, *command: str, expected: int = 0) -> None:
        """`punktum run --step STEP -- COMMAND`; raises `JobFailed` for another exit code."""
        options = ["--step", step, "--output", "out", "--corpus", "held-out=ids.txt", "--strict"]
        self._punktum(["run", *options, "--", *command], expected)

    def check_restore(self, step: str, script: str) -> None:
        """`punktum restore-check` with a script that saves, and with `--resume` goes on."""
        options = ["--step", step, "--output", "out"]
        compared = ["--compare", "loss", "--steps", "2", "--tolerance", "0"]
        both = ["--save", f"python {script}", "--resume", f"python {script} --resume"]
        self._punktum(["restore-check", *options, *compared, *both], 0)

    def verify(self, deliverable: str, runs: Sequence[str]) -> None:
        """`punktum verify out --deliverable D`; raises `JobFailed` where a check fails."""
        named = [word for run in runs for word in ("--run", run)]
        self._punktum(["verify", "out", "--deliverable", deliverable, *named], 0)

    def plain(self, *command: str) -> None:
        """A command that is no run: a person looking at something."""
        self._start(command, 0)

    def said(self, lines: int = 15) -> str:
        """The end of everything that the jobs printed."""
        text = self._log.read_text("utf-8", "replace") if self._log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])

    def _punktum(self, arguments: Sequence[str], expected: int) -> None:
        self._start([sys.executable, "-m", "punktum", *arguments], expected)

    def _start(self, command: Sequence[str], expected: int) -> None:
        code = self._processes.run(
            command,
            folder=self.work,
            environment=self._environment(),
            log=self._log,
            timeout_s=LONGEST_S,
        )
        if code != expected:
            shown = " ".join(command[2:] if command[:2] == [sys.executable, "-m"] else command)
            raise JobFailed(f"{shown}: exit {code} instead of {expected}\n{self.said()}")

    def _environment(self) -> dict[str, str]:
        """Ours without another run's variables; `python` is the one that we run on."""
        kept = {name: value for name, value in os.environ.items() if _is_kept(name)}
        here = Path(__file__).resolve().parents[2]
        return {
            **kept,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
            "PYTHONPATH": os.pathsep.join([str(here), *_paths()]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "XDG_CONFIG_HOME": str(self.work.parent / "config"),
            "PUNKTUM_URL": self._address,
            "PUNKTUM_TOKEN_FILE": str(self._token_file),
        }


def _is_kept(name: str) -> bool:
    return not name.startswith("PUNKTUM_") and name not in ("RANK", "CUDA_VISIBLE_DEVICES")


def _paths() -> list[str]:
    return [path for path in [os.environ.get("PYTHONPATH")] if path]
