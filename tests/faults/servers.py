"""Real servers of their own processes, which may be killed and started again where they were."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.campaigns import plan_of
from tests.house.source import ROOT

ID = "faults"
HANG_GUARD_S = 90


@dataclass
class Served:
    """A server on a data folder, or on a PostgreSQL database; `port` stays the same for life."""

    data: Path
    database_url: str | None = None
    port: int = 0
    process: subprocess.Popen[str] | None = None
    token: str = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Served:
        """Start it and wait until it says its address."""
        command = [sys.executable, "-m", "bench.start", "serve", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, "--data", str(self.data)],
            cwd=ROOT, env=self._environment(), stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "http://" in line, f"the server did not start: {line!r}"
        self.port = int(line.rstrip().rpartition(":")[2])
        return self

    def _environment(self) -> dict[str, str]:
        kept = {name: said for name, said in os.environ.items() if not name.startswith("PUNKTUM_")}
        kept |= {"PUNKTUM_LOG_LEVEL": "warning", "PUNKTUM_SECRET": "a secret of the tests"}
        kept["PUNKTUM_POSTS_PER_S"] = "0"  # one token stands for many boxes
        return kept if self.database_url is None else {**kept, "DATABASE_URL": self.database_url}

    def end(self, number: int = signal.SIGTERM) -> None:
        """End it by a signal, and wait."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.communicate(timeout=HANG_GUARD_S)
            self.process = None

    def kill(self) -> None:
        """End it in the middle of whatever it does."""
        self.end(signal.SIGKILL)

    def opened(self) -> Served:
        """A sealed campaign of a few steps, and a token for its jobs."""
        self.post("/api/v1/campaigns", plan_of(ID, 5), kind="application/toml")
        self.post(f"/api/v1/campaigns/{ID}/seal", {})
        self.token = str(self.post(f"/api/v1/campaigns/{ID}/tokens", {"name": "job"})["token"])
        return self

    def post(self, path: str, body: Any, kind: str = "application/json") -> Any:
        """One post that must be taken."""
        with contextlib.closing(self.connection()) as connection:
            status, answer = ask(connection, "POST", path, body, {"Content-Type": kind})
        assert 200 <= status < 300, (path, status, answer)
        return answer

    def connection(self) -> http.client.HTTPConnection:
        """A connection that may be kept."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG_GUARD_S)

    def job_headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}


def ask(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, Any]:
    """Status and answer; raises OSError or HTTPException where the connection broke."""
    data = body if isinstance(body, str) or body is None else json.dumps(body)
    connection.request(method, path, data, headers or {})
    answer = connection.getresponse()
    content = answer.read()
    is_json = (answer.getheader("Content-Type") or "").endswith("json")
    return answer.status, json.loads(content) if is_json else content
