"""A CSV file of orders: its columns are the fields of the API, a row is one lot.

Rows of the same provider, account and reference are the lots of one order. Amounts may have a
comma; what has two readings is refused with them. A time has its offset from UTC. Nothing here
knows the record: `app.orders.rules.csv_plan` says what the rows would do to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from app.offers.rules.sheet import Columns, Line, lines_of
from app.offers.rules.trouble import FileProblem
from app.orders.rules.csv_cells import amount_of, currency_of, instant_of, whole_of, yes_of
from app.orders.rules.entering import NewLot, NewOrder, Problem, Source, problems
from app.texts import Text, text

COLUMNS = (
    "provider", "account", "reference", "price", "currency", "starts_at", "ends_at",
    "usable_until", "lot", "extra", "gpus", "gpu", "memory_gib", "start_basis", "end_policy",
    "data_deleted_at", "auto_renew", "ordered_at", "link", "offer", "quote", "note",
)  # fmt: skip
"""The columns in the order of the template; they may stand in any order."""
NEEDED = ("provider", "reference", "currency", "starts_at", "ends_at")
OF_ORDER = ("provider", "account", "reference", "price", "currency", "ordered_at", "link", "offer",
            "quote", "note")  # fmt: skip
"""What all rows of one order say alike, or only its first one."""
_INSTANTS = ("starts_at", "ends_at", "usable_until", "data_deleted_at", "ordered_at")
_WHOLE = ("gpus", "memory_gib", "quote")
_YES = ("extra", "auto_renew")
MAX_BYTES = 1_048_576
MAX_ROWS = 200


@dataclass(frozen=True, slots=True)
class RowProblem:
    """What is wrong in a line of the file, at a column, and what would be right."""

    line: int
    column: str
    text: Text


@dataclass(frozen=True, slots=True)
class ReadOrder:
    """An order of the file with the lines that say it."""

    lines: tuple[int, ...]
    new: NewOrder


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file as it was read: its orders, or everything that is wrong with it."""

    orders: tuple[ReadOrder, ...] = ()
    problems: tuple[RowProblem, ...] = ()


@dataclass(slots=True)
class _Row:
    line: int
    cells: Mapping[str, str]


def read_csv(source: bytes, zone: str, digest: str) -> Sheet:
    """Read a file of orders; never raises for what is in it.

    `zone` is the campaign's, for what a time without an offset would be; `digest` the SHA-256 of
    the file, kept as the source of each order.
    """
    written = _decoded(source)
    if isinstance(written, RowProblem):
        return Sheet(problems=(written,))
    rows = _rows(written)
    if isinstance(rows, RowProblem):
        return Sheet(problems=(rows,))
    if not rows:
        return Sheet(problems=(RowProblem(1, "", text("The file holds no order.")),))
    found: list[RowProblem] = []
    read: list[ReadOrder] = []
    for group in _grouped(rows):
        made = _order(group, zone, digest)
        if isinstance(made, ReadOrder):
            read.append(made)
        else:
            found += made
    return Sheet(tuple(read), tuple(sorted(found, key=lambda one: one.line)))


def _decoded(source: bytes) -> str | RowProblem:
    if len(source) > MAX_BYTES:
        return RowProblem(1, "", text("The file is larger than 1 MiB."))
    try:
        return source.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        return RowProblem(line, "", text("The file is not UTF-8 from here on."))


def _rows(written: str) -> list[_Row] | RowProblem:
    """The rows under the header; a RowProblem where the file cannot be read at all."""
    lines = lines_of(written, _ORDERS)
    if isinstance(lines, FileProblem):
        return _problem(lines)
    longer = next((line for line in lines if _is_longer(line)), None)
    if longer is not None:
        return _problem(longer.too_long)
    if len(lines) > MAX_ROWS:
        said = text("A file holds at most {n} rows; send the rest as another one.", n=MAX_ROWS)
        return RowProblem(lines[MAX_ROWS].number, "", said)
    return [_Row(line.number, line.values) for line in lines]


def _is_longer(line: Line) -> bool:
    """Whether it says something where the header names no column; separators at the end do not."""
    return any(said.strip() for said in line.cells[len(line.header) :])


def _problem(found: FileProblem) -> RowProblem:
    return RowProblem(found.line, found.field, found.message)


def _unknown_column(line: int, name: str) -> FileProblem:
    said = text("There is no such column. The columns are: {names}.", names=COLUMNS)
    return FileProblem(line, name[:80], said)


_ORDERS = Columns(COLUMNS, NEEDED, _unknown_column, text("The file holds no order."))


def _grouped(rows: Iterable[_Row]) -> list[list[_Row]]:
    """The rows of each order together, in the order of the first ones; a row without a reference
    stands alone."""
    groups: dict[object, list[_Row]] = {}
    for row in rows:
        said = row.cells
        key: object = (said.get("provider", "").casefold(), said.get("account"),
                       said.get("reference"))  # fmt: skip
        groups.setdefault(key if said.get("reference") else row.line, []).append(row)
    return list(groups.values())


