"""An offer of lots: what one price buys, for how long, and who says so.

A price belongs to the whole lot and its whole duration; nothing here divides it. What the
source does not state is None.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from app.texts import Text, text
from app.units import CURRENCIES, MAX_MINOR, UnitError, is_plausible, parse_amount

KEYS = (
    "id", "provider", "gpu", "gpus", "memory_gb", "hours", "price", "currency", "source",
    "valid_on", "withdrawn",
)  # fmt: skip
"""The keys of an offer in files, in their order."""

NEEDED = ("id", "provider", "gpu", "gpus", "source")
EXAMPLES = {
    "id": "iteragpu/rtx-4090/3d", "provider": "IteraGPU", "gpu": "RTX 4090", "gpus": "1",
    "memory_gb": "24", "hours": "72", "price": "47.14", "currency": "USD",
    "source": "https://example.org/prices", "valid_on": "2026-12-01", "withdrawn": "true",
}  # fmt: skip

LONGEST = {"provider": 200, "gpu": 200, "source": 1000}
LONGEST_ID = 200
MOST = {"gpus": 4096, "memory_gb": 1_000_000, "hours": 87_600}
"""The largest figures taken: of GPUs and hours as many as a planned lot may have."""

_ID = re.compile(r"[a-z0-9][a-z0-9-]*(?:/[a-z0-9][a-z0-9-]*)*")
_BEYOND_MARKS = str.maketrans({"đ": "d", "ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe"})
_OURS = frozenset({"new", "import", "file"})
_ACTS = frozenset({"edit", "withdraw"})


@dataclass(frozen=True, slots=True)
class Offer:
    """One catalogue line; `hours` and `price_minor` are for one lot of `gpus` GPUs together.

    A withdrawn one is not offered any more, but still read where a plan names it.
    """

    id: str
    provider: str
    gpu: str
    gpus: int
    memory_gb: int | None
    hours: int | None
    price_minor: int | None
    currency: str | None
    source: str
    valid_on: date | None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one key of an offer, and what would be right."""

    field: str
    message: Text
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount as read: minor units, or what is wrong and which readings to choose from."""

    minor: int | None = None
    problem: Text | None = None
    readings: tuple[str, ...] = ()


def wrong(offer: Offer) -> tuple[Problem, ...]:
    """Everything that is wrong with an offer by itself, in the order of its keys."""
    return tuple(_wrong(offer))


def tidy(value: str) -> str:
    """A text composed (NFC) and without outer spaces, so that equal texts compare equal."""
    return unicodedata.normalize("NFC", value).strip()


def is_reserved(offer_id: str) -> bool:
    """Whether the offer's page would hide behind an address of ours below `/offers`."""
    return offer_id in _OURS or offer_id.rpartition("/")[2] in _ACTS


def proposed_id(provider: str, gpu: str, hours: int | None) -> str:
    """An id made of provider, GPU and duration; empty where a part holds no letter of ours."""
    parts = [_slug(provider), _slug(gpu)]
    if not all(parts):
        return ""
    if hours is not None:
        parts.append(f"{hours}h" if hours % 24 else f"{hours // 24}d")
    return "/".join(parts)[:LONGEST_ID]


def read_amount(typed: object, currency: str, *, strict: bool, chosen: str = "") -> Amount:
    """A price: strictly as in the API and TOML files, else as people type it; `chosen` is the
    reading that a person picked where it was asked."""
    try:
        return Amount(parse_amount(typed, currency, strict=strict))
    except UnitError as error:
        if chosen and chosen in error.candidates:
            return Amount(parse_amount(chosen, currency, strict=True))
        return Amount(None, say_why(error), error.candidates)


def say_why(error: UnitError) -> Text:
    """The sentence of a refusal, with what was probably meant, or what it may mean."""
    why = Text(error.msgid, error.params)
    if error.suggestion is not None:
        return text("{why} Did you mean {suggestion}?", why=why, suggestion=error.suggestion)
    if error.candidates:
        return text("{why} Write one of: {readings}.", why=why, readings=error.candidates)
    return why


def needed(key: str) -> Problem:
    """The key is missing."""
    return Problem(key, text("This is needed, for example {example}.", example=EXAMPLES[key]))


def whole_number(key: str) -> Problem:
    """The figure is none, or outside of what is taken."""
    said = text("Write a whole number from 1 to {most}.", most=MOST[key])
    return Problem(key, said)


def one_line(key: str) -> Problem:
    """The text is none, too long, or holds what no line of text holds."""
    longest = LONGEST.get(key, LONGEST_ID)
    return Problem(key, text("Write text on one line, at most {n} characters.", n=longest))


def together(key: str) -> Problem:
    """A price without its currency, or a currency without a price."""
    said = text("A price and its currency stand together; leave out both where it is not known.")
    return Problem(key, said)


def _wrong(offer: Offer) -> Iterator[Problem]:
    yield from _wrong_id(offer.id)
    for key in ("provider", "gpu", "source"):
        value: str = getattr(offer, key)
        if not value:
            yield needed(key)
        elif len(value) > LONGEST[key] or any(
            unicodedata.category(c) in ("Cc", "Cs") for c in value
        ):
            yield one_line(key)
    for key, most in MOST.items():
        figure: int | None = getattr(offer, key)
        if figure is not None and not 1 <= figure <= most:
            yield whole_number(key)
    yield from _wrong_price(offer)
    if offer.valid_on is not None and not is_plausible(offer.valid_on):
        yield Problem("valid_on", text("Enter a day as year, month and day: 2026-12-01."))


def _wrong_id(offer_id: str) -> Iterator[Problem]:
    if not offer_id:
        yield needed("id")
    elif len(offer_id) > LONGEST_ID or not _ID.fullmatch(offer_id):
        said = text(
            "An id is made of small letters, digits and hyphens, its parts with “/” between "
            "them, for example {example}.",
            example=EXAMPLES["id"],
        )
        yield Problem("id", said)
    elif is_reserved(offer_id):
        yield Problem("id", text("“{id}” is an address of ours; choose another id.", id=offer_id))


def _wrong_price(offer: Offer) -> Iterator[Problem]:
    if (offer.price_minor is None) != (offer.currency is None):
        yield together("price" if offer.price_minor is None else "currency")
    elif offer.currency is not None and offer.currency not in CURRENCIES:
        said = text(
            "“{given}” is not a current currency code of ISO 4217.", given=offer.currency[:80]
        )
        yield Problem("currency", said)
    elif offer.price_minor is not None and not 0 <= offer.price_minor <= MAX_MINOR:
        yield Problem("price", text("“{given}” is too large.", given=offer.price_minor))


def _slug(written: str) -> str:
    plain = unicodedata.normalize("NFKD", written.lower().translate(_BEYOND_MARKS))
    words = re.findall(r"[a-z0-9]+", "".join(c for c in plain if not unicodedata.combining(c)))
    return "-".join(words)[:64].rstrip("-")
