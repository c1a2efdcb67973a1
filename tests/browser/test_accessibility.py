"""Every page by WCAG 2.2 AA and best practice: both schemes, wide and narrow, three languages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Served, listen
from tests.browser.shown import PAGES, Shown

pytestmark = pytest.mark.browser

LANGUAGES, WIDTHS = ("en", "de", "vi"), (1280, 390)
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOUR = ["color-contrast", "link-in-text-block"]
"""The rules whose answer another colour scheme can change."""
BEGIN = """([kind, values]) => {
  window.found = axe.run({
    runOnly: {type: kind, values}, resultTypes: ["violations"], iframes: false,
  });
}"""
COLLECT = """async () => (await window.found).violations.flatMap(
  (one) => one.nodes.map((node) => `${one.id} ${node.target} ${node.failureSummary}`))"""
TOO_WIDE = """() => {
  const root = document.documentElement;
  return root.scrollWidth > root.clientWidth ? ["wider than the window"] : [];
}"""
SCHEMES: tuple[tuple[Literal["light", "dark"], str, list[str]], ...] = (
    ("light", "tag", TAGS),
    ("dark", "rule", OF_COLOUR),
)


@contextmanager
def _readers(chromium: Browser, axe: str, said: list[str]) -> Iterator[dict[str, Page]]:
    """A page for each language, in a process of its own, so that all are judged at once."""
    pages = {}
    for language in LANGUAGES:
        context = chromium.new_context(locale=language, reduced_motion="reduce")
        context.add_init_script(axe)
        pages[language] = context.new_page()
        listen(pages[language], said)
    yield pages
    for page in pages.values():
        page.context.close()


def _faults(pages: dict[str, Page], shown: Shown, address: str) -> Iterator[str]:
    for language, page in pages.items():
        answer = page.goto(address + shown.path)
        assert answer is not None
        assert answer.status == shown.status, shown
        assert page.get_attribute("html", "lang") == language
    for width in WIDTHS:
        for scheme, kind, values in SCHEMES:
            for page in pages.values():
                page.set_viewport_size({"width": width, "height": 800})
                page.emulate_media(color_scheme=scheme)
                page.evaluate(BEGIN, [kind, values])
            for language, page in pages.items():
                for fault in page.evaluate(COLLECT) + page.evaluate(TOO_WIDE):
                    yield f"{shown.name} {language} {scheme} {width}: {fault}"


def test_every_page_is_accessible(laid: Served, chromium: Browser, axe: str) -> None:
    said: list[str] = []
    with _readers(chromium, axe, said) as pages:
        faults = [fault for shown in PAGES for fault in _faults(pages, shown, laid.address)]
    assert faults == []
    assert said == []
