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

WIDTHS = (1280, 390)
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


@contextmanager
def _pages(chromium: Browser, axe: str, language: str, said: list[str]) -> Iterator[list[Page]]:
    """One page for each width, each in a process of its own, so that both are judged at once."""
    contexts = [
        chromium.new_context(
            viewport={"width": width, "height": 800}, locale=language, reduced_motion="reduce"
        )
        for width in WIDTHS
    ]
    for context in contexts:
        context.add_init_script(axe)
    pages = [context.new_page() for context in contexts]
    for page in pages:
        listen(page, said)
    yield pages
    for context in contexts:
        context.close()


def _judge(
    pages: list[Page], scheme: Literal["light", "dark"], kind: str, values: list[str]
) -> Iterator[str]:
    for page in pages:
        page.emulate_media(color_scheme=scheme)
        page.evaluate(BEGIN, [kind, values])
    for page, width in zip(pages, WIDTHS, strict=True):
        for fault in page.evaluate(COLLECT) + page.evaluate(TOO_WIDE):
            yield f"{scheme} {width}: {fault}"


def _faults(pages: list[Page], shown: Shown, address: str) -> Iterator[str]:
    for page in pages:
        answer = page.goto(address + shown.path)
        assert answer is not None
        assert answer.status == shown.status, shown
    for fault in (*_judge(pages, "light", "tag", TAGS), *_judge(pages, "dark", "rule", OF_COLOUR)):
        yield f"{shown.name} {fault}"


@pytest.mark.parametrize("language", ["en", "de", "vi"])
def test_every_page_is_accessible(laid: Served, chromium: Browser, axe: str, language: str) -> None:
    said: list[str] = []
    with _pages(chromium, axe, language, said) as pages:
        faults = [fault for shown in PAGES for fault in _faults(pages, shown, laid.address)]
        languages = {page.evaluate("document.documentElement.lang") for page in pages}
    assert faults == []
    assert languages == {language}
    assert said == []
