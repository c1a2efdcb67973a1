"""A real server with a port for jobs, and boxes: machines with Python and nothing of ours."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from selectolax.lexbor import LexborHTMLParser as HTMLParser

from tests.house.source import ROOT

CAMPAIGN = "digits"
HANG_GUARD_S = 120
TRAIN = (
    "import punktum\n"
    "with punktum.run('control') as run:\n"
    "    for n in range(1, 6):\n"
    "        run.progress(n, 5)\n"
    "        run.metric('accuracy', n / 8)\n"
)


@dataclass(frozen=True)
class Served:
    """A running server with one campaign, and a token for its jobs."""

    url: str
    jobs_port: int
    token: str

    def get(self, path: str) -> Any:
        with urlopen(f"{self.url}{path}", timeout=HANG_GUARD_S) as answer:
            return json.load(answer)

    def runs(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(f"/api/v1/campaigns/{CAMPAIGN}/runs")["items"]
        return found

    def events(self) -> dict[str, tuple[str, int]]:
        """Each run's status and how many events of it are there."""
        return {
            run["id"]: (run["status"], sum(one["events"] for one in run["attempts"]))
            for run in self.runs()
        }

    def blocks(self, query: str = "") -> list[str]:
        """The blocks to paste, as the page Connect shows them."""
        with urlopen(f"{self.url}/campaigns/{CAMPAIGN}/connect{query}") as answer:
            tree = HTMLParser(answer.read().decode())
        return [node.text() for node in tree.css("#paste > .code code")]


@dataclass(frozen=True)
class Asked:
    """An answer: status, headers, body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def ask(url: str, headers: Mapping[str, str] | None = None, most_s: float = HANG_GUARD_S) -> Asked:
    """GET an address, whatever it answers."""
    try:
        with urlopen(Request(url, headers=dict(headers or {})), timeout=most_s) as answer:
            return Asked(answer.status, dict(answer.headers), answer.read())
    except HTTPError as refused:
        return Asked(refused.code, dict(refused.headers), refused.read())


@contextmanager
def serving(data: Path, host: str = "127.0.0.1") -> Iterator[Served]:
    """A server of its own process and folder, on two free ports of a loopback address."""
    command = [sys.executable, "-m", "bench.start", "serve", "--port", "0", "--jobs-port", "0"]
    environment = {**clean_environment(), "PUNKTUM_LOG_LEVEL": "warning"}
    process = subprocess.Popen(
        [*command, "--host", host, "--data", str(data)],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        url = "http://" + process.stdout.readline().strip().rpartition("http://")[2]
        port = re.search(r"port (\d+)", process.stdout.readline())
        assert port is not None
        plan = (ROOT / "examples" / "digits" / "campaign.toml").read_text("utf-8")
        plan = plan.replace('ids_file = "ids.txt"\n', "")
        _post(f"{url}/api/v1/campaigns", plan.encode(), "application/toml")
        made = _post(f"{url}/api/v1/campaigns/{CAMPAIGN}/tokens", b"{}", "application/json")
        yield Served(url, int(port[1]), made["token"])
    finally:
        process.terminate()
        process.communicate(timeout=HANG_GUARD_S)


def clean_environment() -> dict[str, str]:
    """This process's environment without our variables and without paths of Python."""
    return {
        name: said
        for name, said in os.environ.items()
        if not name.startswith(("PUNKTUM_", "PYTHON")) and name != "RANK"
    }


@dataclass
class Box:
    """A home folder, and commands with only the system's programs and a bare Python."""

    home: Path
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        programs = self.home / "bin"
        programs.mkdir(parents=True)
        for name in ("python3", "python"):
            self.program(name, f'exec {sys.executable} -S "$@"')

    def program(self, name: str, line: str) -> None:
        """A command of this box, as one line of shell."""
        file = self.home / "bin" / name
        file.write_text(f"#!/bin/bash\n{line}\n")
        file.chmod(0o755)

    def environment(self) -> dict[str, str]:
        """HOME, PATH, and what was set."""
        path = f"{self.home / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        return {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", **self.variables}

    def start(self, *words: str, cwd: Path | None = None) -> subprocess.Popen[str]:
        """Start a program in the home folder, or in another one."""
        return subprocess.Popen(
            words, cwd=cwd or self.home, env=self.environment(), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(
        self, *words: str, typed: str = "", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end; `typed` is what somebody types while it runs."""
        process = self.start(*words, cwd=cwd)
        out, err = process.communicate(typed, timeout=HANG_GUARD_S)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def paste(
        self, block: str, typed: str = "", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Paste a block into bash as it stands."""
        return self.run("bash", "-c", block, typed=typed, cwd=cwd)


def _post(url: str, body: bytes, kind: str) -> Any:
    request = Request(url, body, {"Content-Type": kind}, method="POST")
    with urlopen(request, timeout=HANG_GUARD_S) as answer:
        return json.load(answer)
