"""No control hides a part of its words, whatever is chosen in it: wide, narrow, in every language.

On a phone a list of the campaign's own titles may be longer than the window: it takes all of it.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Served
from tests.browser.shown import PAGES

pytestmark = pytest.mark.browser

LANGUAGES, WIDTHS = ("en", "de", "vi"), (1280, 390)
CUT = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const seen = (element) => element.checkVisibility() && element.offsetWidth > 1;
  const cut = [];
  const note = (element, needed) => {
    const room = element.getBoundingClientRect().width;
    const around = element.parentElement.getBoundingClientRect().width;
    if (innerWidth < 600 && element.matches("select") && room > around - 1) return;
    if (needed > room + 1) cut.push(`${element.name || element.textContent}: ${needed} in ${room}`);
  };
  const whole = (element) => {
    const twin = element.cloneNode(true);
    twin.style.cssText = "position: absolute; width: max-content; max-width: none; flex: none";
    element.after(twin);
    const needed = twin.getBoundingClientRect().width;
    twin.remove();
    return needed;
  };
  for (const one of document.querySelectorAll("select, input[type=datetime-local]")) {
    if (seen(one)) note(one, whole(one));
  }
  const pen = document.createElement("canvas").getContext("2d");
  for (const one of document.querySelectorAll("input[placeholder]")) {
    if (!seen(one) || one.value) continue;
    const style = getComputedStyle(one);
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const around = ["paddingLeft", "paddingRight", "borderLeftWidth", "borderRightWidth"];
    const sides = around.reduce((sum, side) => sum + parseFloat(style[side]), 0);
    note(one, pen.measureText(one.placeholder).width + sides);
  }
  for (const one of document.querySelectorAll("button, summary, .button")) {
    const isBox = seen(one) && getComputedStyle(one).display !== "inline";
    if (isBox && one.scrollWidth > one.clientWidth + 1) note(one, one.scrollWidth + 2);
  }
  return cut;
}"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_control_hides_a_part_of_its_words(
    laid: Served, chromium: Browser, language: str
) -> None:
    faults = []
    with chromium.new_context(locale=language, reduced_motion="reduce") as context:
        page = context.new_page()
        for shown in PAGES:
            page.goto(laid.address + shown.path)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 800})
                faults += [f"{shown.name} {width}: {one}" for one in page.evaluate(CUT)]
    assert faults == []
