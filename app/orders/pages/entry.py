"""The order form: what it is prefilled with, what was typed, and the order that it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.errors import AppError
from app.orders.rules import (
    Fillable,
    NewOrder,
    Order,
    fold_of,
    local_text,
    problems,
    read_amount,
    read_local,
)
from app.texts import Text, text
from app.units import CURRENCIES, HOUR_S, add, amount_text
from app.web import Form

EXTRA = "-"
"""The choice of a lot that the plan knows nothing of."""

_COMMON = ("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "VND")
_NAMES = {
    "starts_at": "starts", "ends_at": "ends", "usable_until": "usable", "currency": "price",
    "extra": "lot",
}  # fmt: skip
_FOLDED = ("account", "note", "gpus", "gpu", "usable")


@dataclass(slots=True)
class OrderEntry:
    """The form as it stands: texts, what is wrong, and what a person must choose between."""

    zone: str
    lots: tuple[tuple[str, Text | str], ...]
    values: dict[str, str]
    hours: int | None = None
    proposed_start: bool = False
    errors: dict[str, Text] = field(default_factory=dict)
    readings: tuple[tuple[str, str, None], ...] = ()
    folds: dict[str, tuple[tuple[str, Text, None], ...]] = field(default_factory=dict)

    def get(self, name: str) -> str:
        """A field's text."""
        return self.values.get(name, "")

    def refuse(self, name: str, why: Text) -> None:
        """Say what is wrong with a field; the first word stands."""
        self.errors.setdefault(_NAMES.get(name, name), why)

    def take(self, refusal: AppError) -> None:
        """What a command refused, at its field."""
        self.refuse(refusal.field or "", refusal.detail)

    @property
    def currencies(self) -> tuple[str, ...]:
        """Every currency, the likely ones first."""
        first = dict.fromkeys((self.get("price_currency"), *_COMMON))
        return (*(code for code in first if code in CURRENCIES), *sorted(CURRENCIES - set(first)))

    @property
    def shows_more(self) -> bool:
        """Whether the folded part holds something that must be seen."""
        return any(self.get(name) or name in self.errors for name in _FOLDED)

    @property
    def listed_errors(self) -> tuple[tuple[str, Text], ...]:
        """The errors for the head of the form."""
        return tuple(self.errors.items())


def prefilled(
    lot: Fillable | None, open_lots: Sequence[Fillable], zone: str, currency: str, now: datetime
) -> OrderEntry:
    """A form that says what the plan says of its next lot; the start is now where none is planned.

    Without any lot to fill only the currency is known.
    """
    values = {"price_currency": currency}
    if lot is None:
        return OrderEntry(zone, _options(open_lots), values)
    starts_at = lot.starts_at or now.replace(second=0, microsecond=0)
    ends_at = lot.ends_at or (add(starts_at, lot.hours * HOUR_S) if lot.hours else None)
    values |= _window_values(starts_at, ends_at, zone)
    values |= {"provider": lot.provider or "", "lot": lot.id}
    if lot.price_minor is not None and lot.currency is not None:
        values["price"] = amount_text(lot.price_minor, lot.currency)
        values["price_currency"] = lot.currency
    entry = OrderEntry(zone, _options(open_lots), values, _hours(lot), lot.starts_at is None)
    _keep_folds(entry)
    return entry


def of_order(order: Order, open_lots: Sequence[Fillable], zone: str) -> OrderEntry:
    """A form that says what an order says, to be corrected."""
    lot = order.lots[0]
    price = order.price_minor
    values = {
        "provider": order.provider,
        "reference": order.reference,
        "price": "" if price is None else amount_text(price, order.currency),
        "price_currency": order.currency,
        "lot": lot.planned_lot or EXTRA,
        "account": order.account or "",
        "note": order.note or "",
        "gpus": "" if lot.gpus is None else str(lot.gpus),
        "gpu": lot.gpu or "",
    } | _window_values(lot.starts_at, lot.ends_at, zone)
    if lot.usable_until != lot.ends_at:
        values["usable"] = local_text(lot.usable_until, zone)
        values["usable_fold"] = fold_of(lot.usable_until, zone)
    entry = OrderEntry(zone, _options(open_lots), values)
    _keep_folds(entry)
    return entry


