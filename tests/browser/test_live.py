"""The live timeline: what a reader holds stays held, nothing jumps, and little is sent."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, Route

from bench.campaigns import campaign, event, post
from bench.load import request
from bench.servers import Server
from tests.browser.conftest import Opened, Served, start_server
from tests.browser.laid import SAMPLE

pytestmark = pytest.mark.browser

STEPS, UPDATES, EVERY_MS = 60, 10, 5000
AGE_S = 7230
"""How long the run has gone on: its figures have one decimal and do not change in the test."""
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) {
    const moved = Array.from(one.sources, ({ node, previousRect, currentRect }) =>
      `${node?.outerHTML?.slice(0, 80) ?? node?.textContent} ${previousRect.y} ${currentRect.y}`);
    window.shifts.push(`${one.value}: ${moved.join(", ")}`);
  }
}).observe({type: "layout-shift", buffered: true});
"""
FOLD = '<details id="extra"><summary>More</summary><p>Still open?</p></details>'


@dataclass
class Going:
    """A campaign with a run that reports."""

    served: Served
    token: str
    seq: int = 1

    @property
    def timeline(self) -> str:
        """The address of its live page."""
        return f"{self.served.address}/campaigns/going/timeline"

    def beat(self) -> None:
        """One more sign of life, with progress."""
        self.seq += 1
        at = Server(self.served.port, self.served.data, 0, 0.0)
        body = event("going", "beat", f"step-{STEPS // 2}", seq=self.seq)
        said = {
            "source": "wrapper",
            "progress": self.seq,
            "total": 100,
            "elapsed_s": AGE_S + self.seq,
        }
        post(at, "/api/v1/runs/going/beat", {**body, **said}, token=self.token)


@pytest.fixture(scope="module")
def going(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Going]:
    data = tmp_path_factory.mktemp("live") / "data"
    process, address = start_server(data, datetime.now(UTC) - timedelta(seconds=AGE_S))
    token = campaign(Server(Served(address, data).port, data, process.pid, 0.0), "going", STEPS)
    process.terminate()
    process.wait(20)
    process, address = start_server(data)
    found = Going(Served(address, data), token)
    found.beat()
    yield found
    process.terminate()
    process.wait(20)


def _update(page: Page, going: Going) -> None:
    """A beat arrives at the server, then the page asks until it shows it.

    The page's clock is ours, the server's is not: it draws a live part at most four times a
    second, so a page that asks faster is shown the same drawing for a moment.
    """
    before = page.get_attribute("#live", "hx-ptag")
    going.beat()
    for _ in range(60):
        with page.expect_response(lambda answer: "/timeline" in answer.url):
            page.clock.run_for(EVERY_MS)
        page.clock.run_for(100)
        if page.get_attribute("#live", "hx-ptag") != before:
            return
        time.sleep(0.05)
    raise AssertionError("the page did not follow")


def test_focus_folds_and_place_survive_ten_updates(going: Going, opened: Opened) -> None:
    page = opened("about:blank", viewport={"width": 1280, "height": 500})
    page.add_init_script(SHIFTS)
    page.clock.install()

    def with_fold(route: Route) -> None:
        answer = route.fetch()
        body = answer.text().replace(
            '<section class="card chart"', f'{FOLD}<section class="card chart"'
        )
        route.fulfill(response=answer, body=body)

    page.route("**/timeline", with_fold)
    page.goto(going.timeline)
    page.click("#extra > summary")
    page.focus("#chart-step-30 a")
    page.evaluate("""() => {
      window.held = document.activeElement;
      window.shifts.length = 0;
      window.place = scrollY;
    }""")
    for _ in range(UPDATES):
        _update(page, going)
    assert page.evaluate("document.activeElement === window.held")
    assert page.evaluate("window.held.isConnected && scrollY === window.place && scrollY > 0")
    assert page.evaluate("document.querySelector('#extra').open")
    assert page.evaluate("window.shifts") == []


def test_what_is_typed_survives_beside_the_live_runs(going: Going, opened: Opened) -> None:
    page = opened("about:blank")
    page.clock.install()
    page.goto(f"{going.served.address}/campaigns/going/runs")
    page.click("#log-span > summary")
    page.fill("#f-note", "half a sen")
    for _ in range(UPDATES):
        going.beat()
        with page.expect_response(lambda answer: "/runs" in answer.url):
            page.clock.run_for(15_000)
    assert page.evaluate("document.querySelector('#log-span').open")
    assert page.input_value("#f-note") == "half a sen"
    assert page.evaluate("document.activeElement.id") == "f-note"
    page.fill("#f-note", "")
    page.evaluate("document.querySelector('#span').dataset.guard = ''")


def test_nothing_shifts_while_it_loads(going: Going, opened: Opened) -> None:
    for width in (1280, 390):
        page = opened("about:blank", viewport={"width": width, "height": 800})
        page.add_init_script(SHIFTS)
        page.goto(going.timeline)
        page.wait_for_timeout(300)
        assert page.evaluate("window.shifts") == []


def _raw(port: int, path: str, headers: dict[str, str]) -> tuple[bytes, bytes]:
    """The status line of an answer, and everything after it."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request("GET", path, headers={**headers, "Connection": "close"}))
        received = b""
        while chunk := connection.recv(1 << 16):
            received += chunk
    line, _, rest = received.partition(b"\r\n")
    return line, rest


def test_an_unchanged_poll_is_at_most_200_bytes(laid: Served) -> None:
    path = f"/campaigns/{SAMPLE}/timeline"
    partial = {"HX-Request": "true", "HX-Request-Type": "partial", "Accept-Encoding": "gzip"}
    line, rest = _raw(laid.port, path, partial)
    assert line.startswith(b"HTTP/1.1 200")
    head = rest.partition(b"\r\n\r\n")[0].decode("latin-1").lower()
    tag = next(row.partition(": ")[2] for row in head.splitlines() if row.startswith("hx-ptag"))
    line, rest = _raw(laid.port, path, {**partial, "HX-PTag": tag})
    assert line.startswith(b"HTTP/1.1 304")
    assert len(rest) <= 200, rest.decode()


@dataclass
class Wire:
    """What a first load sent over the wire: bytes with headers, by address."""

    page: Page
    asked: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)

    def listen(self) -> None:
        """Count through the browser's own instruments."""
        wire = self.page.context.new_cdp_session(self.page)
        wire.send("Network.enable")
        wire.on(
            "Network.requestWillBeSent",
            lambda seen: self.asked.update({seen["requestId"]: seen["request"]["url"]}),
        )
        wire.on(
            "Network.loadingFinished",
            lambda seen: self.sizes.update({seen["requestId"]: seen["encodedDataLength"]}),
        )


def test_the_first_load_is_small(going: Going, laid: Served, chromium: Browser) -> None:
    for address in (going.timeline, f"{laid.address}/campaigns/{SAMPLE}/timeline"):
        with chromium.new_context() as context:
            page = context.new_page()
            wire = Wire(page)
            wire.listen()
            page.goto(address, wait_until="networkidle")
            scripts = [size for key, size in wire.sizes.items() if wire.asked[key].endswith(".js")]
        assert set(wire.sizes) == set(wire.asked), "a request failed"
        assert len(wire.asked) <= 6, wire.asked
        assert sum(wire.sizes.values()) <= 40_000, wire
        assert len(scripts) >= 2
        assert sum(scripts) <= 20_000, wire
