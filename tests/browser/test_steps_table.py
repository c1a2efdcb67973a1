"""The table of steps: a whole plan by keyboard, each key, undo, and what is said while typing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened, Served
from tests.browser.hands import FOCUS
from tests.browser.test_accessibility import BEGIN, COLLECT, TAGS, TOO_WIDE

pytestmark = pytest.mark.browser

HEAD = """format = "punktum/1"
[campaign]
id = "{id}"
question = "Which one do we ship?"
zone = "Europe/Berlin"
currency = "USD"
[decision_rule]
metric = "f1"
better = "higher"
take = "best"
threshold = "0.82"
yes = "Ship it."
no = "Leave it."
[[lots]]
id = "lot-1"
gpus = 1
hours = 72
{start}
"""
STEP = """[[steps]]
id = "{id}"
title = "{title}"
kind = "human"
class = "essential"
p50 = "4h"
"""
MOST_KEYS = 360
"""Half of what three minutes hold at four keystrokes a second."""
COLUMNS = ("id", "kind", "class", "p50", "after")
EXPECTED = [
    ("prepare", "human", "essential", "4h", ""),
    ("data-check", "human", "essential", "1h", "prepare"),
    ("pilot", "machine", "essential", "4h", "prepare"),
    ("restore-check", "machine", "essential", "1h", "pilot"),
    ("go", "decision_point", "essential", "1h", "data-check, restore-check"),
    ("control", "machine", "essential", "10h", "go"),
    ("variant-a", "machine", "essential", "10h", "go"),
    ("variant-b", "machine", "useful", "10h", "go"),
    ("long-inputs", "machine", "exploratory", "10h", "go"),
    ("evaluation", "machine", "essential", "2h", "control, variant-a"),
    ("error-analysis", "human", "essential", "3h", "evaluation"),
    ("retrieval", "transfer", "essential", "3h", "error-analysis"),
]


class Typist:
    """The keyboard of a page, with every key counted that goes down, Shift and Alt too."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.keys = 0

    def press(self, *chords: str) -> None:
        """One key or several together, one after the other."""
        for chord in chords:
            self.page.keyboard.press(chord)
            self.keys += len(chord.split("+"))

    def type(self, text: str) -> None:
        """Letters; a capital needs Shift."""
        self.page.keyboard.type(text)
        self.keys += len(text) + sum(letter.isupper() for letter in text)

    def row(self, title: str, kind: str, p50: str, after: str = "") -> None:
        """A row from its title on; the kind by the first letter of its name in the list."""
        self.type(title)
        self.press("Tab", "Tab")
        if kind:
            self.type(kind)
        self.press("Tab", "Tab")
        self.type(p50)
        if after:
            self.press("Tab", "Tab", "Tab")
            self.type(after)


def begun(served: Served, opened: Opened, *steps: str, start: str = "", script: str = "") -> Page:
    """The page of a new campaign's steps, in English, with the focus in the first title."""
    page = opened("about:blank", locale="en", viewport={"width": 1280, "height": 900})
    page.add_init_script(script)
    page.set_default_timeout(15_000)
    body = HEAD.format(id="typed", start=start)
    body += "".join(STEP.format(id=one.lower().replace(" ", "-"), title=one) for one in steps)
    headers = {"Content-Type": "application/toml"}
    answer = page.request.post(f"{served.address}/api/v1/campaigns", data=body, headers=headers)
    assert answer.ok, answer.text()
    page.goto(f"{served.address}/campaigns/typed/plan/edit/steps")
    page.focus("#f-steps-0-title")
    return page


def titles(page: Page) -> list[str]:
    found: list[str] = page.locator("[name$='.title']").evaluate_all(
        "(all) => all.map((one) => one.value)"
    )
    return found


def names(page: Page) -> list[str]:
    found: list[str] = page.locator("[name$='.title']").evaluate_all(
        "(all) => all.map((one) => one.name)"
    )
    return found


def focused(page: Page) -> str:
    found: str = page.evaluate("document.activeElement.id")
    return found


