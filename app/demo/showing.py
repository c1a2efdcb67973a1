"""Showing the demo: sample laid, server started, campaign walked, all of it ended on a signal."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import httpx

from app import clock
from app.db.lockfile import FolderLock
from app.demo.desk import Refused
from app.demo.jobs import EXAMPLE, JobFailed
from app.demo.live import walk
from app.demo.living import Life
from app.demo.processes import Ending, Processes
from app.demo.sample import Laid, lay_sample
from app.demo.server import NotServing, start_server
from app.journal import Actor
from app.serving import prepare
from app.settings import Settings

LOOK_S = 0.5
"""How often it is looked whether the server still serves."""


def run_demo(settings: Settings) -> int:
    """Serve the demo in the settings' folder until SIGTERM or SIGINT; the exit code.

    SQLite in that folder, whatever the settings say of another database: a demo is thrown away.
    """
    settings = settings.model_copy(update={"database_url": None, "demo": True})
    with _signals() as over, Processes() as processes:
        try:
            laid = _lay(settings)
            address, server = start_server(
                processes,
                settings.data,
                port=settings.port,
                host=settings.host,
                jobs_port=settings.jobs_port,
                over=over,
            )
        except (Ending, NotServing) as stopped:
            if over.is_set():
                return 0
            print(f"punktum-server: {stopped}", file=sys.stderr)
            return stopped.code if isinstance(stopped, NotServing) else 1
        with Life(address, laid.campaign, laid.going):
            _greet(address, laid)
            live = start_live(address, settings, processes)
            code = _stay(server, over)
            processes.end()
            if live is not None:
                live.join()
    return code


def _lay(settings: Settings) -> Laid:
    """The sample, before anybody is served."""
    with FolderLock(settings.data, "the demo"):
        database = prepare(settings)
        try:
            return lay_sample(database, Actor("person", settings.person), clock.now())
        finally:
            database.close()


def _greet(address: str, laid: Laid) -> None:
    print(f"Punktum's demo serves at {address} (Ctrl+C ends it; nothing of it is kept)")
    print(f"  the sample, at hour 31 of 72:  {address}/campaigns/{laid.campaign}/timeline")
    print("  a run that a rule stopped, its successor running, a check that failed", flush=True)


def start_live(address: str, settings: Settings, processes: Processes) -> threading.Thread | None:
    """Walk the real campaign in the background, where its packages are there."""
    missing = _missing()
    if missing is not None:
        print(f"  the campaign of real jobs is left out: {missing}", flush=True)
        return None
    print(f"  real training jobs, from now on:  {address}/campaigns/digits/timeline", flush=True)
    thread = threading.Thread(
        target=_walk, args=(address, settings, processes), name="digits", daemon=True
    )
    thread.start()
    return thread


def _missing() -> str | None:
    """What the real jobs lack here, and how to get it."""
    if not (EXAMPLE / "campaign.toml").is_file():
        return "examples/digits does not lie beside the program"
    if importlib.util.find_spec("sklearn") is None:
        return "it needs scikit-learn, pip install 'punktum[demo]'"
    return None


def _walk(address: str, settings: Settings, processes: Processes) -> None:
    """The walk with its lines; what goes wrong is told and the demo stays."""
    folder = settings.data / "jobs"
    folder.mkdir()
    try:
        walk(address, folder, processes, lambda said: print(f"digits: {said}", flush=True))
        print(f"digits: the report is at {address}/campaigns/digits/report", flush=True)
    except (Ending, Refused, JobFailed, httpx.HTTPError, subprocess.TimeoutExpired) as stopped:
        if not processes.ending:
            print(f"digits: {stopped}", file=sys.stderr, flush=True)


def _stay(server: subprocess.Popen[bytes], over: threading.Event) -> int:
    """Until a signal comes, or the server is gone: then 1."""
    while not over.wait(LOOK_S):
        if server.poll() is not None:
            print("punktum-server: the demo's server has left", file=sys.stderr)
            return 1
    return 0


@contextmanager
def _signals() -> Iterator[threading.Event]:
    """An event that is set when somebody wants the demo to end."""
    over = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        over.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield over
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
