"""An offer as the pages show it, and the names of what can change in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from app.offers.rules import Change, Offer
from app.offers.rules.versions import duration_of, price_of
from app.texts import Text, ntext, text
from app.units import Duration, Money

NAMES: dict[str, Text] = {
    "id": text("Id"),
    "provider": text("Provider"),
    "gpu": text("GPU"),
    "gpus": text("GPUs in the lot"),
    "memory_gb": text("Memory of each GPU in GB"),
    "hours": text("Duration"),
    "price": text("Price of the lot"),
    "source": text("Source"),
    "valid_on": text("Valid on"),
}


@dataclass(frozen=True, slots=True)
class OfferLine:
    """One lot as a page shows it; None is not stated by the source."""

    id: str
    href: str
    provider: str
    gpu: str
    duration: Duration | None
    gpus: Text
    memory: Text | None
    price: Money | None
    source: str
    link: str | None
    valid_on: date | None
    withdrawn: bool


def line_of(offer: Offer) -> OfferLine:
    """What a page shows of an offer."""
    return OfferLine(
        id=offer.id,
        href=f"/offers/{offer.id}",
        provider=offer.provider,
        gpu=offer.gpu,
        duration=duration_of(offer),
        gpus=ntext("{n} GPU", "{n} GPUs", offer.gpus),
        memory=text("{n} GB each", n=offer.memory_gb) if offer.memory_gb is not None else None,
        price=price_of(offer),
        source=offer.source,
        link=offer.source if _is_link(offer.source) else None,
        valid_on=offer.valid_on,
        withdrawn=offer.withdrawn,
    )


def change_said(change: Change) -> Text:
    """One difference between two versions as a sentence."""
    nothing = text("not stated")
    return text(
        "{what}: {after}, before: {before}",
        what=NAMES[change.key],
        after=nothing if change.after is None else change.after,
        before=nothing if change.before is None else change.before,
    )


def beside_said(change: Change) -> Text:
    """What somebody else saved (`after`) beside what was typed here (`before`)."""
    nothing = text("not stated")
    return text(
        "{what}: there {theirs}, typed here {mine}",
        what=NAMES[change.key],
        theirs=nothing if change.after is None else change.after,
        mine=nothing if change.before is None else change.before,
    )


def _is_link(source: str) -> bool:
    """Whether a source is one address and nothing else; no other scheme becomes a link."""
    return source.startswith(("https://", "http://")) and not any(c.isspace() for c in source)
