"""The order form: what was typed, and the order that it says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from app.errors import AppError
from app.orders.pages.words import END_POLICIES, NOT_STATED, RENEWS, START_BASES
from app.orders.rules import (
    Fillable,
    NewLot,
    NewOrder,
    Source,
    problems,
    read_amount,
    read_local,
)
from app.texts import Text, text
from app.units import CURRENCIES, HOUR_S, add
from app.web import Form

EXTRA = "-"
"""The choice of a lot that the plan knows nothing of."""

_COMMON = ("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "VND")
_NAMES = {
    "starts_at": "starts", "ends_at": "ends", "usable_until": "usable", "currency": "price",
    "extra": "lot", "memory_gib": "memory", "data_deleted_at": "deleted", "ordered_at": "ordered",
}  # fmt: skip
_FOLDED = (
    "account", "ordered", "link", "note", "gpus", "gpu", "memory", "usable", "start_basis",
    "end_policy", "deleted", "auto_renew", "offer",
)  # fmt: skip
_FURTHER = re.compile(r"more\.(\d{1,3})\.")
_IN_LOTS = re.compile(r"lots\.(\d+)\.(.*)")


@dataclass(slots=True)
class OrderEntry:
    """The form as it stands: texts, what is wrong, and what a person must choose between.

    Fields: reference, provider, price, price_currency, account, ordered, link, note, quote; of
    the lot: lot, starts, ends, usable, gpus, gpu, memory, start_basis, end_policy, deleted,
    auto_renew; of a further lot the same after `more.0.`. `told` says where a value came from.
    """

    zone: str
    lots: tuple[tuple[str, Text | str], ...]
    values: dict[str, str]
    hours: int | None = None
    proposed_start: bool = False
    errors: dict[str, Text] = field(default_factory=dict)
    readings: tuple[tuple[str, str, None], ...] = ()
    folds: dict[str, tuple[tuple[str, Text, None], ...]] = field(default_factory=dict)
    told: dict[str, Text] = field(default_factory=dict)
    further: tuple[str, ...] = ()

    def get(self, name: str) -> str:
        """A field's text."""
        return self.values.get(name, "")

    def refuse(self, name: str, why: Text) -> None:
        """Say what is wrong with a field; the first word stands."""
        self.errors.setdefault(self._field(name), why)

    def _field(self, name: str) -> str:
        """The form's name of a field of the API."""
        inner = _IN_LOTS.fullmatch(name)
        if inner is None:
            return _NAMES.get(name, name)
        place, plain = int(inner[1]), _NAMES.get(inner[2], inner[2])
        return self.prefixes[place] + plain if place < len(self.prefixes) else plain

    def take(self, refusal: AppError) -> None:
        """What a command refused, at its field."""
        self.refuse(refusal.field or "", refusal.detail)

    @property
    def prefixes(self) -> tuple[str, ...]:
        """What stands before the names of each lot's fields."""
        return ("", *(f"more.{number}." for number in self.further))

    @property
    def currencies(self) -> tuple[str, ...]:
        """Every currency, the likely ones first."""
        first = dict.fromkeys((self.get("price_currency"), *_COMMON))
        return (*(code for code in first if code in CURRENCIES), *sorted(CURRENCIES - set(first)))

    @property
    def choices(self) -> dict[str, tuple[tuple[str, Text], ...]]:
        """What there is to choose from in the fields of a lot that name one of a few."""
        return {
            name: tuple({**NOT_STATED, **known}.items())
            for name, known in (
                ("start_basis", START_BASES),
                ("end_policy", END_POLICIES),
                ("auto_renew", RENEWS),
            )
        }

    @property
    def shows_more(self) -> bool:
        """Whether the folded part holds something that must be seen."""
        return bool(self.further) or any(self.get(n) or n in self.errors for n in _FOLDED)

    @property
    def listed_errors(self) -> tuple[tuple[str, Text], ...]:
        """The errors for the head of the form."""
        return tuple(self.errors.items())


def typed(values: Mapping[str, str], open_lots: Sequence[Fillable], zone: str) -> OrderEntry:
    """The form as it was sent, further lots counted from 0; "Add" and "Remove" are done."""
    kept = {name: value.strip() for name, value in values.items()}
    found = [match for name in kept if (match := _FURTHER.match(name))]
    numbers = sorted({int(match[1]) for match in found})
    act, _, rest = kept.pop("action", "").partition(":")
    if act == "remove":
        numbers = [number for number in numbers if f"more:{number}" != rest]
    elif act == "add":
        numbers.append(max(numbers, default=-1) + 1)
    place = {number: str(at) for at, number in enumerate(numbers)}
    counted = {}
    for name, value in kept.items():
        inner = _FURTHER.match(name)
        if inner is None:
            counted[name] = value
        elif int(inner[1]) in place:
            counted[f"more.{place[int(inner[1])]}.{name[inner.end() :]}"] = value
    return OrderEntry(zone, lot_options(open_lots), counted, further=tuple(place.values()))


