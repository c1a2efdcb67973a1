"""What a person or a script says about an order, and whether the record can take it.

An order is known by provider and reference: sent again unchanged it is the same order, sent
again with differences it contradicts the record.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from app.orders.rules.records import Order
from app.texts import Text, text
from app.units import CURRENCIES, MAX_MINOR

LINE = 200
NOTE = 2000
MAX_GPUS = 10_000
MAX_HOURS = 87_600
"""The longest window of a lot: ten years, as in a plan."""


FIELD_NAMES: dict[str, Text] = {
    "account": text("account"),
    "price": text("price"),
    "currency": text("currency"),
    "starts_at": text("start"),
    "ends_at": text("end"),
    "usable_until": text("usable until"),
    "note": text("note"),
    "lot": text("planned lot"),
    "gpus": text("GPUs"),
    "gpu": text("GPU"),
}
"""How a difference names its field to a person."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one field, and what would have been taken where that is a short list."""

    field: str
    text: Text
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of an order that is recorded otherwise than it is said now."""

    field: str
    recorded: object
    said: object


@dataclass(frozen=True, slots=True)
class NewOrder:
    """An order as it is said; texts are composed (NFC) and stripped, empty ones are None or "".

    `price_minor` None means not known. `usable_until` None means until the end. `lot` names
    the planned lot to fill, `extra` says that it fills none; with neither the rules choose.
    """

    provider: str
    reference: str
    price_minor: int | None
    currency: str
    starts_at: datetime
    ends_at: datetime
    account: str | None = None
    note: str | None = None
    price_typed: str | None = None
    usable_until: datetime | None = None
    lot: str | None = None
    extra: bool = False
    gpus: int | None = None
    gpu: str | None = None
    offer: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str):
                tidied = tidy(value)
                kept = tidied if field.name in ("provider", "reference") else tidied or None
                object.__setattr__(self, field.name, kept)


def tidy(value: str) -> str:
    """A text composed and without outer spaces, so that equal texts compare equal."""
    return unicodedata.normalize("NFC", value).strip()


def line_problem(field: str, value: str | None, most: int = LINE) -> Problem | None:
    """What is wrong with a line of text: too long, or with characters nobody can see."""
    if value is None:
        return None
    if len(value) > most:
        return Problem(field, text("At most {n} characters are kept here.", n=most))
    lines = value.replace("\r", "").replace("\n", "") if most >= NOTE else value
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in lines):
        return Problem(field, text("This text contains control characters."))
    return None


def problems(new: NewOrder) -> tuple[Problem, ...]:
    """Everything that is wrong with an order by itself, in the order of the form."""
    return tuple(_problems(new))


def _problems(new: NewOrder) -> Iterator[Problem]:
    if not new.reference:
        yield Problem("reference", text("Enter the order reference that the provider gave."))
    if not new.provider:
        yield Problem("provider", text("Enter who the lot was rented from."))
    texts = {"reference": new.reference, "provider": new.provider, "account": new.account,
             "gpu": new.gpu, "offer": new.offer, "lot": new.lot}  # fmt: skip
    found = [line_problem(field, value) for field, value in texts.items()]
    yield from (problem for problem in [*found, line_problem("note", new.note, NOTE)] if problem)
    if new.currency not in CURRENCIES:
        yield Problem(
            "currency",
            text("“{given}” is not a current currency code of ISO 4217.", given=new.currency),
        )
    if new.price_minor is not None and not 0 <= new.price_minor <= MAX_MINOR:
        yield Problem("price", text("A price is not negative; log a refund as one."))
    if new.gpus is not None and not 1 <= new.gpus <= MAX_GPUS:
        yield Problem("gpus", text("A lot has 1 to {most} GPUs.", most=MAX_GPUS))
    if new.lot is not None and new.extra:
        yield Problem("extra", text("A lot that fills {lot} is not an extra one.", lot=new.lot))
    yield from _window_problems(new)


def _window_problems(new: NewOrder) -> Iterator[Problem]:
    if new.ends_at <= new.starts_at:
        yield Problem("ends_at", text("The window ends after it starts."))
    elif new.ends_at - new.starts_at > timedelta(hours=MAX_HOURS):
        yield Problem("ends_at", text("A lot is rented for at most {n} hours.", n=MAX_HOURS))
    elif new.usable_until is not None and not new.starts_at < new.usable_until <= new.ends_at:
        yield Problem(
            "usable_until", text("The lot is usable until a time inside its window, or its end.")
        )


def find_same(orders: Iterable[Order], new: NewOrder) -> Order | None:
    """The order in force that this one names: same provider and reference.

    Two accounts at one provider may use the same reference; an account left out fits any.
    """
    for order in orders:
        if (
            order.is_active
            and order.provider.casefold() == new.provider.casefold()
            and order.reference == new.reference
            and (order.account is None or new.account is None or order.account == new.account)
        ):
            return order
    return None


def differences(order: Order, new: NewOrder) -> tuple[Difference, ...]:
    """Where the record says otherwise. What was left to the rules (lot, GPUs) is not compared."""
    lot = order.lots[0]
    pairs: list[tuple[str, object, object]] = [
        ("account", order.account, new.account),
        ("price", order.price_minor, new.price_minor),
        ("currency", order.currency, new.currency),
        ("starts_at", lot.starts_at, new.starts_at),
        ("ends_at", lot.ends_at, new.ends_at),
        ("usable_until", lot.usable_until, new.usable_until or new.ends_at),
        ("note", order.note, new.note),
    ]
    if new.lot is not None or new.extra:
        pairs.append(("lot", lot.planned_lot, new.lot))
    if new.gpus is not None:
        pairs.append(("gpus", lot.gpus, new.gpus))
    if new.gpu is not None:
        pairs.append(("gpu", lot.gpu, new.gpu))
    return tuple(Difference(*pair) for pair in pairs if pair[1] != pair[2])
