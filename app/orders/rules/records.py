"""An order as the record holds it: its price as stated, its lots, and what was changed later.

Nothing is rewritten: a change is a row of its own that points at the order. What the rows make
of the lots and of the price is worked out here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime

from app.orders.rules.entering import Source

REVERSAL = "reversal"
REFUND = "refund"
CREDIT = "credit"
CORRECTION = "correction"
PRICE = "price"
EXTENSION = "extension"
CANCELLATION = "cancellation"
PAYMENT_FAILED = "payment_failed"
USABLE_UNTIL = "usable_until"

CHANGE_KINDS = (
    REVERSAL, REFUND, CREDIT, CORRECTION, PRICE, EXTENSION, CANCELLATION, PAYMENT_FAILED,
    USABLE_UNTIL,
)  # fmt: skip


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

    `planned_lot` is the lot of the plan that it fills; None for an extra one. What nobody
    stated is None; a `data_deleted_at` that is None reads as wiped at the end.
    """

    order_number: int
    position: int
    planned_lot: str | None
    gpus: int | None
    gpu: str | None
    starts_at: datetime
    ends_at: datetime
    usable_until: datetime
    memory_gib: int | None = None
    start_basis: str | None = None
    end_policy: str | None = None
    data_deleted_at: datetime | None = None
    auto_renew: bool | None = None

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
    """A row that changes an order; `amount_minor` is what it adds, None where it adds nothing
    or nobody stated it.

    `lot` is the place of the lot whose end moves to `ends_at` or `usable_until`; `at` is when a
    cancellation or a failed payment took effect; `of` is the extension that a price belongs to.
    """

    number: int
    logged_at: datetime
    logged_by: str
    kind: str
    amount_minor: int | None
    on: date | None
    reason: str
    lot: int | None = None
    ends_at: datetime | None = None
    usable_until: datetime | None = None
    at: datetime | None = None
    of: int | None = None
    after_close: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """One order with its lots and changes; `number` is that of its journal entry.

    `price_minor` is the whole order's as it was logged, None while it was not known. `lots` are
    as they stand after the changes (`changed`), `logged_lots` as they were logged.
    `plan_version` is the newest sealed version when it was logged, 0 before the seal.
    `replaces` names the order that this one corrects.
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
    ordered_at: datetime | None = None
    link: str | None = None
    quote: int | None = None
    source: Source | None = None
    lots_before: tuple[OrderedLot, ...] = ()

    def of_kind(self, *kinds: str) -> tuple[OrderChange, ...]:
        """The changes of these kinds, in the order they were logged."""
        return tuple(change for change in self.changes if change.kind in kinds)

    @property
    def logged_lots(self) -> tuple[OrderedLot, ...]:
        """The lots as they were logged, before any change."""
        return self.lots_before or self.lots

    @property
    def reversal(self) -> OrderChange | None:
        """The row that took this order back, if any."""
        return next(iter(self.of_kind(REVERSAL)), None)

    @property
    def refunds(self) -> tuple[OrderChange, ...]:
        """What the provider paid back or credited, in the order it was logged."""
        return self.of_kind(REFUND, CREDIT)

    @property
    def is_active(self) -> bool:
        """Whether the order stands in the record: it was not reversed."""
        return self.reversal is None

    @property
    def before_seal(self) -> bool:
        """Whether it was logged while the plan was still a draft."""
        return self.plan_version == 0

    @property
    def starts_at(self) -> datetime:
        """The first start of its lots."""
        return min(lot.starts_at for lot in self.lots)

    @property
    def ends_at(self) -> datetime:
        """The last end of its lots."""
        return max(lot.ends_at for lot in self.lots)

    @property
    def ended_early(self) -> OrderChange | None:
        """The cancellation or failed payment that took effect first, if any."""
        rows = self.of_kind(CANCELLATION, PAYMENT_FAILED)
        return min(rows, key=lambda row: row.at or row.logged_at, default=None)

    @property
    def never_started(self) -> bool:
        """Whether it was cancelled, or its payment failed, before its first start."""
        row = self.ended_early
        return row is not None and (row.at or row.logged_at) < self.starts_at

    @property
    def in_force(self) -> bool:
        """Whether its lots are, or were, really there to work on."""
        return self.is_active and not self.never_started

    @property
    def price_now_minor(self) -> int | None:
        """The price after corrections, without extensions and refunds; None while unknown."""
        stated = [row for row in self.of_kind(PRICE) if row.of is None]
        base = stated[0].amount_minor if stated else self.price_minor
        if base is None:
            return None
        return base + sum(row.amount_minor or 0 for row in self.of_kind(CORRECTION))

    @property
    def unpriced_extensions(self) -> tuple[OrderChange, ...]:
        """Extensions whose amount the provider did not state, then or later."""
        priced = {row.of for row in self.of_kind(PRICE)}
        rows = self.of_kind(EXTENSION)
        return tuple(row for row in rows if row.amount_minor is None and row.number not in priced)

    @property
    def rows_minor(self) -> int:
        """The sum of its rows: what was paid, as far as it was stated, and is not back."""
        return (self.price_minor or 0) + sum(row.amount_minor or 0 for row in self.changes)

    @property
    def known_minor(self) -> int:
        """What is known of the net: all of it, or a part while an amount is not known."""
        return self.rows_minor if self.in_force else 0

    @property
    def net_minor(self) -> int | None:
        """What the order contributes: 0 once reversed or where it never started, None while
        its price, or the amount of an extension, is not known."""
        if not self.in_force:
            return 0
        if self.price_now_minor is None or self.unpriced_extensions:
            return None
        return self.known_minor


def with_rows(order: Order, rows: Iterable[OrderChange]) -> Order:
    """The order with these changes in place of its own, its lots as they stand then."""
    kept, before = tuple(rows), order.logged_lots
    return replace(order, changes=kept, lots=_lots(before, kept), lots_before=before)


def changed(order: Order, *more: OrderChange) -> Order:
    """The order after further changes."""
    return with_rows(order, (*order.changes, *more))


def as_of(order: Order, instant: datetime) -> Order | None:
    """The order as the record knew it at an instant; None before it was logged."""
    if order.logged_at > instant:
        return None
    return with_rows(order, (row for row in order.changes if row.logged_at <= instant))


def _lots(logged: tuple[OrderedLot, ...], rows: Iterable[OrderChange]) -> tuple[OrderedLot, ...]:
    lots = list(logged)
    for row in rows:
        if row.lot is not None and row.lot < len(lots):
            lots[row.lot] = _moved(lots[row.lot], row)
    return tuple(lots)


def _moved(lot: OrderedLot, row: OrderChange) -> OrderedLot:
    """A lot whose end, or usable end, was moved by a row.

    An extended lot is usable until its new end unless the row says otherwise, and what the
    provider said of deleting before that end holds no more.
    """
    ends_at = row.ends_at or lot.ends_at
    usable_until = row.usable_until or row.ends_at or lot.usable_until
    deleted_at = lot.data_deleted_at
    if deleted_at is not None and deleted_at < ends_at:
        deleted_at = None
    return replace(lot, ends_at=ends_at, usable_until=usable_until, data_deleted_at=deleted_at)