def is_rearranged(form: Form) -> bool:
    """Whether the form was sent to add or remove a lot, and not to be logged."""
    return form.get("action").startswith(("add:", "remove:"))


def read_entry(
    form: Form, open_lots: Sequence[Fillable], zone: str
) -> tuple[OrderEntry, NewOrder | None]:
    """The form as it was typed, and the order it says; None with errors where it says none."""
    entry = typed(form.values, open_lots, zone)
    price = _price(entry)
    ordered_at = _moment(entry, "ordered") if entry.get("ordered") else None
    lots = [_lot(entry, prefix, open_lots) for prefix in entry.prefixes]
    known = tuple(lot for lot in lots if lot is not None)
    if len(known) < len(lots):
        return entry, None
    new = NewOrder(
        provider=entry.get("provider"),
        reference=entry.get("reference"),
        price_minor=price,
        currency=entry.get("price_currency"),
        lots=known,
        account=entry.get("account"),
        note=entry.get("note").replace("\r\n", "\n"),
        price_typed=entry.get("price"),
        ordered_at=ordered_at,
        link=entry.get("link"),
        quote=_whole(entry, "quote", text("Enter a whole number.")),
        source=Source("form"),
    )
    for problem in problems(new):
        entry.refuse(problem.field, problem.text)
    return entry, None if entry.errors else new


def _lot(entry: OrderEntry, prefix: str, open_lots: Sequence[Fillable]) -> NewLot | None:
    """One lot as typed; None where its window cannot be read."""
    planned = entry.get(f"{prefix}lot")
    chosen = next((lot for lot in open_lots if lot.id == planned), None)
    hours = planned_hours(chosen)
    if not prefix:
        entry.hours = hours
    starts_at = _moment(entry, f"{prefix}starts")
    ends_at = _end(entry, prefix, starts_at, hours)
    usable, deleted = f"{prefix}usable", f"{prefix}deleted"
    usable_until = _moment(entry, usable) if entry.get(usable) else None
    deleted_at = _moment(entry, deleted) if entry.get(deleted) else None
    gpus = _whole(entry, f"{prefix}gpus", text("Enter a whole number of GPUs."))
    memory = _whole(entry, f"{prefix}memory", text("Enter whole GiB."))
    if starts_at is None or ends_at is None:
        return None
    return NewLot(
        starts_at=starts_at,
        ends_at=ends_at,
        usable_until=usable_until,
        lot=None if planned == EXTRA else planned,
        extra=planned == EXTRA,
        gpus=gpus,
        gpu=entry.get(f"{prefix}gpu"),
        memory_gib=memory,
        start_basis=entry.get(f"{prefix}start_basis"),
        end_policy=entry.get(f"{prefix}end_policy"),
        data_deleted_at=deleted_at,
        auto_renew={"yes": True, "no": False}.get(entry.get(f"{prefix}auto_renew")),
    )


def lot_options(open_lots: Sequence[Fillable]) -> tuple[tuple[str, Text | str], ...]:
    """The planned lots to choose from, and none of them; empty where the plan has none open."""
    if not open_lots:
        return ()
    named: list[tuple[str, Text | str]] = [(lot.id, lot.id) for lot in open_lots]
    return (*named, (EXTRA, text("none: an extra lot")))


def planned_hours(lot: Fillable | None) -> int | None:
    """The planned length of a lot's window in whole hours, where it is known."""
    if lot is None or lot.starts_at is None or lot.ends_at is None:
        return lot.hours if lot else None
    return (lot.ends_at - lot.starts_at) // timedelta(hours=1)


def ask(entry: OrderEntry, name: str, folds: Sequence[tuple[str, Text]]) -> None:
    """Ask which of two equal local times is meant."""
    entry.folds[name] = tuple((fold, label, None) for fold, label in folds)


def _moment(entry: OrderEntry, name: str) -> datetime | None:
    asked = read_local(entry.get(name), entry.zone)
    ask(entry, name, asked.folds)
    found = read_local(entry.get(name), entry.zone, entry.get(f"{name}_fold"))
    if found.problem is not None:
        entry.refuse(name, found.problem)
    return found.at


def _end(
    entry: OrderEntry, prefix: str, starts_at: datetime | None, hours: int | None
) -> datetime | None:
    """The end as typed; left empty, the planned length after the start."""
    if entry.get(f"{prefix}ends") or hours is None:
        return _moment(entry, f"{prefix}ends")
    return None if starts_at is None else add(starts_at, hours * HOUR_S)


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


def _whole(entry: OrderEntry, name: str, why: Text) -> int | None:
    said = entry.get(name)
    if said and not (said.isascii() and said.isdecimal() and len(said) < 10):
        entry.refuse(name, why)
        return None
    return int(said) if said else None
