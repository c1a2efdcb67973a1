"""From a plan to the text of its campaign file: one canonical form, the same every time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from zoneinfo import ZoneInfo

from app.plan.rules.document import to_document
from app.plan.rules.model import Plan
from app.units import parse_instant, zone

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
WIDTH = 100
ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n"})


def write_campaign_file(plan: Plan) -> str:
    """The campaign file of a plan; reading it gives the same plan again."""
    place = zone(plan.zone)
    blocks: list[str] = []
    for key, value in to_document(plan).items():
        if isinstance(value, dict):
            blocks.append(f"[{key}]\n{_lines(value, place)}")
        elif isinstance(value, list):
            blocks += [f"[[{key}]]\n{_lines(table, place)}" for table in value]
        else:
            blocks.append(f"{key} = {_inline(value)}\n")
    return "\n".join(blocks)


def _lines(table: Mapping[str, object], place: ZoneInfo) -> str:
    """A table's keys, one on a line; lists of tables and long lists over several lines."""
    lines = []
    for key, value in table.items():
        line = f"{_key(key)} = {_inline(value)}"
        if isinstance(value, list) and (len(line) > WIDTH or _holds_tables(value)):
            line = f"{_key(key)} = [\n{_items(value)}]"
        elif key == "starts_at":
            # The instant is in UTC; people look for the hour on their own clock.
            local = parse_instant(value).astimezone(place)
            line += f" # {local:%Y-%m-%d %H:%M} {place.key}"
        lines.append(f"{line}\n")
    return "".join(lines)


def _holds_tables(items: list[object]) -> bool:
    return any(isinstance(item, dict) for item in items)


def _items(items: list[object]) -> str:
    """The items of a list, indented: tables one on a line, others as many as there is room for."""
    rows: list[str] = []
    for item in items:
        written = f"{_inline(item)},"
        if rows and not isinstance(item, dict) and len(rows[-1]) + len(written) < WIDTH:
            rows[-1] += f" {written}"
        else:
            rows.append(f"  {written}")
    return "".join(f"{row}\n" for row in rows)


def _inline(value: object) -> str:
    """A value on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case list():
            return f"[{', '.join(_inline(item) for item in value)}]"
        case dict():
            pairs = ", ".join(f"{_key(key)} = {_inline(item)}" for key, item in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case str():
            return f'"{value.translate(ESCAPES)}"'
        case _:
            raise TypeError(f"a campaign file holds no {type(value).__name__}")


def _key(name: str) -> str:
    return name if BARE_KEY.fullmatch(name) else _inline(name)
