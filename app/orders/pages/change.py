"""The small forms that change an order: what was typed, the change it says, what it makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from app.errors import AppError
from app.orders.rules import (
    AFTER_CLOSE,
    CANCELLATION,
    CORRECTION,
    CREDIT,
    EXTENSION,
    PAYMENT_FAILED,
    PRICE,
    REFUND,
    USABLE_UNTIL,
    NewChange,
    Order,
    change_problem,
    change_problems,
    fold_of,
    local_text,
    read_amount,
    read_day,
    read_local,
    same_change,
    tried,
)
from app.texts import Text, text
from app.units import amount_text, zone
from app.web import Form

ACTS: dict[str, str] = {
    "refund": REFUND,
    "credit": CREDIT,
    "price": PRICE,
    "correct-price": CORRECTION,
    "extend": EXTENSION,
    "usable-until": USABLE_UNTIL,
    "cancel": CANCELLATION,
    "payment-failed": PAYMENT_FAILED,
}
"""The last part of an address → the kind of change that is posted there."""

_FIELDS: dict[str, tuple[str, ...]] = {
    REFUND: ("amount", "day"),
    CREDIT: ("amount", "day"),
    PRICE: ("price", "extension"),
    CORRECTION: ("price",),
    EXTENSION: ("lot", "ends", "usable", "amount"),
    USABLE_UNTIL: ("lot", "usable"),
    CANCELLATION: ("at",),
    PAYMENT_FAILED: ("at",),
}
_NAMES = {"on": "day", "ends_at": "ends", "usable_until": "usable", "of": "extension"}


@dataclass(slots=True)
class ChangeEntry:
    """One of the small forms as it stands; its fields are called `refund.amount` and so on.

    `shown` is the order as the change would make it, where a preview was asked for;
    `is_contradicted` says that the record, and not the form alone, speaks against it.
    """

    act: str
    order: Order
    zone: str
    values: dict[str, str] = field(default_factory=dict)
    errors: dict[str, Text] = field(default_factory=dict)
    readings: tuple[tuple[str, str, None], ...] = ()
    folds: dict[str, tuple[tuple[str, Text, None], ...]] = field(default_factory=dict)
    shown: Order | None = None
    is_contradicted: bool = False

    @property
    def kind(self) -> str:
        """The kind of change."""
        return ACTS[self.act]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of this form beside the reason."""
        return _FIELDS[self.kind]

    @property
    def lots(self) -> tuple[tuple[str, str], ...]:
        """The lots to choose from; empty where the order has one."""
        lots = self.order.lots
        return tuple((str(lot.position), lot.id) for lot in lots) if len(lots) > 1 else ()

    @property
    def is_open(self) -> bool:
        """Whether its fold must be seen."""
        return bool(self.errors) or self.shown is not None

    def get(self, name: str) -> str:
        """A field's text."""
        return self.values.get(name, "")

    def refuse(self, name: str, why: Text) -> None:
        """Say what is wrong with a field; the first word stands."""
        plain = _NAMES.get(name, name)
        self.errors.setdefault(plain if plain in (*self.fields, "reason") else "", why)

    def take(self, refusal: AppError) -> None:
        """What a command refused, at its field."""
        self.refuse(refusal.field or "", refusal.detail)

    @property
    def listed_errors(self) -> tuple[tuple[str, Text], ...]:
        """The errors for the head of the form."""
        named = ((f"{self.act}.{name}" if name else "", why) for name, why in self.errors.items())
        return tuple(named)


def offered(order: Order, is_closed: bool) -> tuple[str, ...]:
    """The acts that make sense for an order; after the close only what came back."""
    if not order.is_active:
        return ()
    acts = []
    for act, kind in ACTS.items():
        if is_closed and kind not in AFTER_CLOSE:
            continue
        unpriced = order.price_now_minor is None
        if kind == PRICE and not unpriced and not order.unpriced_extensions:
            continue
        if kind == CORRECTION and unpriced:
            continue
        if kind in AFTER_CLOSE and order.rows_minor <= 0:
            continue
        if kind in (CANCELLATION, PAYMENT_FAILED, EXTENSION, USABLE_UNTIL) and order.ended_early:
            continue
        acts.append(act)
    return tuple(acts)


