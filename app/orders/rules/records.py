"""An order as the record holds it: its price as stated, its lots, and what was changed later.

Nothing is rewritten: a reversal or a refund is a row of its own that points at the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

REVERSAL = "reversal"
REFUND = "refund"


@dataclass(frozen=True, slots=True)
class OfferSnapshot:
    """The catalogue line behind an order, as it was when the order was logged."""

    id: str
    provider: str
    gpu: str
    gpus: int
    hours: int | None
    price_minor: int | None
    currency: str | None
    source: str


@dataclass(frozen=True, slots=True)
class OrderedLot:
    """A lot that was really rented: GPUs inside `[starts_at, ends_at)`, usable until an instant.

    `planned_lot` is the lot of the plan that it fills; None for an extra one. `gpus` is None
    where nobody stated the number.
    """

    order_number: int
    position: int
    planned_lot: str | None
    gpus: int | None
    gpu: str | None
    starts_at: datetime
    ends_at: datetime
    usable_until: datetime

    @property
    def is_extra(self) -> bool:
        """Whether the plan knows nothing of this lot."""
        return self.planned_lot is None

    @property
    def id(self) -> str:
        """The name of its lanes: that of the planned lot, else one made from the order."""
        if self.planned_lot is not None:
            return self.planned_lot
        more = f"-{self.position + 1}" if self.position else ""
        return f"extra-{self.order_number}{more}"

    @property
    def capacity(self) -> int:
        """GPUs that work can be placed on; a lot holds at least one."""
        return self.gpus or 1


@dataclass(frozen=True, slots=True)
class OrderChange:
    """A reversal or a refund of an order; `amount_minor` is what it adds, so never above zero."""

    number: int
    logged_at: datetime
    logged_by: str
    kind: str
    amount_minor: int | None
    on: date | None
    reason: str


@dataclass(frozen=True, slots=True)
class Order:
    """One order with its lots and changes; `number` is that of its journal entry.

    `price_minor` is the whole order's, None while it is not known. `plan_version` is the
    newest sealed version when it was logged, 0 before the seal. `replaces` names the order
    that this one corrects.
    """

    number: int
    logged_at: datetime
    logged_by: str
    provider: str
    account: str | None
    reference: str
    price_minor: int | None
    currency: str
    price_typed: str | None
    note: str | None
    plan_version: int
    offer: OfferSnapshot | None
    replaces: int | None
    lots: tuple[OrderedLot, ...]
    changes: tuple[OrderChange, ...] = ()

    @property
    def reversal(self) -> OrderChange | None:
        """The row that took this order back, if any."""
        return next((change for change in self.changes if change.kind == REVERSAL), None)

    @property
    def refunds(self) -> tuple[OrderChange, ...]:
        """What the provider paid back, in the order it was logged."""
        return tuple(change for change in self.changes if change.kind == REFUND)

    @property
    def is_active(self) -> bool:
        """Whether the order counts: it was not reversed."""
        return self.reversal is None

    @property
    def before_seal(self) -> bool:
        """Whether it was logged while the plan was still a draft."""
        return self.plan_version == 0

    @property
    def net_minor(self) -> int | None:
        """Price less refunds and reversal: 0 once reversed, None while the price is unknown."""
        if not self.is_active:
            return 0
        if self.price_minor is None:
            return None
        return self.price_minor + sum(change.amount_minor or 0 for change in self.changes)
