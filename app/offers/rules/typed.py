"""An offer as the form holds it: what was typed, what is wrong with it, and the offer it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from app.offers.rules.cells import read_row
from app.offers.rules.offer import Offer, proposed_id, read_amount, say_why
from app.texts import Text, text
from app.units import CURRENCIES, HOUR_S, UnitError, amount_text, format_duration, parse_duration

_COMMON = ("USD", "EUR", "GBP", "CHF", "JPY", "CNY", "VND")
_NAMES = {"hours": "duration", "currency": "price"}
_PLAIN = ("id", "provider", "gpu", "gpus", "memory_gb", "source", "valid_on")


@dataclass(slots=True)
class OfferEntry:
    """The form as it stands: texts, what is wrong, and the readings of a price to choose from."""

    values: dict[str, str]
    errors: dict[str, Text] = field(default_factory=dict)
    readings: tuple[tuple[str, str, None], ...] = ()

    def get(self, name: str) -> str:
        """A field's text without the white space around it."""
        return self.values.get(name, "").strip()

    def refuse(self, name: str, why: Text) -> None:
        """Say what is wrong with a field; the first word stands."""
        self.errors.setdefault(_NAMES.get(name, name), why)

    @property
    def listed_errors(self) -> tuple[tuple[str, Text], ...]:
        """The errors for the head of the form."""
        return tuple(self.errors.items())

    @property
    def currencies(self) -> tuple[str, ...]:
        """Every currency, the likely ones first."""
        first = dict.fromkeys((self.get("price_currency"), *_COMMON))
        return (*(code for code in first if code in CURRENCIES), *sorted(CURRENCIES - set(first)))


def blank(today: date) -> OfferEntry:
    """The form of a new offer, seen today."""
    return OfferEntry({"price_currency": "USD", "gpus": "1", "valid_on": today.isoformat()})


def entry_of(offer: Offer) -> OfferEntry:
    """The form that says what an offer says."""
    price = ""
    if offer.price_minor is not None and offer.currency is not None:
        price = amount_text(offer.price_minor, offer.currency)
    return OfferEntry(
        {
            "id": offer.id,
            "provider": offer.provider,
            "gpu": offer.gpu,
            "gpus": str(offer.gpus),
            "memory_gb": "" if offer.memory_gb is None else str(offer.memory_gb),
            "duration": "" if offer.hours is None else format_duration(offer.hours * HOUR_S),
            "price": price,
            "price_currency": offer.currency or "USD",
            "source": offer.source,
            "valid_on": offer.valid_on.isoformat() if offer.valid_on else "",
        }
    )


def read_entry(
    typed: Mapping[str, str], offer_id: str | None = None
) -> tuple[OfferEntry, Offer | None]:
    """The form as typed, and the offer that it says; None with errors where it says none.

    `offer_id` is that of the offer which is edited; a new one that is left empty is made of
    provider, GPU and duration.
    """
    entry = OfferEntry(dict(typed))
    values: dict[str, object] = {name: entry.get(name) for name in _PLAIN if entry.get(name)}
    hours = _hours(entry)
    if hours is not None:
        values["hours"] = str(hours)
    values |= _price(entry)
    named = (
        offer_id or entry.get("id") or proposed_id(entry.get("provider"), entry.get("gpu"), hours)
    )
    if named:
        values["id"] = named
    made = read_row(values, strict=False)
    if not isinstance(made, Offer):
        for problem in made:
            entry.refuse(problem.field, problem.message)
        return entry, None
    return entry, None if entry.errors else made


def _hours(entry: OfferEntry) -> int | None:
    typed = entry.get("duration")
    if not typed:
        return None
    try:
        seconds = parse_duration(typed)
    except UnitError as error:
        entry.refuse("duration", say_why(error))
        return None
    if seconds % HOUR_S or not seconds:
        entry.refuse("duration", text("A lot lasts whole hours: write 72 h or 3 d."))
        return None
    return seconds // HOUR_S


def _price(entry: OfferEntry) -> dict[str, object]:
    """Price and currency as strict text; neither where the price was left empty, or refused."""
    typed, currency = entry.get("price"), entry.get("price_currency")
    if not typed:
        return {}
    if currency not in CURRENCIES:
        entry.refuse(
            "price",
            text("“{given}” is not a current currency code of ISO 4217.", given=currency[:40]),
        )
        return {}
    found = read_amount(typed, currency, strict=False, chosen=entry.get("price_reading"))
    if found.minor is not None:
        return {"price": amount_text(found.minor, currency), "currency": currency}
    if found.problem is not None:
        entry.refuse("price", found.problem)
    entry.readings = tuple((reading, f"{reading} {currency}", None) for reading in found.readings)
    return {}
