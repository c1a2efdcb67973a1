"""What a person or a script says about an order, and whether the record can take it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from app.texts import Text, text
from app.units import CURRENCIES, MAX_MINOR

LINE = 200
LINK = 500
NOTE = 2000
MAX_GPUS = 10_000
MAX_HOURS = 87_600
"""The longest window of a lot: ten years, as in a plan."""
MAX_LOTS = 20
MAX_MEMORY_GIB = 100_000
MAX_SOURCE = 65_536
"""The most of a pasted text that is kept, in bytes of UTF-8."""

START_BASES = ("fixed", "on_delivery")
END_POLICIES = ("wiped", "kept_until", "kept_and_billed", "auto_renews")
WAYS = ("form", "paste", "csv", "api")

_SHA256 = re.compile(r"[0-9a-f]{64}")
_KEPT_EMPTY = ("provider", "reference", "currency")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one field, and what would have been taken where that is a short list.

    In an order of several lots a lot's field is called `lots.1.ends_at` (counted from 0), in
    an order of one `ends_at`.
    """

    field: str
    text: Text
    allowed: tuple[str, ...] = ()


def tidy(value: str) -> str:
    """A text composed and without outer spaces, so that equal texts compare equal."""
    return unicodedata.normalize("NFC", value).strip()


def tidy_fields(said: object, names: Iterable[str]) -> None:
    """Compose and strip the texts of a new value; an empty one that may be missing is None."""
    for name in names:
        value = getattr(said, name)
        if isinstance(value, str):
            tidied = tidy(value)
            object.__setattr__(said, name, tidied if name in _KEPT_EMPTY else tidied or None)


@dataclass(frozen=True, slots=True)
class Source:
    """Which way an order came in (`WAYS`), with the hash of what was pasted or uploaded and
    its text as kept: digits of cards and accounts masked before."""

    way: str
    sha256: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class NewLot:
    """One lot of an order as it is said; what nobody stated is None.

    `usable_until` None means until the end. `lot` names the planned lot to fill, `extra` says
    that it fills none; with neither the rules choose. `start_basis` is one of `START_BASES`,
    `end_policy` of `END_POLICIES`.
    """

    starts_at: datetime
    ends_at: datetime
    usable_until: datetime | None = None
    lot: str | None = None
    extra: bool = False
    gpus: int | None = None
    gpu: str | None = None
    memory_gib: int | None = None
    start_basis: str | None = None
    end_policy: str | None = None
    data_deleted_at: datetime | None = None
    auto_renew: bool | None = None

    def __post_init__(self) -> None:
        tidy_fields(self, (field.name for field in fields(self)))


@dataclass(frozen=True, slots=True)
class NewOrder:
    """An order as it is said; `price_minor` None means not known.

    `quote` is the number of the quote that it was made from, `ordered_at` when it was placed
    at the provider.
    """

    provider: str
    reference: str
    price_minor: int | None
    currency: str
    lots: tuple[NewLot, ...]
    account: str | None = None
    note: str | None = None
    price_typed: str | None = None
    ordered_at: datetime | None = None
    link: str | None = None
    offer: str | None = None
    quote: int | None = None
    source: Source | None = None

    def __post_init__(self) -> None:
        tidy_fields(self, (field.name for field in fields(self)))

    @classmethod
    def one(
        cls,
        provider: str,
        reference: str,
        price_minor: int | None,
        currency: str,
        lot: NewLot,
        price_typed: str | None = None,
    ) -> NewOrder:
        """An order of one lot."""
        return cls(provider, reference, price_minor, currency, (lot,), price_typed=price_typed)


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


def link_problem(link: str | None) -> Problem | None:
    """What is wrong with a link: only pages of the web are linked to."""
    if link is None:
        return None
    if re.fullmatch(r"https?://[^/?#\s]+([/?#]\S*)?", link, re.IGNORECASE) is None:
        return Problem("link", text("A link begins with https:// or http:// and has no spaces."))
    return line_problem("link", link, LINK)


def currency_problem(currency: str) -> Problem | None:
    """Whether a code is none of today's currencies."""
    if currency in CURRENCIES:
        return None
    said = text("“{given}” is not a current currency code of ISO 4217.", given=currency)
    return Problem("currency", said)