def read_entry(
    form: Form, open_lots: Sequence[Fillable], zone: str
) -> tuple[OrderEntry, NewOrder | None]:
    """The form as it was typed, and the order it says; None with errors where it says none."""
    entry = OrderEntry(zone, _options(open_lots), {name: form.get(name) for name in form.values})
    chosen = next((lot for lot in open_lots if lot.id == entry.get("lot")), None)
    entry.hours = _hours(chosen)
    price = _price(entry)
    starts_at = _moment(entry, "starts")
    ends_at = _end(entry, starts_at)
    usable_until = _moment(entry, "usable") if entry.get("usable") else None
    gpus = _gpus(entry)
    if starts_at is None or ends_at is None:
        return entry, None
    new = NewOrder(
        provider=entry.get("provider"),
        reference=entry.get("reference"),
        price_minor=price,
        currency=entry.get("price_currency"),
        starts_at=starts_at,
        ends_at=ends_at,
        account=entry.get("account"),
        note=entry.get("note").replace("\r\n", "\n"),
        price_typed=entry.get("price"),
        usable_until=usable_until,
        lot=None if entry.get("lot") == EXTRA else entry.get("lot"),
        extra=entry.get("lot") == EXTRA,
        gpus=gpus,
        gpu=entry.get("gpu"),
    )
    for problem in problems(new):
        entry.refuse(problem.field, problem.text)
    return entry, None if entry.errors else new


def _options(open_lots: Sequence[Fillable]) -> tuple[tuple[str, Text | str], ...]:
    if not open_lots:
        return ()
    named: list[tuple[str, Text | str]] = [(lot.id, lot.id) for lot in open_lots]
    return (*named, (EXTRA, text("none: an extra lot")))


def _hours(lot: Fillable | None) -> int | None:
    """The planned length of a lot's window in whole hours, where it is known."""
    if lot is None or lot.starts_at is None or lot.ends_at is None:
        return lot.hours if lot else None
    return (lot.ends_at - lot.starts_at) // timedelta(hours=1)


def _window_values(starts_at: datetime, ends_at: datetime | None, zone: str) -> dict[str, str]:
    values = {"starts": local_text(starts_at, zone), "starts_fold": fold_of(starts_at, zone)}
    if ends_at is not None:
        values |= {"ends": local_text(ends_at, zone), "ends_fold": fold_of(ends_at, zone)}
    return values


def _keep_folds(entry: OrderEntry) -> None:
    """Show which of two equal local times a prefilled one is."""
    for name in ("starts", "ends", "usable"):
        if entry.get(f"{name}_fold"):
            _ask(entry, name, read_local(entry.get(name), entry.zone).folds)


def _ask(entry: OrderEntry, name: str, folds: Sequence[tuple[str, Text]]) -> None:
    entry.folds[name] = tuple((fold, label, None) for fold, label in folds)


def _moment(entry: OrderEntry, name: str) -> datetime | None:
    asked = read_local(entry.get(name), entry.zone)
    _ask(entry, name, asked.folds)
    found = read_local(entry.get(name), entry.zone, entry.get(f"{name}_fold"))
    if found.problem is not None:
        entry.refuse(name, found.problem)
    return found.at


def _end(entry: OrderEntry, starts_at: datetime | None) -> datetime | None:
    """The end as typed; left empty, the planned length after the start."""
    if entry.get("ends") or entry.hours is None:
        return _moment(entry, "ends")
    return None if starts_at is None else add(starts_at, entry.hours * HOUR_S)


def _price(entry: OrderEntry) -> int | None:
    """The price in minor units; None where it was left empty, or refused."""
    if not entry.get("price"):
        return None
    currency, chosen = entry.get("price_currency"), entry.get("price_reading")
    found = read_amount(entry.get("price"), currency, chosen)
    if found.problem is not None:
        entry.refuse("price", found.problem)
        entry.readings = tuple(
            (reading, f"{reading} {currency}", None) for reading in found.readings
        )
    return found.minor


def _gpus(entry: OrderEntry) -> int | None:
    typed = entry.get("gpus")
    if typed and not (typed.isascii() and typed.isdecimal() and len(typed) < 6):
        entry.refuse("gpus", text("Enter a whole number of GPUs."))
        return None
    return int(typed) if typed else None
