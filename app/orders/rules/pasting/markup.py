"""A mail in HTML as lines of text, with the structured data that it carries.

Text that is not shown (styles, scripts, `hidden`, `display: none`, no size) is not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "center",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "title",
        "tr",
        "ul",
    ]
)
_UNSEEN = frozenset(
    [
        "head",
        "script",
        "style",
        "template",
        "noscript",
        "object",
        "iframe",
        "svg",
        "math",
        "select",
        "textarea",
        "audio",
        "video",
        "canvas",
        "datalist",
    ]
)
_VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all"
    r"|(?<![\w-])(?:font-size|max-height|max-width|opacity)\s*:\s*0(?:\.0+)?(?![.\d])",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?:!doctype\b|!--|/?(?:html|head|body|table|tr|td|div|p|br|span|script|"
                  r"style|a|b|strong|h[1-6]|ul|li|meta|font|center)\b)", re.IGNORECASE)  # fmt: skip
CELL = " | "
MOST_DEPTH = 400


def is_markup(raw: str) -> bool:
    """Whether a text is HTML: two tags that mails use, or a document type."""
    tags = _TAG.findall(raw[:200_000])
    return len(tags) > 1


@dataclass(slots=True)
class Item:
    """A thing of microdata: its types and its properties in their order."""

    kinds: tuple[str, ...]
    properties: list[tuple[str, object]] = field(default_factory=list)


@dataclass(slots=True)
class Shown:
    """What a page shows, line by line, and the structured data beside it."""

    lines: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Open:
    """An element that is not closed yet."""

    tag: str
    hidden: bool
    item: Item | None = None
    prop: str | None = None
    text: list[str] = field(default_factory=list)
    href: str = ""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.shown = Shown()
        self.stack: list[_Open] = []
        self.line: list[str] = []
        self.script: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag in _BLOCKS:
            self.end_line()
        elif tag in ("td", "th") and self.line:
            self.line.append(CELL)
        if tag == "script" and "ld+json" in said.get("type", "").casefold():
            self.script = []
        one = _Open(tag, self.hides(tag, said))
        self.take_property(one, said)
        if tag not in _VOID and len(self.stack) < MOST_DEPTH:
            self.stack.append(one)

    def hides(self, tag: str, said: dict[str, str]) -> bool:
        above = bool(self.stack) and self.stack[-1].hidden
        style = _HIDDEN_STYLE.search(said.get("style", "")) is not None
        return above or style or tag in _UNSEEN or "hidden" in said

    def take_property(self, one: _Open, said: dict[str, str]) -> None:
        """Microdata: an item, a property with its value beside it, or one that is its text."""
        one.href = said.get("href", "") if one.tag == "a" else ""
        owner = next((above.item for above in reversed(self.stack) if above.item), None)
        names = said.get("itemprop", "").split()
        if "itemscope" in said:
            kinds = tuple(kind.rpartition("/")[2] for kind in said.get("itemtype", "").split())
            one.item = Item(kinds)
            if owner is None or not names:
                self.shown.items.append(one.item)
            else:
                owner.properties += [(name, one.item) for name in names]
            return
        if owner is None or not names:
            return
        if any(name in said for name in ("content", "datetime", "href")):
            value = said.get("content") or said.get("datetime") or said.get("href") or ""
            owner.properties += [(name, value) for name in names]
        else:
            one.prop = names[0]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script" and self.script is not None:
            self.shown.scripts.append("".join(self.script))
            self.script = None
        place = next((n for n, one in enumerate(reversed(self.stack)) if one.tag == tag), None)
        if place is not None:
            for _ in range(place + 1):
                self.end(self.stack.pop())
        if tag in _BLOCKS:
            self.end_line()

    def end(self, one: _Open) -> None:
        said = " ".join("".join(one.text).split())
        if one.href:
            self.shown.links.append((said, one.href))
        if one.prop is not None:
            owner = next((above.item for above in reversed(self.stack) if above.item), None)
            if owner is not None:
                owner.properties.append((one.prop, said))

    def handle_data(self, data: str) -> None:
        if self.script is not None:
            self.script.append(data)
        elif not (self.stack and self.stack[-1].hidden):
            self.line.append(data)
            for one in self.stack:
                if one.prop is not None or one.href:
                    one.text.append(data)

    def finish(self) -> None:
        """Close what is still open."""
        HTMLParser.close(self)
        while self.stack:
            self.end(self.stack.pop())
        self.end_line()

    def end_line(self) -> None:
        said = " ".join(re.split(r"[ \t\r\n]+", "".join(self.line)))
        self.line = []
        if said.strip(" |"):
            self.shown.lines.append(said.strip())


def read_markup(raw: str) -> Shown:
    """The lines that HTML shows and its structured data; what is malformed is read as far as
    it goes."""
    reader = _Reader()
    try:
        reader.feed(_closed(raw))
        reader.finish()
    except (AssertionError, ValueError):  # what the parser itself gives up on
        reader.end_line()
    return reader.shown


def _closed(raw: str) -> str:
    """The source with every "<" as text that begins nothing which ends: looking for the end of
    each would take the parser a time that grows with the square of the length."""
    for opens, closes in (("<!--", "-->"), ("<![", "]>"), ("<?", ">"), ("<", ">")):
        last = raw.rfind(closes)
        raw = raw[: last + 1] + raw[last + 1 :].replace(opens, "&lt;" + opens[1:])
    return raw
