"""How a person acts on a page: with the keyboard alone, or with a mouse. Both do the same acts."""

from __future__ import annotations

from typing import Protocol

from playwright.sync_api import Locator, Page, expect

FOCUS = """() => {
  const now = document.activeElement, before = window.focusedBefore;
  window.focusedBefore = now;
  if (now === document.body) return [];
  const faults = [], style = getComputedStyle(now), box = now.getClientRects()[0];
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  const hit = document.elementFromPoint(x, y);
  if (!(hit && (now.contains(hit) || hit.contains(now)))) faults.push("is covered or out of view");
  if (!now.matches(":focus-visible")) faults.push("does not show its focus");
  if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 1.5) {
    faults.push("has no outline");
  }
  const order = before && before.isConnected ? before.compareDocumentPosition(now) : 0;
  if (before !== document.body && order & Node.DOCUMENT_POSITION_PRECEDING) {
    faults.push("comes before what had the focus");
  }
  return faults.map((fault) => `${now.outerHTML.slice(0, 120)} ${fault}`);
}"""
LEADS_AWAY = """(element) => element.tagName !== "SUMMARY"
  && !(element.getAttribute("href") || "").startsWith("#")"""
STAYS = "() => document.documentElement.setAttribute('data-stays', '')"
"""Marks this document, so that the next one can be told from it."""
IS_FOCUSED = "(element) => element === document.activeElement"
MOST_TABS = 400


class Hands(Protocol):
    """The acts that a path through the product needs; targets are selectors."""

    page: Page

    def press(self, target: str) -> None:
        """Follow a link, push a button, open or close a fold."""

    def write(self, target: str, text: str) -> None:
        """Type into a field in the place of what stands there."""

    def choose(self, target: str, value: str) -> None:
        """Choose from a list that drops down."""

    def mark(self, target: str) -> None:
        """Mark a box or one of several round ones."""

    def enter(self, target: str) -> None:
        """Send the form from within a field."""


class Keyboard:
    """Tab, Enter, Space, arrows and letters; every stop of the focus is judged."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, target: str) -> None:
        """Tab to it, then Enter."""
        self._enter(self._reach(target))

    def write(self, target: str, text: str) -> None:
        """Tab to it, then type."""
        self._reach(target)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)

    def choose(self, target: str, value: str) -> None:
        """Tab to it, then the arrows."""
        element = self._reach(target)
        self.page.keyboard.press("Home")
        for _ in range(element.locator("option").count()):
            if element.input_value() == value:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"{target} has no {value}")

    def mark(self, target: str) -> None:
        """Tab to it (a group of round ones is one stop: then the arrows), then Space."""
        element = self.page.locator(target)
        name = element.get_attribute("name")
        group = f'input[type="radio"][name="{name}"]'
        if element.get_attribute("type") == "radio":
            self._reach_any(group)
            for _ in range(self.page.locator(group).count()):
                if element.evaluate(IS_FOCUSED):
                    break
                self.page.keyboard.press("ArrowDown")
        else:
            self._reach(target)
        if not element.is_checked():
            self.page.keyboard.press("Space")
        assert element.is_checked(), target

    def enter(self, target: str) -> None:
        """Enter, in a field that has the focus or gets it by Tab."""
        self._enter(self._reach(target))

    def _enter(self, element: Locator) -> None:
        if element.evaluate(LEADS_AWAY):
            # A part that arrives by itself may touch the history, which is no new document.
            self.page.evaluate(STAYS)
            self.page.keyboard.press("Enter")
            expect(self.page.locator("html[data-stays]")).to_have_count(0)
            self.page.wait_for_load_state()
        else:
            self.page.keyboard.press("Enter")

    def _reach(self, target: str) -> Locator:
        self._reach_any(target)
        return self.page.locator(target)

    def _reach_any(self, target: str) -> None:
        found = "(all) => all.includes(document.activeElement)"
        assert self.page.locator(target).count(), f"{target} is not on {self.page.url}"
        for _ in range(MOST_TABS):
            if self.page.locator(target).evaluate_all(found):
                return
            self.page.keyboard.press("Tab")
            assert self.page.evaluate(FOCUS) == []
        raise AssertionError(f"{target} cannot be reached on {self.page.url}")


class Mouse:
    """Clicks and typing."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, target: str) -> None:
        """Click it."""
        self.page.click(target)

    def write(self, target: str, text: str) -> None:
        """Fill it in."""
        self.page.fill(target, text)

    def choose(self, target: str, value: str) -> None:
        """Choose by value."""
        self.page.select_option(target, value)

    def mark(self, target: str) -> None:
        """Click it."""
        self.page.check(target)

    def enter(self, target: str) -> None:
        """Enter in the field."""
        self.page.press(target, "Enter")