def _order(group: Sequence[_Row], zone: str, digest: str) -> ReadOrder | list[RowProblem]:
    first = group[0]
    found = [problem for row in group[1:] for problem in _unlike(first, row)]
    read = [_cells(row, zone) for row in group]
    found += [problem for _, wrong in read for problem in wrong]
    values = read[0][0]
    lots = [_lot(said, found, row) for (said, _), row in zip(read, group, strict=True)]
    known = [lot for lot in lots if lot is not None]
    if len(known) < len(lots):
        return found
    lines = tuple(row.line for row in group)
    new = NewOrder(
        provider=str(values.get("provider", "")),
        reference=str(values.get("reference", "")),
        price_minor=_as(int, values.get("price")),
        currency=str(values.get("currency", "")),
        lots=tuple(known),
        account=_as(str, values.get("account")),
        note=_as(str, values.get("note")),
        price_typed=first.cells.get("price"),
        ordered_at=_as(datetime, values.get("ordered_at")),
        link=_as(str, values.get("link")),
        offer=_as(str, values.get("offer")),
        quote=_as(int, values.get("quote")),
        source=Source("csv", digest),
    )
    told = {(one.line, one.column) for one in found}
    own = (at_line(problem, lines) for problem in problems(new))
    found += [one for one in own if (one.line, one.column) not in told]
    return found or ReadOrder(lines, new)


def _cells(row: _Row, zone: str) -> tuple[dict[str, object], list[RowProblem]]:
    """The values of a row, and what is wrong with its cells."""
    values: dict[str, object] = {}
    found: list[RowProblem] = []
    currency = currency_of(row.cells.get("currency", ""))
    for name, said in row.cells.items():
        value: object = said
        if name in _INSTANTS:
            value = instant_of(said, zone)
        elif name in _WHOLE:
            value = whole_of(said)
        elif name in _YES:
            value = yes_of(said)
        elif name == "currency":
            value = currency
        elif name == "price":
            value = amount_of(said, currency) if isinstance(currency, str) else None
        if isinstance(value, Text):
            found.append(RowProblem(row.line, name, value))
        else:
            values[name] = value
    return values, found


T = TypeVar("T")


def _as(kind: type[T], value: object) -> T | None:
    """A value of its kind, or None."""
    return value if isinstance(value, kind) else None


def _unlike(first: _Row, row: _Row) -> list[RowProblem]:
    """Where a further row of an order says something else of the order, or the same lot again."""
    if dict(first.cells) == dict(row.cells):
        said = text("This row says the same as line {line}. Another lot of the order differs in "
                    "its window or in the planned lot it fills.", line=first.line)  # fmt: skip
        return [RowProblem(row.line, "", said)]
    return [
        RowProblem(row.line, name, text("Line {line} says something else of this order: {said}.",
                                        line=first.line, said=first.cells.get(name) or "–"))
        for name in OF_ORDER
        if name in row.cells and name not in ("provider", "account", "reference")
        and row.cells[name] != first.cells.get(name)
    ]  # fmt: skip


def _lot(values: Mapping[str, object], found: list[RowProblem], row: _Row) -> NewLot | None:
    """The lot of one row; None where its window is not known, which is then a problem."""
    starts_at, ends_at = (_as(datetime, values.get(name)) for name in ("starts_at", "ends_at"))
    if starts_at is None or ends_at is None:
        told = {one.column for one in found if one.line == row.line}
        found += [
            RowProblem(row.line, name, text("Enter a date and a time."))
            for name in ("starts_at", "ends_at")
            if name not in values and name not in told
        ]
        return None
    return NewLot(
        starts_at=starts_at,
        ends_at=ends_at,
        usable_until=_as(datetime, values.get("usable_until")),
        lot=_as(str, values.get("lot")),
        extra=bool(values.get("extra")),
        gpus=_as(int, values.get("gpus")),
        gpu=_as(str, values.get("gpu")),
        memory_gib=_as(int, values.get("memory_gib")),
        start_basis=_as(str, values.get("start_basis")),
        end_policy=_as(str, values.get("end_policy")),
        data_deleted_at=_as(datetime, values.get("data_deleted_at")),
        auto_renew=_as(bool, values.get("auto_renew")),
    )


def at_line(problem: Problem, lines: Sequence[int]) -> RowProblem:
    """A problem of an order at the row that says it; of a lot's field at the lot's row."""
    _, _, after = problem.field.partition("lots.")
    place, _, column = after.partition(".")
    said = problem.text
    if problem.allowed:
        said = text("{why} Allowed: {allowed}.", why=said, allowed=problem.allowed)
    if place.isdecimal() and int(place) < len(lines):
        return RowProblem(lines[int(place)], column, said)
    return RowProblem(lines[0], problem.field, said)
