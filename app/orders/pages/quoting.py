"""Quotes on the pages: the small form that keeps one, and the lines of those that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from app.errors import AppError
from app.orders.pages.lines import money
from app.orders.rules import (
    NewQuote,
    Order,
    Quote,
    quote_problems,
    read_amount,
    read_day,
    read_local,
)
from app.texts import Text, ntext, text
from app.units import CURRENCIES, HOUR_S, Duration, Money
from app.web import Form

_COMMON = ("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "VND")
_NAMES = {
    "starts_at": "starts", "ends_at": "starts", "currency": "price", "valid_until": "valid",
}  # fmt: skip


@dataclass(slots=True)
class QuoteEntry:
    """The form of a quote as it stands; its fields are called `quote.provider` and so on."""

    zone: str
    currency: str
    values: dict[str, str] = field(default_factory=dict)
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
        first = dict.fromkeys((self.get("price_currency"), self.currency, *_COMMON))
        return (*(code for code in first if code in CURRENCIES), *sorted(CURRENCIES - set(first)))

    @property
    def listed_errors(self) -> tuple[tuple[str, Text], ...]:
        """The errors for the head of the form."""
        return tuple((f"quote.{name}", why) for name, why in self.errors.items())


@dataclass(frozen=True, slots=True)
class QuoteLine:
    """A quote in the list; `href` leads to the order form that it fills in, None once ordered."""

    number: int
    provider: str
    parts: tuple[object, ...]
    price: Money | None
    valid_until: date | None
    is_over: bool
    note: str | None
    link: str | None
    orders: tuple[tuple[str, str], ...]
    href: str | None
    logged_at: datetime


def quote_line(
    quote: Quote, campaign_id: str, orders: Sequence[Order], today: date, is_closed: bool
) -> QuoteLine:
    """A quote beside the orders that were made from it."""
    said, base = quote.said, f"/campaigns/{campaign_id}/orders"
    made = [order for order in orders if order.quote == quote.number and order.is_active]
    count = None if said.gpus is None else ntext("{n} GPU", "{n} GPUs", said.gpus)
    length = None if said.hours is None else Duration(said.hours * HOUR_S)
    window = None
    if said.starts_at is not None and said.ends_at is not None:
        window = text("{start} – {end}", start=said.starts_at, end=said.ends_at)
    elif said.starts_at is not None:
        window = text("from {at}", at=said.starts_at)
    parts = (said.gpu, count, length, window)
    return QuoteLine(
        number=quote.number,
        provider=said.provider,
        parts=tuple(part for part in parts if part is not None),
        price=money(said.price_minor, said.currency),
        valid_until=said.valid_until,
        is_over=quote.is_over(today),
        note=said.note,
        link=said.link,
        orders=tuple((order.reference, f"{base}/{order.number}") for order in made),
        href=None if made or is_closed else f"{base}?quote={quote.number}#log-order",
        logged_at=quote.logged_at,
    )


def read_quote(form: Form, zone: str, currency: str) -> tuple[QuoteEntry, NewQuote | None]:
    """The form as typed, and the quote it says; None with errors where it says none."""
    entry = QuoteEntry(zone, currency)
    entry.values = {
        name.removeprefix("quote."): form.get(name)
        for name in form.values
        if name.startswith("quote.")
    }
    new = NewQuote(
        provider=entry.get("provider"),
        price_minor=_price(entry),
        currency=entry.get("price_currency"),
        gpu=entry.get("gpu"),
        gpus=_whole(entry, "gpus", text("Enter a whole number of GPUs.")),
        starts_at=_moment(entry, "starts"),
        hours=_whole(entry, "hours", text("Enter whole hours.")),
        valid_until=_day(entry),
        note=entry.get("note").replace("\r\n", "\n"),
        link=entry.get("link"),
    )
    for problem in quote_problems(new):
        entry.refuse(problem.field, problem.text)
    return entry, None if entry.errors else new


def _price(entry: QuoteEntry) -> int | None:
    if not entry.get("price"):
        return None
    currency = entry.get("price_currency")
    found = read_amount(entry.get("price"), currency, entry.get("price_reading"))
    if found.problem is not None:
        entry.refuse("price", found.problem)
        entry.readings = tuple((one, f"{one} {currency}", None) for one in found.readings)
    return found.minor


def _moment(entry: QuoteEntry, name: str) -> datetime | None:
    if not entry.get(name):
        return None
    folds = read_local(entry.get(name), entry.zone).folds
    entry.folds[name] = tuple((fold, label, None) for fold, label in folds)
    found = read_local(entry.get(name), entry.zone, entry.get(f"{name}_fold"))
    if found.problem is not None:
        entry.refuse(name, found.problem)
    return found.at


def _day(entry: QuoteEntry) -> date | None:
    if not entry.get("valid"):
        return None
    day = read_day(entry.get("valid"))
    if isinstance(day, date):
        return day
    entry.refuse("valid", day)
    return None


def _whole(entry: QuoteEntry, name: str, why: Text) -> int | None:
    said = entry.get(name)
    if said and not (said.isascii() and said.isdecimal() and len(said) < 10):
        entry.refuse(name, why)
        return None
    return int(said) if said else None
