"""Servers under measurement, each a process of its own on loopback, ended when done."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.load import request


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: where it listens, its data folder, its process id."""

    port: int
    data: Path
    pid: int
    start_s: float

    def rss_mb(self) -> float:
        """Resident memory in MB as the kernel counts it."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("the server is gone")

    def cpu_s(self) -> float:
        """CPU seconds used so far, in user and system mode."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def get(
        self, path: str, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """One request on a connection of its own: status, headers, body."""
        return fetch(
            self.port, request("GET", path, headers={"Connection": "close", **(headers or {})})
        )


def fetch(port: int, sent: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send one request that closes its connection; return status, headers and body as sent."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(sent)
        received = b""
        while chunk := connection.recv(1 << 16):
            received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])
    }
    return int(lines[0].split()[1]), headers, body


@contextmanager
def punktum(data: Path | None = None) -> Iterator[Server]:
    """Punktum on a data folder (its own when none is given)."""
    with tempfile.TemporaryDirectory() as folder:
        data = data or Path(folder)
        command = [sys.executable, "-m", "bench.start", "serve", "--port", "0", "--data", str(data)]
        with _running(command, data) as server:
            yield server


@contextmanager
def echo() -> Iterator[Server]:
    """A bare FastAPI app that answers a post with what was posted, served alike."""
    with _running([sys.executable, "-m", "bench.echo"], Path()) as server:
        yield server


def _first_answer(port: int) -> None:
    """Ask until there is an answer; the bare echo says its address before it listens."""
    until = time.perf_counter() + 20
    while True:
        try:
            fetch(port, request("GET", "/healthz", headers={"Connection": "close"}))
            return
        except ConnectionRefusedError:
            if time.perf_counter() > until:
                raise
            time.sleep(0.01)


@contextmanager
def _running(command: list[str], data: Path) -> Iterator[Server]:
    environment = {**os.environ, "PUNKTUM_LOG_LEVEL": "warning", "PUNKTUM_POSTS_PER_S": "0"}
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if "http://" not in line:
            raise RuntimeError(f"the server did not start: {line!r}")
        port = int(line.rstrip().rpartition(":")[2])
        _first_answer(port)
        yield Server(port, data, process.pid, time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait(30)
