"""Pictures of every page to look at, and the one in the documentation, at one instant."""

from __future__ import annotations

import os
from typing import Literal

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served, listen
from tests.browser.laid import SAMPLE
from tests.browser.shown import PAGES
from tests.house.source import ROOT

pytestmark = pytest.mark.browser

SCREENSHOTS = ROOT / "screenshots"
PICTURE = ROOT / "docs" / "timeline.png"
WIDTHS = (1280, 390)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def test_every_page_has_its_picture(laid: Served, chromium: Browser) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    said: list[str] = []
    with chromium.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        listen(page, said)
        for shown in PAGES:
            page.goto(laid.address + shown.path)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 800})
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    target = SCREENSHOTS / f"{shown.name}-{scheme}-{width}.png"
                    page.screenshot(path=target, full_page=True)
                    assert target.stat().st_size > 5_000, shown
    assert said == []


def test_the_documentation_has_its_picture(laid: Served, chromium: Browser) -> None:
    """Made when it is missing; `UPDATE_PICTURES=1` makes it again."""
    if not PICTURE.exists() or os.environ.get("UPDATE_PICTURES") == "1":
        with chromium.new_context(
            viewport={"width": 1280, "height": 800}, device_scale_factor=1.5
        ) as context:
            page = context.new_page()
            page.goto(f"{laid.address}/campaigns/{SAMPLE}/timeline")
            page.screenshot(path=PICTURE, full_page=True)
    assert PICTURE.read_bytes().startswith(b"\x89PNG")
    assert PICTURE.stat().st_size < 400_000
