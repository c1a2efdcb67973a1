"""Rows of a form: read by their numbers, and moved, copied, added or taken out by its buttons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Row = dict[str, str]

NUMBER = "#"
"""The key of a row's own number in its form; numbers may have gaps once rows were taken out."""

ACTS = frozenset({"add", "remove", "up", "down", "copy", "below", "put", "fit"})


@dataclass(frozen=True, slots=True)
class Undo:
    """The button that takes a button back: what was done, its own value, the row that is gone."""

    done: str
    title: str
    action: str
    gone: Row | None = None


def numbered(values: Mapping[str, str], name: str) -> list[Row]:
    """The rows `name.N.field` in the order of their numbers, which each row keeps."""
    rows: dict[int, Row] = {}
    head = f"{name}."
    for key, value in values.items():
        number, dot, field = key.removeprefix(head).partition(".")
        if key.startswith(head) and dot and number.isdecimal() and len(number) < 6:
            rows.setdefault(int(number), {NUMBER: str(int(number))})[field] = value
    return [rows[number] for number in sorted(rows)]


def is_act(action: str, name: str) -> bool:
    """Whether a button's value changes the rows of this name rather than saving them."""
    verb, _, rest = action.partition(":")
    return verb in ACTS and rest.partition(":")[0] == name


def act(
    rows: list[Row],
    action: str,
    name: str,
    blank: Mapping[str, str],
    gone: Row | None = None,
) -> list[Row]:
    """The rows after one button: `add:steps`, `remove:steps:2`, `up:steps:2`.

    `put:steps:2` puts the row that is `gone` back before the third one; `fit:steps` only asks
    whether the plan fits. A number that is not there changes nothing, since a page may be older
    than its form.
    """
    if not is_act(action, name):
        return rows
    verb, _, rest = action.partition(":")
    number = rest.partition(":")[2]
    if verb == "add":
        return [*rows, dict(blank)]
    if verb == "put":
        place = int(number) if number.isdecimal() and len(number) < 6 else len(rows)
        return [*rows[:place], *([gone] if gone else []), *rows[place:]]
    if verb == "fit":
        return rows
    at = place_of(rows, number)
    if at is None:
        return rows
    before, row, after = rows[:at], rows[at], rows[at + 1 :]
    match verb:
        case "remove":
            return [*before, *after]
        case "copy":
            return [*before, row, _copied(row), *after]
        case "below":
            return [*before, row, dict(blank), *after]
        case "up":
            return [*before[:-1], row, *before[-1:], *after]
        case _:
            return [*before, *after[:1], row, *after[1:]]


def undo_of(rows: Sequence[Row], action: str, name: str) -> Undo | None:
    """What takes one button back, by the places that the rows have after it; None where it
    changed nothing. `rows` are those before it."""
    verb, _, rest = action.partition(":")
    if verb == "add":
        return Undo(verb, "", f"remove:{name}:{len(rows)}")
    at = place_of(rows, rest.partition(":")[2])
    if at is None or (verb, at) in {("up", 0), ("down", len(rows) - 1)}:
        return None
    title = rows[at].get("title", "").strip() or str(at + 1)
    match verb:
        case "remove":
            return Undo(verb, title, f"put:{name}:{at}", rows[at])
        case "copy" | "below":
            return Undo(verb, title, f"remove:{name}:{at + 1}")
        case "up":
            return Undo(verb, title, f"down:{name}:{at - 1}")
        case "down":
            return Undo(verb, title, f"up:{name}:{at + 1}")
        case _:
            return None


def place_of(rows: Sequence[Row], number: str) -> int | None:
    """Where the row with a number stands in its list; None where there is none."""
    return next((at for at, row in enumerate(rows) if row.get(NUMBER) == number), None)


def stated(rows: Iterable[Row], telling: Iterable[str]) -> list[Row]:
    """The rows in which any of the telling fields says something."""
    fields = tuple(telling)
    return [row for row in rows if any(row.get(field, "").strip() for field in fields)]


def _copied(row: Row) -> Row:
    """A copy gets an id of its own and is no longer the row that was there before."""
    return {key: value for key, value in row.items() if key not in ("id", "was", NUMBER)}
