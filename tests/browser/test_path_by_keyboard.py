"""The whole path with no mouse: each stop of the focus is seen, in order, and all is in reach."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Opened, Served
from tests.browser.hands import Keyboard
from tests.browser.walk import walk

pytestmark = pytest.mark.browser


def test_the_whole_path_by_keyboard(served: Served, opened: Opened) -> None:
    page = opened(served.address, viewport={"width": 1280, "height": 800})
    page.set_default_timeout(15_000)
    walk(Keyboard(page), served.address)


def test_the_first_tab_leads_past_the_head(laid: Served, opened: Opened) -> None:
    page = opened(f"{laid.address}/campaigns/invoice-adapter/timeline")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.skip')")
    assert page.locator(".skip").bounding_box() is not None
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_refused_form_leads_to_its_fields(laid: Served, opened: Opened) -> None:
    page = opened(f"{laid.address}/campaigns/new")
    hands = Keyboard(page)
    hands.write("#f-campaign-question", "Which one?")
    hands.write("#f-campaign-people", "many")
    for name, said in (("metric", "f1"), ("threshold", "0.8"), ("yes", "This."), ("no", "That.")):
        hands.write(f"#f-decision_rule-{name}", said)
    hands.press('button[value="save"]')
    assert page.evaluate("document.activeElement.id") == "errors"
    hands.press('#errors a[href="#f-campaign-people"]')
    assert page.evaluate("document.activeElement.id") == "f-campaign-people"
    assert page.input_value("#f-campaign-question") == "Which one?"