def test_a_plan_of_twelve_steps_by_keyboard(served: Served, opened: Opened) -> None:
    page = begun(served, opened)
    hand = Typist(page)
    hand.row("Prepare", "b", "4h")
    for row in (
        ("Data check", "b", "1h", "prepare"),
        ("Pilot", "", "4h", "prepare"),
        ("Restore check", "", "1h", "pilot"),
        ("Go", "d", "1h", "data-check restore-check"),
        ("Control", "", "10h", "go"),
    ):
        hand.press("Alt+Enter")
        hand.row(*row)
    for title, klass in (("Variant A", ""), ("Variant B", "u"), ("Long inputs", "ex")):
        hand.press("Alt+Shift+ArrowDown")
        hand.type(title)
        if klass:
            hand.press("Tab", "Tab", "Tab")
            hand.type(klass)
    for row in (
        ("Evaluation", "", "2h", "control variant-a"),
        ("Error analysis", "b", "3h", "evaluation"),
        ("Retrieval", "t", "3h", "error-analysis"),
    ):
        hand.press("Alt+Enter")
        hand.row(*row)
    expect(page.locator("#fit .typed-line")).to_contain_text("fits, 30 h uncommitted")
    assert page.input_value("[name=revision]") == "1"
    while not page.evaluate("document.activeElement.matches('.actions [value=save]')"):
        hand.press("Tab")
    with page.expect_navigation():
        hand.press("Enter")
    expect(page.locator(".flash")).to_contain_text("Saved.")
    found = [
        tuple(page.input_value(f"#f-steps-{at}-{name}") for name in COLUMNS)
        for at in range(page.locator("#rows-steps > [data-row]").count())
    ]
    assert found == EXPECTED
    assert hand.keys <= MOST_KEYS


def test_each_key_of_the_table_and_its_undo(served: Served, opened: Opened) -> None:
    page = begun(served, opened, "One", "Two", "Three")
    page.keyboard.press("Enter")
    assert focused(page) == "f-steps-1-title"
    page.keyboard.press("Shift+Enter")
    assert focused(page) == "f-steps-0-title"
    page.keyboard.press("Alt+ArrowDown")
    assert titles(page) == ["Two", "One", "Three"]
    assert focused(page) == "f-steps-1-title"
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("Alt+ArrowUp")
    assert titles(page) == ["One", "Two", "Three"]
    page.keyboard.press("Alt+Shift+ArrowDown")
    assert titles(page) == ["One", "One", "Two", "Three"]
    assert page.input_value("#f-steps-1-id") == ""
    page.keyboard.press("Alt+Enter")
    assert titles(page) == ["One", "One", "", "Two", "Three"]
    page.focus("#f-steps-3-p50")
    page.keyboard.press("Alt+Shift+Delete")
    assert titles(page) == ["One", "One", "", "Three"]
    assert focused(page) == "f-steps-3-p50"
    expect(page.locator("#undo")).to_contain_text("Removed Two.")
    assert names(page) == [f"steps.{at}.title" for at in range(4)]
    for left in (["One", "One", "", "Two", "Three"], ["One", "One", "Two", "Three"],
                 ["One", "Two", "Three"]):  # fmt: skip
        page.keyboard.press("Control+z")
        assert titles(page) == left
    assert page.locator("[name='steps.1.was']").input_value() == "two"


def test_enter_below_the_last_row_adds_one_in_the_same_column(
    served: Served, opened: Opened
) -> None:
    page = begun(served, opened, "One")
    page.focus("#f-steps-0-p50")
    page.keyboard.press("Enter")
    assert focused(page) == "f-steps-1-p50"
    assert titles(page) == ["One", ""]
    assert page.input_value("#f-steps-1-kind") == "machine"


def test_what_was_typed_in_a_field_is_undone_as_one_change(served: Served, opened: Opened) -> None:
    page = begun(served, opened, "One", "Two")
    page.fill("#f-steps-0-title", "First")
    page.focus("#f-steps-1-title")
    page.click("#rows-steps [value='remove:steps:1']")
    assert titles(page) == ["First"]
    page.click("#undo [data-undo]")
    assert titles(page) == ["First", "Two"]
    page.click("#undo [data-undo]")
    assert titles(page) == ["One", "Two"]
    expect(page.locator("#undo [data-undo]")).to_be_hidden()


