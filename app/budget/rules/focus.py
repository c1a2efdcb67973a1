"""The rent and the expenses as rows of FOCUS, the FinOps Open Cost and Usage Specification.

A lot is one purchase with its window as the charge period; nothing is divided below the order.
FOCUS has no word for a cost that is not known and none for a charge of nobody, so such rows are
counted apart and never made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from app.budget.rules.expenses import TAX, Expense
from app.budget.rules.focus_terms import (
    CORRECTION,
    CREDIT,
    EXTENSIONS,
    LOTS,
    ONE_TIME,
    PURCHASE,
    RECURRING,
    SERVICES,
    TAX_ROW,
    Service,
)
from app.orders.rules import Order, OrderChange, unstated
from app.orders.rules.records import CREDIT as CREDITED
from app.orders.rules.records import EXTENSION, PRICE
from app.units import amount_text

Row = Mapping[str, str | None]
"""A row by its columns of version 1.2; null is None."""


@dataclass(frozen=True, slots=True)
class FocusRows:
    """The rows, and what is not among them: lots and extensions without a price, expenses that
    nobody said who charged, taxes that lie in the printed prices already."""

    rows: tuple[Row, ...]
    unpriced: int
    unnamed: int
    included_taxes: int


@dataclass(frozen=True, slots=True)
class _Charge:
    """What differs between the rows; times are UTC."""

    number: int
    made_at: datetime
    starts_at: datetime
    ends_at: datetime
    minor: int
    currency: str
    category: str
    described: str
    service: Service
    provider: str
    account: str
    quantity: int | None = None
    unit: str | None = None
    corrects: datetime | None = None
    recurring: bool = False
    invoice: str | None = None
    lots: str | None = None
    order: str | None = None
    tax_state: str | None = None


def focus_rows(
    campaign_id: str,
    orders: Iterable[Order],
    expenses: Iterable[Expense],
    charged_by: str | None = None,
) -> FocusRows:
    """The rows in the order they were logged; `charged_by` names who charged what nobody named.

    Orders that were reversed, or never started, are no charge. Of an order without an account
    the campaign is the account that is billed.
    """
    account = f"punktum/{campaign_id}"
    known, listed = tuple(orders), tuple(expenses)
    charges = [one for order in known for one in _of_order(order, account)]
    dates = {row.number: row.charged_on for row in listed}
    kept = [row for row in listed if row.tax_state != "included"]
    named = [row for row in kept if (row.provider or charged_by)]
    charges += [
        _of_expense(row, row.provider or charged_by or "", account, dates.get(row.corrects or 0))
        for row in named
    ]
    charges.sort(key=lambda one: one.number)
    return FocusRows(
        rows=tuple(_row(campaign_id, one) for one in charges),
        unpriced=sum(unstated(order) for order in known),
        unnamed=len(kept) - len(named),
        included_taxes=len(listed) - len(kept),
    )


def _of_order(order: Order, account: str) -> Iterator[_Charge]:
    """An order's price as one purchase, then its extensions, refunds and credits."""
    if not order.in_force:
        return
    if order.price_now_minor is not None:
        yield _purchase(order, order.price_now_minor, account)
    ends = {n: lot.ends_at for n, lot in enumerate(order.logged_lots)}
    prices = {row.of: row.amount_minor for row in order.of_kind(PRICE) if row.of is not None}
    for row in order.changes:
        if row.kind == EXTENSION and row.lot is not None and row.ends_at is not None:
            minor = prices.get(row.number) if row.amount_minor is None else row.amount_minor
            if minor is not None:
                yield _extension(order, row, minor, ends[row.lot], account)
            ends[row.lot] = row.ends_at
        elif row in order.refunds and row.amount_minor:
            yield _paid_back(order, row, row.amount_minor, account)


def _purchase(order: Order, minor: int, account: str) -> _Charge:
    lots = order.logged_lots
    what = ", ".join(f"{lot.gpus or 1} x {lot.gpu or 'GPU'}" for lot in lots)
    return _Charge(
        number=order.number,
        made_at=order.ordered_at or order.logged_at,
        starts_at=min(lot.starts_at for lot in lots),
        ends_at=max(lot.ends_at for lot in lots),
        minor=minor,
        currency=order.currency,
        category=PURCHASE,
        described=f"{len(lots)} lot: {what}" if len(lots) == 1 else f"{len(lots)} lots: {what}",
        service=SERVICES["lot"],
        provider=order.provider,
        account=order.account or account,
        quantity=len(lots),
        unit=LOTS,
        recurring=any(lot.auto_renew for lot in lots),
        lots=" ".join(lot.id for lot in lots),
        order=order.reference,
    )


