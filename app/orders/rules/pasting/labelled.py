"""Labelled lines and table rows of a text: which field each states, and in which words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.orders.rules.pasting.amounts import amounts_in, currency_named
from app.orders.rules.pasting.dates import times_in
from app.orders.rules.pasting.labels import LENGTH, LONGEST, PERIOD, Label, labels_of
from app.orders.rules.pasting.markup import CELL
from app.orders.rules.pasting.model import TIMES, Said, Way

_CELLS = re.compile(r"\s*\|\s*|\t+|\s{3,}")
_SEPARATORS = (
    re.compile(r"\s*[:：]\s*"),
    re.compile(r"\s*\.{3,}\s*|\s*…\s*|\s*=\s*"),
    re.compile(r"\s+[–—-]\s+"),
)
_BULLET = re.compile(r"^[\s*•·▪►✓✔→_#>-]+(?=\S)")
_BRACKETED = re.compile(r"[(\[]([^)\]]{1,8})[)\]]")
MOST_READ = 2000
_STARTS_LIKE = re.compile(r"[0-9$€£¥₫#]|[A-Z]{2}")

Pair = tuple[str, str, int]
"""A label, its value and the number of the line that the value stands in."""


def labelled(lines: Sequence[str]) -> tuple[Said, ...]:
    """Every field that a label states, in the order of the lines."""
    found: list[Said] = []
    for label, value, number in _pairs(lines):
        for known in labels_of(label):
            found += _said(known, label, value, number)
    return tuple(found)


def _pairs(lines: Sequence[str]) -> Iterator[Pair]:
    header: list[str] = []
    for number, line in enumerate(lines, start=1):
        cells = [_tidy(cell) for cell in _CELLS.split(line[:MOST_READ].strip())]
        cells = [cell for cell in cells if cell]
        if header and len(cells) == len(header):
            yield from ((name, cell, number) for name, cell in zip(header, cells, strict=True))
            continue
        header = cells if _is_header(cells) else []
        if header:
            continue
        yield from _in_row(cells, number)
        if len(cells) == 1 and labels_of(cells[0].rstrip(":： ")):
            yield from _below(cells[0].rstrip(":： "), lines, number)


def _tidy(cell: str) -> str:
    return _BULLET.sub("", cell).strip(" *_\u00a0")


def _is_header(cells: Sequence[str]) -> bool:
    """A row that names columns: no figures, and two labels at least."""
    if len(cells) < 2 or any(re.search("[0-9]", cell) for cell in cells):
        return False
    return sum(1 for cell in cells if labels_of(cell)) > 1


def _in_row(cells: Sequence[str], number: int) -> Iterator[Pair]:
    """What stands in one row: "label: value" in a cell, or the label and its value side by side."""
    taken = -1
    for place, cell in enumerate(cells):
        if place == taken:
            continue
        name = cell.rstrip(":： ")
        if place + 1 < len(cells) and labels_of(name):
            if not labels_of(cells[place + 1]) or cells[place + 1][:1].isdigit():
                yield name, cells[place + 1], number
                taken = place + 1
            continue
        pair = _split(cell) or _led(cell)
        if pair is not None:
            yield (*pair, number)


def _split(cell: str) -> tuple[str, str] | None:
    for separator in _SEPARATORS:
        one = separator.search(cell)
        if one is not None and one.start() and cell[one.end() :].strip():
            label = cell[: one.start()]
            if labels_of(label):
                return label, cell[one.end() :].strip()
    return None


def _led(cell: str) -> tuple[str, str] | None:
    """A label and a figure with nothing but a space between: "Total 47.14 USD"."""
    words = cell.split(" ")
    for n in range(min(LONGEST, len(words) - 1), 0, -1):
        label, value = " ".join(words[:n]), " ".join(words[n:]).strip()
        if _STARTS_LIKE.match(value) and labels_of(label):
            return label, value
    return None


def _below(label: str, lines: Sequence[str], number: int) -> Iterator[Pair]:
    """The value of a label that fills its line stands in the next line that is not empty."""
    for after in range(number, min(number + 3, len(lines))):
        value = _tidy(lines[after][:MOST_READ].strip())
        if not value:
            continue
        if not labels_of(value.rstrip(":： ")) and _split(value) is None:
            yield label, value.replace(CELL, " "), after + 1
        return


def _said(known: Label, label: str, value: str, number: int) -> Iterator[Said]:
    day_first = known.language != "en"
    if known.field in (PERIOD, LENGTH):
        yield from window(value, number, Way.LABEL, day_first)
        return
    if known.field in TIMES and not times_in(value):
        return
    yield Said(known.field, value, number, Way.LABEL, known.rank, day_first)
    if known.field == "price":
        for mark in _BRACKETED.findall(label):
            if currency_named(mark):
                yield Said("currency", mark, number, Way.LABEL)
        if not amounts_in(value) and (named := currency_named(value)):
            yield Said("currency", named[0], number, Way.LABEL)


def window(value: str, number: int, way: Way, day_first: bool) -> Iterator[Said]:
    """Start and end of a period in one line; where only one stands, its length beside it."""
    times = times_in(value)
    rank = 1
    if len(times) > 1:
        first, last = times[0], times[-1]
        zone = f" {last.zone.written}" if last.zone and not first.zone else ""
        yield Said("starts_at", first.written + zone, number, way, rank, day_first)
        yield Said("ends_at", last.written, number, way, rank, day_first)
    elif times:
        yield Said("starts_at", times[0].written, number, way, rank, day_first)
    rest = value
    for one in reversed(times):
        rest = f"{rest[: one.begins]} | {rest[one.ends :]}"
    yield Said(LENGTH, rest, number, way, rank, day_first)
