"""A server of its own as a child process, on a data folder that is thrown away."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

from app.demo.processes import Processes

SAID = b"Punktum serves at "
READY_S = 30.0


class NotServing(RuntimeError):
    """The server did not come up; `code` is its exit code where it left by itself."""

    def __init__(self, why: str, code: int = 1) -> None:
        super().__init__(why)
        self.code = code


def start_server(
    processes: Processes,
    data: Path,
    *,
    port: int = 0,
    host: str = "127.0.0.1",
    jobs_port: int | None = None,
    over: threading.Event | None = None,
) -> tuple[str, subprocess.Popen[bytes]]:
    """Serve a folder (port 0: any free one) and return the address once it answers there.

    Raises `NotServing` when it does not, or when `over` is set before; why stands on stderr.
    """
    data = data.resolve()
    command = [sys.executable, "-c", "from app.command_line import main; main()", "serve"]
    command += ["--data", str(data), "--host", host, "--port", str(port)]
    if jobs_port is not None:
        command += ["--jobs-port", str(jobs_port)]
    process = processes.start(
        command,
        folder=data,
        environment=server_environment(),
        output=subprocess.PIPE,
    )
    assert process.stdout is not None
    said: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(process.stdout, said), daemon=True).start()
    until = time.monotonic() + READY_S
    while time.monotonic() < until and not (over is not None and over.is_set()):
        try:
            line = said.get(timeout=0.1)
        except queue.Empty:
            if process.poll() is not None:
                raise NotServing("the server left", process.returncode or 1) from None
            continue
        if line.startswith(SAID):
            return line.removeprefix(SAID).strip().decode(), process
    raise NotServing("the server did not answer in time")


def server_environment() -> dict[str, str]:
    """Ours, but never with the user's own database: a demo is thrown away."""
    here = Path(__file__).resolve().parents[2]
    paths = [str(here), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "PUNKTUM_LOG_LEVEL": "warning",
        **os.environ,
        "DATABASE_URL": "",
        "PUNKTUM_DEMO": "1",
        "PYTHONPATH": os.pathsep.join(paths),
    }


def _listen(stream: IO[bytes], said: queue.Queue[bytes]) -> None:
    """Hand every line on, and never let the server wait for a reader."""
    for line in stream:
        said.put(line)
