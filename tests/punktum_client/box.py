"""A rented machine in small: a folder, an environment, and commands started in it."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.punktum_client.loopback import Loopback

TOKEN = "pk_secret-of-the-test"
HANG_GUARD_S = 90


@dataclass
class Box:
    """``url`` is where jobs report to; None: they have no server."""

    folder: Path
    root: Path
    python: str
    url: str | None = None
    environment: dict[str, str] = field(default_factory=dict)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def spool(self) -> Path:
        return self.folder / ".punktum" / "spool"

    def reports_to(self, server: Loopback) -> None:
        self.url = server.url

    def env(self) -> dict[str, str]:
        # A box has no programs of ours on its PATH, however these tests were started.
        own = os.path.dirname(self.python)
        places = [p for p in os.environ["PATH"].split(os.pathsep) if p.rstrip("/") != own]
        environment = {
            **os.environ,
            "PATH": os.pathsep.join(places),
            "PYTHONPATH": str(self.root),
            "PYTHONDONTWRITEBYTECODE": "1",
            **self.environment,
        }
        if self.url is not None:
            environment.update(PUNKTUM_URL=self.url, PUNKTUM_TOKEN=TOKEN)
        return environment

    def start(self, *words: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start a program; its output is kept."""
        process = subprocess.Popen(
            words,
            cwd=self.folder,
            env=self.env(),
            stdin=options.pop("stdin", subprocess.DEVNULL),
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=options.pop("stderr", subprocess.PIPE),
            **options,
        )
        self.processes.append(process)
        return process

    def punktum(self, *words: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start ``punktum …``."""
        return self.start(self.python, "-m", "punktum", *words, **options)

    def job(self, code: str, *words: str, step: str = "control") -> subprocess.Popen[bytes]:
        """Start Python code under ``punktum run``."""
        return self.punktum(
            "run", "--step", step, "--grace", "2", *words, "--", self.python, "-c", code
        )

    def done_with(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for its end alone: what it started may still hold its output."""
        process.wait(timeout=HANG_GUARD_S)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    def done(self, process: subprocess.Popen[bytes]) -> Done:
        """Wait for its end."""
        out, err = process.communicate(timeout=HANG_GUARD_S)
        return Done(process.returncode, out.decode(), err.decode())

    def run(self, *words: str) -> Done:
        """``punktum …`` until its end."""
        return self.done(self.punktum(*words))

    def typed(self, line: str) -> Done:
        """A line of a message, as a person pastes it into a shell in this folder."""
        return self.done(self.start("sh", "-c", line))

    def run_job(self, code: str, *words: str, step: str = "control") -> Done:
        """Python code under ``punktum run`` until its end."""
        return self.done(self.job(code, *words, step=step))

    def python_code(self, code: str) -> Done:
        """Python code without a wrapper."""
        return self.done(self.start(self.python, "-c", code))

    def spooled(self) -> list[dict[str, Any]]:
        """All events in the spool, file by file."""
        return [
            json.loads(line)
            for path in sorted(self.spool.glob("*--*.jsonl"))
            if not path.name.endswith(".refused.jsonl")
            for line in path.read_text().splitlines()
        ]

    def spooled_end(self) -> dict[str, Any]:
        """The one terminal event in the spool."""
        ends = [event for event in self.spooled() if event["kind"] in ("stop", "fail", "finish")]
        assert len(ends) == 1, ends
        return ends[0]


@dataclass(frozen=True)
class Done:
    """A program that ended: its exit code (negative: a signal) and what it said."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)
