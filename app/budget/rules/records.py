"""Every row of the money's record, flat: what the CSV and JSON files hold.

Of one currency the amounts of the rent rows that count add up to what is committed, those of
the other rows to the external expenses; what came after the close is marked.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import date, datetime

from app.budget.rules.expenses import Expense
from app.offers.rules.sheet import cell
from app.orders.rules import Order, OrderChange, contributes
from app.texts import Text
from app.units import amount_text, instant_text

RENT = "rent"
EXPENSE = "expense"


@dataclass(frozen=True, slots=True)
class Record:
    """One row; `number` is that of its journal entry, `corrects` of the row it belongs to.

    `amount` is None where it is not known, `counts` is false for an order that was reversed or
    never started; `why` says either. Instants are UTC, the end is exclusive.
    """

    number: int
    record: str
    kind: str
    corrects: int | None
    currency: str
    amount: str | None
    counts: bool
    why: str | None
    on: date | None
    tax_state: str | None
    provider: str | None
    account: str | None
    reference: str | None
    lots: str | None
    starts_at: datetime | None
    ends_at: datetime | None
    note: str | None
    after_close: bool
    logged_at: datetime
    logged_by: str

    def as_json(self) -> dict[str, object]:
        """The row as scripts read it."""
        return {name: _plain(getattr(self, name)) for name in COLUMNS}


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(Record))


def records(orders: Iterable[Order], expenses: Iterable[Expense]) -> tuple[Record, ...]:
    """All rows in the order they were logged."""
    rows = [row for order in orders for row in _of_order(order)]
    rows += [_of_expense(expense) for expense in expenses]
    return tuple(sorted(rows, key=lambda row: row.number))


def write_csv(rows: Iterable[Record]) -> str:
    """The rows as CSV under a header; a text that a spreadsheet would compute is neutralised."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(name, getattr(row, name)) for name in COLUMNS])
    return target.getvalue()


def _of_order(order: Order) -> Iterator[Record]:
    why = contributes(order)[1]
    lots = order.logged_lots
    yield Record(
        number=order.number,
        record=RENT,
        kind="order",
        corrects=None,
        currency=order.currency,
        amount=_amount(order.price_minor, order.currency),
        counts=order.in_force,
        why=_said(why) if not order.in_force or order.price_minor is None else None,
        on=(order.ordered_at or order.logged_at).date(),
        tax_state=None,
        provider=order.provider,
        account=order.account,
        reference=order.reference,
        lots=" ".join(lot.id for lot in lots),
        starts_at=min(lot.starts_at for lot in lots),
        ends_at=max(lot.ends_at for lot in lots),
        note=order.note,
        after_close=False,
        logged_at=order.logged_at,
        logged_by=order.logged_by,
    )
    for change in order.changes:
        yield _of_change(order, change)


def _of_change(order: Order, change: OrderChange) -> Record:
    lot = None if change.lot is None else order.lots[change.lot]
    return Record(
        number=change.number,
        record=RENT,
        kind=change.kind,
        corrects=order.number,
        currency=order.currency,
        amount=_amount(change.amount_minor, order.currency),
        counts=order.in_force,
        why=None,
        on=change.on,
        tax_state=None,
        provider=order.provider,
        account=order.account,
        reference=order.reference,
        lots=lot.id if lot else None,
        starts_at=None,
        ends_at=change.ends_at,
        note=change.reason,
        after_close=change.after_close,
        logged_at=change.logged_at,
        logged_by=change.logged_by,
    )


def _of_expense(row: Expense) -> Record:
    return Record(
        number=row.number,
        record=EXPENSE,
        kind=row.kind,
        corrects=row.corrects,
        currency=row.currency,
        amount=_amount(row.amount_minor, row.currency),
        counts=True,
        why=None,
        on=row.charged_on,
        tax_state=row.tax_state,
        provider=row.provider,
        account=None,
        reference=row.reference,
        lots=None,
        starts_at=None,
        ends_at=None,
        note=row.note,
        after_close=row.after_close,
        logged_at=row.logged_at,
        logged_by=row.logged_by,
    )


def _amount(minor: int | None, currency: str) -> str | None:
    return None if minor is None else amount_text(minor, currency)


def _said(why: Text | None) -> str | None:
    return None if why is None else str(why)


def _plain(value: object) -> object:
    match value:
        case datetime():
            return instant_text(value)
        case date():
            return value.isoformat()
        case _:
            return value


def _cell(name: str, value: object) -> str:
    match _plain(value):
        case None:
            return ""
        case bool() as said:
            return "true" if said else "false"
        case str() as said if name != "amount":
            return cell(said)
        case plain:
            return str(plain)
