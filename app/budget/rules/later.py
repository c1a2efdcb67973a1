"""What came after the close, beside the closed figures: refunds, credits and invoices' rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.budget.rules.expenses import Expense
from app.orders.rules import Order, OrderChange


@dataclass(frozen=True, slots=True)
class Later:
    """One currency's rows since the close; the sums in minor units are never added together."""

    currency: str
    rent: tuple[tuple[Order, OrderChange], ...]
    external: tuple[Expense, ...]

    @property
    def rent_minor(self) -> int:
        """What refunds and credits changed of the rent."""
        return sum(change.amount_minor or 0 for _, change in self.rent)

    @property
    def external_minor(self) -> int:
        """What was charged, or came back, outside the lots."""
        return sum(row.amount_minor for row in self.external)


def later(orders: Iterable[Order], expenses: Iterable[Expense]) -> tuple[Later, ...]:
    """The rows after the close by their currencies; empty where there is none."""
    rent = [(order, row) for order in orders for row in order.changes if row.after_close]
    external = [row for row in expenses if row.after_close]
    currencies = dict.fromkeys(
        [order.currency for order, _ in rent] + [row.currency for row in external]
    )
    return tuple(
        Later(
            currency,
            tuple(pair for pair in rent if pair[0].currency == currency),
            tuple(row for row in external if row.currency == currency),
        )
        for currency in currencies
    )