def problems(new: NewOrder) -> tuple[Problem, ...]:
    """Everything that is wrong with an order by itself, in the order of the form."""
    return tuple(_problems(new))


def _problems(new: NewOrder) -> Iterator[Problem]:
    if not new.reference:
        yield Problem("reference", text("Enter the order reference that the provider gave."))
    if not new.provider:
        yield Problem("provider", text("Enter who the lot was rented from."))
    texts = {"reference": new.reference, "provider": new.provider, "account": new.account,
             "offer": new.offer}  # fmt: skip
    found = [line_problem(field, value) for field, value in texts.items()]
    found += [line_problem("note", new.note, NOTE), link_problem(new.link)]
    found += [currency_problem(new.currency), _source_problem(new.source)]
    yield from (problem for problem in found if problem)
    if new.price_minor is not None and not 0 <= new.price_minor <= MAX_MINOR:
        yield Problem("price", text("A price is not negative; log a refund as one."))
    if not 1 <= len(new.lots) <= MAX_LOTS:
        yield Problem("lots", text("An order has 1 to {most} lots.", most=MAX_LOTS))
    for position, lot in enumerate(new.lots[:MAX_LOTS]):
        before = f"lots.{position}." if len(new.lots) > 1 else ""
        for problem in _lot_problems(lot):
            yield Problem(before + problem.field, problem.text, problem.allowed)
    yield from _twice(new.lots)


def _lot_problems(lot: NewLot) -> Iterator[Problem]:
    lines = (line_problem("gpu", lot.gpu), line_problem("lot", lot.lot))
    yield from (problem for problem in lines if problem)
    if lot.gpus is not None and not 1 <= lot.gpus <= MAX_GPUS:
        yield Problem("gpus", text("A lot has 1 to {most} GPUs.", most=MAX_GPUS))
    if lot.memory_gib is not None and not 1 <= lot.memory_gib <= MAX_MEMORY_GIB:
        said = text("Memory is 1 to {most} GiB.", most=MAX_MEMORY_GIB)
        yield Problem("memory_gib", said)
    if lot.lot is not None and lot.extra:
        yield Problem("extra", text("A lot that fills {lot} is not an extra one.", lot=lot.lot))
    for field, value, known in (
        ("start_basis", lot.start_basis, START_BASES),
        ("end_policy", lot.end_policy, END_POLICIES),
    ):
        if value is not None and value not in known:
            yield Problem(field, text("“{given}” is none of the choices.", given=value), known)
    yield from window_problems(lot)


def window_problems(lot: NewLot) -> Iterator[Problem]:
    """What is wrong with a lot's instants, one beside the other."""
    if lot.ends_at <= lot.starts_at:
        yield Problem("ends_at", text("The window ends after it starts."))
    elif lot.ends_at - lot.starts_at > timedelta(hours=MAX_HOURS):
        yield Problem("ends_at", text("A lot is rented for at most {n} hours.", n=MAX_HOURS))
    elif lot.usable_until is not None and not lot.starts_at < lot.usable_until <= lot.ends_at:
        yield Problem(
            "usable_until", text("The lot is usable until a time inside its window, or its end.")
        )
    if lot.data_deleted_at is not None and lot.data_deleted_at <= lot.starts_at:
        yield Problem("data_deleted_at", text("Data are deleted after the window starts."))


def _twice(lots: tuple[NewLot, ...]) -> Iterator[Problem]:
    """Two lots of one order cannot fill the same planned one."""
    seen: set[str] = set()
    for position, lot in enumerate(lots):
        if lot.lot is not None and lot.lot in seen:
            said = text("{lot} is filled by another lot of this order.", lot=lot.lot)
            yield Problem(f"lots.{position}.lot", said)
        seen.add(lot.lot or "")


def _source_problem(source: Source | None) -> Problem | None:
    if source is None:
        return None
    if source.way not in WAYS:
        return Problem("source", text("“{given}” is none of the choices.", given=source.way), WAYS)
    if source.sha256 is not None and _SHA256.fullmatch(source.sha256) is None:
        return Problem("source", text("A SHA-256 has 64 characters, 0 to 9 and a to f."))
    if source.text is not None and len(source.text.encode("utf-8", "replace")) > MAX_SOURCE:
        return Problem("source", text("At most {n} bytes of a source are kept.", n=MAX_SOURCE))
    return None