def _extension(
    order: Order, row: OrderChange, minor: int, from_at: datetime, account: str
) -> _Charge:
    lot = order.lots[row.lot or 0]
    until = row.ends_at or from_at
    return _Charge(
        row.number, row.logged_at, min(from_at, until), max(from_at, until), minor,
        order.currency, PURCHASE, f"Extension of {lot.id}", SERVICES["lot"], order.provider,
        order.account or account, 1, EXTENSIONS, lots=lot.id, order=order.reference,
    )  # fmt: skip


def _paid_back(order: Order, row: OrderChange, minor: int, account: str) -> _Charge:
    """A refund is a negative purchase of no lot, a credit a charge category of its own."""
    granted = row.kind == CREDITED
    on = row.on or row.logged_at.date()
    return _Charge(
        number=row.number,
        made_at=_midnight(on),
        starts_at=_midnight(on),
        ends_at=_midnight(on + timedelta(days=1)),
        minor=minor,
        currency=order.currency,
        category=CREDIT if granted else PURCHASE,
        described=f"{'Credit' if granted else 'Refund'}: {row.reason}",
        service=SERVICES["lot"],
        provider=order.provider,
        account=order.account or account,
        quantity=None if granted else 0,
        unit=None if granted else LOTS,
        corrects=order.ordered_at or order.logged_at,
        lots=" ".join(lot.id for lot in order.logged_lots),
        order=order.reference,
    )


def _of_expense(row: Expense, provider: str, account: str, first_on: date | None) -> _Charge:
    """A charge outside the lots; without a reference it belongs to no invoice."""
    service = SERVICES[row.kind]
    is_tax, is_credit = row.kind == TAX, row.amount_minor < 0
    category = TAX_ROW if is_tax else CREDIT if is_credit else PURCHASE
    is_bought = category == PURCHASE
    return _Charge(
        number=row.number,
        made_at=_midnight(row.charged_on),
        starts_at=_midnight(row.charged_on),
        ends_at=_midnight(row.charged_on + timedelta(days=1)),
        minor=row.amount_minor,
        currency=row.currency,
        category=category,
        described=row.note or service.name,
        service=service,
        provider=provider,
        account=account,
        quantity=1 if is_bought else None,
        unit="Charges" if is_bought else None,
        corrects=_midnight(first_on) if first_on else None,
        invoice=row.reference,
        tax_state=(row.tax_state or "not stated") if is_tax else None,
    )


def _row(campaign_id: str, one: _Charge) -> Row:
    """The columns of version 1.2 and our own; costs are equal, since nothing is amortised."""
    cost = amount_text(one.minor, one.currency)
    month = _month(one.made_at)
    corrected = one.corrects is not None and _month(one.corrects) < month
    return {
        "BilledCost": cost,
        "BillingAccountId": one.account,
        "BillingAccountName": None,
        "BillingCurrency": one.currency,
        "BillingPeriodEnd": _z(_next(month)),
        "BillingPeriodStart": _z(month),
        "ChargeCategory": one.category,
        "ChargeClass": CORRECTION if corrected else None,
        "ChargeDescription": one.described,
        "ChargeFrequency": RECURRING if one.recurring else ONE_TIME,
        "ChargePeriodEnd": _z(one.ends_at),
        "ChargePeriodStart": _z(one.starts_at),
        "ContractedCost": cost,
        "EffectiveCost": cost,
        "InvoiceId": one.invoice,
        "InvoiceIssuerName": one.provider,
        "ListCost": cost,
        "PricingQuantity": None if one.quantity is None else f"{one.quantity}.0",
        "PricingUnit": one.unit,
        "ProviderName": one.provider,
        "PublisherName": one.provider,
        "ServiceCategory": one.service.category,
        "ServiceName": one.service.name,
        "ServiceSubcategory": one.service.subcategory,
        "x_CampaignId": campaign_id,
        "x_LotId": one.lots,
        "x_OrderReference": one.order,
        "x_JournalNumber": str(one.number),
        "x_TaxState": one.tax_state,
    }


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _month(at: datetime) -> datetime:
    """The first instant of its calendar month in UTC, which stands for the billing period."""
    utc = at.astimezone(UTC)
    return datetime(utc.year, utc.month, 1, tzinfo=UTC)


def _next(month: datetime) -> datetime:
    return _month(month + timedelta(days=32))


def _z(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
