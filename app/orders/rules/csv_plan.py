"""What the orders of a CSV file would do to the record, row by row, before anything is written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.offers.rules import Offer
from app.offers.rules.sheet import cell
from app.orders.rules.csv_rows import COLUMNS, ReadOrder, RowProblem, at_line
from app.orders.rules.entering import NewOrder, Problem
from app.orders.rules.filling import Fillable, fill
from app.orders.rules.records import Order
from app.orders.rules.sameness import Difference, differences, find_same
from app.texts import Text, text
from app.units import Money, amount_text, instant_text


class Act(StrEnum):
    """What becomes of an order of a file."""

    LOG = "log"
    KEEP = "keep"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class PlannedOrder:
    """An order of a file and what taking the file would do with it.

    `fills` names the planned lot of each of its lots, None for an extra one.
    """

    lines: tuple[int, ...]
    new: NewOrder
    act: Act
    fills: tuple[str | None, ...] = ()
    problems: tuple[RowProblem, ...] = ()


def plan_orders(
    read: Iterable[ReadOrder],
    known: Sequence[Order],
    planned: Sequence[Fillable],
    offers: Sequence[Offer],
    quotes: Iterable[int],
) -> tuple[PlannedOrder, ...]:
    """Go through the orders of a file as they would be logged, one after the other."""
    taken = {lot.planned_lot for order in known if order.in_force for lot in order.lots}
    filled = {id_ for id_ in taken if id_ is not None}
    numbers = tuple(quotes)
    done: list[PlannedOrder] = []
    for one in read:
        made = _plan(one, done, known, planned, filled, offers, numbers)
        filled |= {id_ for id_ in made.fills if id_ is not None}
        done.append(made)
    return tuple(done)


def _plan(
    one: ReadOrder,
    earlier: Sequence[PlannedOrder],
    known: Sequence[Order],
    planned: Sequence[Fillable],
    filled: set[str],
    offers: Sequence[Offer],
    quotes: tuple[int, ...],
) -> PlannedOrder:
    line, new = one.lines[0], one.new
    same = find_same(known, new)
    if same is not None:
        found = tuple(_differs(line, same, one) for one in differences(same, new))
        return PlannedOrder(one.lines, new, Act.REFUSE if found else Act.KEEP, problems=found)
    before = next((other for other in earlier if _is_same(other.new, new)), None)
    if before is not None:
        said = text("Line {line} names the same order with another account.", line=before.lines[0])
        return _refused(one, RowProblem(line, "account", said))
    if new.quote is not None and new.quote not in quotes:
        said = text("There is no quote {number} in this campaign.", number=str(new.quote))
        return _refused(one, RowProblem(line, "quote", said))
    fillings = fill(new, planned, filled, offers)
    if isinstance(fillings, Problem):
        return _refused(one, at_line(fillings, one.lines))
    return PlannedOrder(one.lines, new, Act.LOG, tuple(filling.planned_lot for filling in fillings))


def _refused(one: ReadOrder, *problems: RowProblem) -> PlannedOrder:
    return PlannedOrder(one.lines, one.new, Act.REFUSE, problems=problems)


def _is_same(other: NewOrder, new: NewOrder) -> bool:
    return (
        other.provider.casefold() == new.provider.casefold()
        and other.reference == new.reference
        and (other.account is None or new.account is None or other.account == new.account)
    )


def _differs(line: int, order: Order, one: Difference) -> RowProblem:
    said = text(
        "The record says {recorded}, the file {said}. Correct order {reference} there if the "
        "record is wrong.",
        recorded=_shown(one.field, one.recorded, order.currency),
        said=_shown(one.field, one.said, order.currency),
        reference=order.reference,
    )
    return RowProblem(line, one.field, said)


def _shown(field: str, value: object, currency: str) -> object:
    if value is None:
        return text("nothing")
    return Money(value, currency) if field == "price" and isinstance(value, int) else value


def sum_of(planned: Iterable[PlannedOrder]) -> Text:
    """What taking the file does, in one sentence."""
    acts = [one.act for one in planned]
    if all(act is Act.KEEP for act in acts):
        return text("Nothing changes: every order of the file is in the record already.")
    return text(
        "Orders to be logged: {new}, in the record already: {kept}.",
        new=acts.count(Act.LOG),
        kept=acts.count(Act.KEEP),
    )


def template(planned: Iterable[Fillable]) -> str:
    """A file to be filled in: the columns, and a row for each planned lot that nothing fills."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for lot in planned:
        price = lot.price_minor is not None and lot.currency is not None
        known: dict[str, object] = {
            "provider": lot.provider,
            "price": amount_text(lot.price_minor or 0, lot.currency or "USD") if price else None,
            "currency": lot.currency,
            "starts_at": instant_text(lot.starts_at) if lot.starts_at else None,
            "ends_at": instant_text(lot.ends_at) if lot.ends_at else None,
            "lot": lot.id,
            "gpus": lot.gpus,
            "gpu": lot.gpu,
        }
        writer.writerow([cell(str(known.get(name) or "")) for name in COLUMNS])
    return out.getvalue()