def test_the_fit_and_the_ends_follow_what_is_typed(served: Served, opened: Opened) -> None:
    start = 'starts_at = "2026-12-08T08:00:00+01:00"'
    page = begun(served, opened, "One", "Two", start=start)
    line, echo = page.locator("#fit .typed-line"), page.locator("#f-steps-0-said")
    expect(echo).to_have_text("= 4 h, ends Tue 8, 12:00")
    top = page.locator("#rows-steps").bounding_box()
    page.focus("#f-steps-0-p50")
    page.keyboard.press("Control+a")
    page.keyboard.type("1d 6h")
    expect(echo).to_have_text("= 1 d 6 h, ends Wed 9, 14:00")
    assert focused(page) == "f-steps-0-p50"
    page.keyboard.press("Control+a")
    page.keyboard.type("90h")
    expect(line).to_contain_text("Exceeds the lot by")
    assert page.locator("#rows-steps").bounding_box() == top
    assert page.locator("[name=revision]").input_value() == "1"


def test_a_refusal_stands_at_its_cell_once_the_field_is_left(
    served: Served, opened: Opened
) -> None:
    page = begun(served, opened, "One", "Two")
    page.focus("#f-steps-0-p50")
    page.keyboard.press("Control+a")
    page.keyboard.type("48")
    expect(page.locator("#fit .typed-line")).to_contain_text("No answer yet: 1 value is refused")
    expect(page.locator("#f-steps-0-p50-error")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator("#f-steps-0-p50-error")).to_contain_text("48 h")
    expect(page.locator("#f-steps-0-p50")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#f-steps-0-p50")).to_have_attribute(
        "aria-describedby", re.compile("^f-steps-0-p50-error ")
    )
    page.fill("#f-steps-0-p50", "48 h")
    page.keyboard.press("Enter")
    expect(page.locator("#f-steps-0-p50-error")).to_have_count(0)
    expect(page.locator("#f-steps-0-said")).to_have_text("= 2 d, ends after 48 h")


def test_undo_without_javascript(served: Served, opened: Opened) -> None:
    begun(served, opened, "One", "Two")
    page = opened(
        f"{served.address}/campaigns/typed/plan/edit/steps", java_script_enabled=False, locale="en"
    )
    page.fill("#f-steps-1-title", "Second")
    page.click("[value='remove:steps:1']")
    expect(page.locator("#undo")).to_contain_text("Removed Second.")
    page.fill("#f-steps-0-title", "First")
    page.click("#undo button")
    expect(page.locator("#f-steps-1-title")).to_have_value("Second")
    expect(page.locator("#f-steps-0-title")).to_have_value("First")
    page.press("#f-steps-0-title", "Enter")
    expect(page.locator(".flash")).to_contain_text("Saved.")
    expect(page.locator("#f-steps-1-id")).to_have_value("two")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_table_is_accessible_with_all_that_it_can_say(
    served: Served, opened: Opened, axe: str, width: int
) -> None:
    page = begun(served, opened, "One", "Two", "Three", script=axe)
    page.set_viewport_size({"width": width, "height": 800})
    page.click("#rows-steps [value='remove:steps:2']")
    page.fill("#f-steps-0-p50", "48")
    page.focus("#f-steps-1-title")
    expect(page.locator("#f-steps-0-p50-error")).to_be_visible()
    page.click("#keys summary")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate(BEGIN, ["tag", TAGS])
        assert page.evaluate(COLLECT) + page.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_empty_table_is_accessible(
    served: Served, opened: Opened, axe: str, width: int
) -> None:
    page = begun(served, opened, script=axe)
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate(BEGIN, ["tag", TAGS])
    assert page.evaluate(COLLECT) + page.evaluate(TOO_WIDE) == []


def test_the_line_over_the_table_stays_in_view_and_covers_no_focus(
    served: Served, opened: Opened
) -> None:
    page = begun(served, opened, *(f"Step {n}" for n in range(20)))
    page.evaluate(FOCUS)
    for _ in range(19):
        page.keyboard.press("Enter")
    for _ in range(19):
        page.keyboard.press("Shift+Enter")
        assert [one for one in page.evaluate(FOCUS) if "covered" in one] == []
        expect(page.locator("#fit .typed-line")).to_be_in_viewport()
    assert focused(page) == "f-steps-0-title"
