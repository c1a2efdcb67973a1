"""What a provider offered before anything was ordered, and how the order differs from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta

from app.orders.rules.entering import (
    MAX_GPUS,
    MAX_HOURS,
    NOTE,
    NewLot,
    NewOrder,
    Problem,
    currency_problem,
    line_problem,
    link_problem,
    tidy_fields,
)
from app.orders.rules.records import Order, OrderedLot
from app.orders.rules.sameness import Difference
from app.texts import text
from app.units import HOUR_S, MAX_MINOR, add, is_plausible


@dataclass(frozen=True, slots=True)
class NewQuote:
    """A quote as it is said; what nobody stated is None.

    Its length stands in `hours`, or its window in `starts_at` and `ends_at`. `valid_until` is
    the last day on which the provider stands by it.
    """

    provider: str
    price_minor: int | None
    currency: str
    gpu: str | None = None
    gpus: int | None = None
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    hours: int | None = None
    valid_until: date | None = None
    note: str | None = None
    link: str | None = None

    def __post_init__(self) -> None:
        tidy_fields(self, (field.name for field in fields(self)))

    @property
    def window_ends_at(self) -> datetime | None:
        """The end of its window, where start and end or length were stated."""
        if self.ends_at is not None or self.starts_at is None or self.hours is None:
            return self.ends_at
        return add(self.starts_at, self.hours * HOUR_S)


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote as the record holds it; `number` is that of its journal entry."""

    number: int
    logged_at: datetime
    logged_by: str
    said: NewQuote

    def is_over(self, today: date) -> bool:
        """Whether the day until which it holds has passed."""
        return self.said.valid_until is not None and self.said.valid_until < today


def quote_problems(new: NewQuote) -> tuple[Problem, ...]:
    """Everything that is wrong with a quote by itself."""
    return tuple(_problems(new))


def _problems(new: NewQuote) -> Iterator[Problem]:
    if not new.provider:
        yield Problem("provider", text("Enter who made the quote."))
    found = [line_problem("provider", new.provider), line_problem("gpu", new.gpu)]
    found += [line_problem("note", new.note, NOTE), link_problem(new.link)]
    found.append(currency_problem(new.currency))
    yield from (problem for problem in found if problem)
    if new.price_minor is not None and not 0 <= new.price_minor <= MAX_MINOR:
        yield Problem("price", text("A price is not negative."))
    if new.gpus is not None and not 1 <= new.gpus <= MAX_GPUS:
        yield Problem("gpus", text("A lot has 1 to {most} GPUs.", most=MAX_GPUS))
    if new.hours is not None and not 1 <= new.hours <= MAX_HOURS:
        yield Problem("hours", text("A lot is rented for 1 to {n} hours.", n=MAX_HOURS))
    if new.valid_until is not None and not is_plausible(new.valid_until):
        yield Problem("valid_until", text("Enter a day as year, month and day: 2026-12-01."))
    yield from _window_problems(new)


def _window_problems(new: NewQuote) -> Iterator[Problem]:
    if new.ends_at is None:
        return
    if new.starts_at is None:
        yield Problem("starts_at", text("A window with an end has a start too."))
    elif new.ends_at <= new.starts_at:
        yield Problem("ends_at", text("The window ends after it starts."))
    elif new.ends_at - new.starts_at > timedelta(hours=MAX_HOURS):
        yield Problem("ends_at", text("A lot is rented for at most {n} hours.", n=MAX_HOURS))
    elif new.hours is not None and new.ends_at - new.starts_at != timedelta(hours=new.hours):
        yield Problem("hours", text("The window has another length than these hours."))


def same_quote(quotes: Iterable[Quote], new: NewQuote) -> Quote | None:
    """The quote that says all of this already."""
    return next((quote for quote in quotes if quote.said == new), None)


def quote_difference(quote: Quote, order: Order | NewOrder) -> tuple[Difference, ...]:
    """Where an order is other than its quote: price, currency, GPUs, window or length.

    `recorded` is what was quoted. What the quote, or the order, does not state is no difference.
    An order of several lots is compared by its price and by the GPUs of all of them; a window
    as it was ordered, before any extension.
    """
    quoted = quote.said
    lots: Sequence[NewLot | OrderedLot] = order.lots
    price = order.price_minor
    if isinstance(order, Order):
        price, lots = order.price_now_minor, order.logged_lots
    counts = [lot.gpus for lot in lots if lot.gpus is not None]
    gpus = sum(counts) if len(counts) == len(lots) else None
    pairs: list[tuple[str, object, object]] = [
        ("price", quoted.price_minor, price),
        ("currency", quoted.currency, order.currency),
        ("gpus", quoted.gpus, gpus),
    ]
    if len(lots) == 1:
        lot = lots[0]
        pairs.append(("gpu", quoted.gpu, lot.gpu))
        pairs.append(("starts_at", quoted.starts_at, lot.starts_at))
        if quoted.starts_at is not None:
            pairs.append(("ends_at", quoted.window_ends_at, lot.ends_at))
        elif quoted.hours is not None:
            hours = (lot.ends_at - lot.starts_at) / timedelta(hours=1)
            pairs.append(("hours", quoted.hours, int(hours) if hours.is_integer() else hours))
    return tuple(
        Difference(name, recorded, said)
        for name, recorded, said in pairs
        if recorded is not None and said is not None and recorded != said
    )
