"""The whole path with JavaScript switched off, and the acts that scripts only make quicker."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from app.plan.rules.model import StopKind
from app.plan.rules.typed.hints import HINTS
from tests.browser.conftest import Opened, Served
from tests.browser.hands import Mouse
from tests.browser.walk import walk

pytestmark = pytest.mark.browser


def test_the_whole_path_without_javascript(served: Served, opened: Opened) -> None:
    page = opened(served.address, java_script_enabled=False)
    page.set_default_timeout(15_000)
    walk(Mouse(page), served.address)


def test_a_campaign_from_the_form(served: Served, opened: Opened) -> None:
    page = opened(f"{served.address}/campaigns/new", java_script_enabled=False)
    page.fill("#f-campaign-question", "Which one do we keep?")
    page.fill("#f-deliverables-0-title", "Predictions")
    page.click('button[value="add:deliverables"]')
    expect(page.locator("#f-campaign-question")).to_have_value("Which one do we keep?")
    page.fill("#f-deliverables-1-title", "A report")
    page.fill("#f-decision_rule-metric", "f1")
    page.fill("#f-decision_rule-threshold", "eight tenths")
    page.fill("#f-decision_rule-yes", "Keep it.")
    page.fill("#f-decision_rule-no", "Keep the other.")
    page.click('button[value="save"]')
    expect(page.locator("#errors")).to_be_visible()
    expect(page.locator("#f-deliverables-1-title")).to_have_value("A report")
    page.fill("#f-decision_rule-threshold", "0.8")
    page.click('button[value="save"]')
    expect(page.locator("h1")).to_contain_text("Which one do we keep?")
    page.click(".tabs a >> nth=0")
    expect(page.locator("#deliverables")).to_contain_text("A report")


def test_the_language_can_be_chosen(laid: Served, opened: Opened) -> None:
    page = opened(f"{laid.address}/offers", java_script_enabled=False)
    page.click('.languages a[lang="de"]')
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert page.url.endswith("/offers")
    page.click('.languages a[lang="vi"]')
    expect(page.locator("html")).to_have_attribute("lang", "vi")


def test_a_stop_rules_fields_hint_at_its_kind(laid: Served, opened: Opened) -> None:
    where = f"{laid.address}/campaigns/invoice-adapter/plan/edit/stop-rules"
    page = opened(where, java_script_enabled=False)
    row = page.locator(".rows > .row").first
    for kind in StopKind:
        row.locator("select[name$='.kind']").select_option(kind.value)
        shown = row.locator("[data-hint]:visible")
        for hint in shown.all():
            assert kind.value in (hint.get_attribute("data-hint") or "").split()
        fields = {key for key, hints in HINTS.items() if any(kind in one[0] for one in hints)}
        assert shown.count() == len(fields)