def blank(act: str, order: Order, zone_name: str, now: datetime) -> ChangeEntry:
    """A form before anybody typed: today, now, and what the order says."""
    entry = ChangeEntry(act, order, zone_name)
    lot, price = order.lots[-1], order.price_now_minor
    at_now = now.replace(second=0, microsecond=0)
    moments = {"ends": lot.ends_at, "usable": lot.usable_until, "at": at_now}
    if entry.kind == EXTENSION:
        del moments["usable"]
    for name, at in moments.items():
        if name in entry.fields:
            entry.values |= {name: local_text(at, zone_name)}
            entry.values |= {f"{name}_fold": fold_of(at, zone_name)}
            _keep_fold(entry, name)
    if "day" in entry.fields:
        entry.values["day"] = now.astimezone(zone(zone_name)).date().isoformat()
    if entry.kind == CORRECTION and price is not None:
        entry.values["price"] = amount_text(price, order.currency)
    if entry.kind == PRICE and price is not None:
        entry.values["extension"] = str(order.unpriced_extensions[0].number)
    if entry.lots and "lot" in entry.fields:
        entry.values["lot"] = str(lot.position)
    return entry


def read_change(
    form: Form, act: str, order: Order, zone_name: str, now: datetime
) -> tuple[ChangeEntry, NewChange | None]:
    """The form as typed, and the change it says; None with errors where it says none.

    Where only a preview was asked for, the order as it would be stands in `shown`.
    """
    entry = ChangeEntry(act, order, zone_name)
    before = f"{act}."
    entry.values = {
        name.removeprefix(before): form.get(name) for name in form.values if name.startswith(before)
    }
    new = NewChange(
        entry.kind,
        entry.get("reason"),
        _amount(entry),
        _day(entry),
        int(entry.get("lot")) if entry.get("lot").isdecimal() and entry.lots else None,
        _moment(entry, "ends"),
        _moment(entry, "usable"),
        _moment(entry, "at"),
        int(entry.get("extension")) if entry.get("extension").isdecimal() else None,
    )
    for problem in change_problems(new):
        entry.refuse(problem.field, problem.text)
    if entry.errors:
        return entry, None
    against = change_problem(order, new) if same_change(order, new) is None else None
    if against is not None:
        entry.refuse(against.field, against.text)
        entry.is_contradicted = True
        return entry, None
    if form.get("act") == "preview":
        entry.shown = tried(order, new, now)
    return entry, new


def _amount(entry: ChangeEntry) -> int | None:
    name = "price" if "price" in entry.fields else "amount"
    typed, currency = entry.get(name), entry.order.currency
    if name not in entry.fields or not typed:
        return None
    found = read_amount(typed, currency, entry.get("reading"))
    if found.problem is not None:
        entry.refuse(name, found.problem)
        entry.readings = tuple((one, f"{one} {currency}", None) for one in found.readings)
    return found.minor


def _day(entry: ChangeEntry) -> date | None:
    if "day" not in entry.fields:
        return None
    day = read_day(entry.get("day"))
    if isinstance(day, date):
        return day
    entry.refuse("day", day)
    return None


def _moment(entry: ChangeEntry, name: str) -> datetime | None:
    typed = entry.get(name)
    if name not in entry.fields or not typed:
        return None
    _keep_fold(entry, name)
    found = read_local(typed, entry.zone, entry.get(f"{name}_fold"))
    if found.problem is not None:
        entry.refuse(name, found.problem)
    return found.at


def _keep_fold(entry: ChangeEntry, name: str) -> None:
    folds = read_local(entry.get(name), entry.zone).folds
    entry.folds[name] = tuple((fold, label, None) for fold, label in folds)


TITLES: dict[str, Text] = {
    "refund": text("Log a refund"),
    "credit": text("Log a credit"),
    "price": text("State a price that was not known"),
    "correct-price": text("Correct the price"),
    "extend": text("The provider extended the window"),
    "usable-until": text("Usable until another time"),
    "cancel": text("It was cancelled"),
    "payment-failed": text("The payment failed"),
}
"""What each small form is called."""
