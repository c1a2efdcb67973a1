"""The same plan in each lot that is on offer, once, twice and three times: what would change.

A price is that of whole lots and is never divided. Lots of one offer begin together at hour 0.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.offers.rules import Offer
from app.plan.rules.chance import Chance, chance
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Plan, StepKind
from app.plan.rules.schedule import Kept, Schedule, keep_plan
from app.plan.rules.spans import hours_said
from app.texts import Text, ntext, text
from app.units import Money

MOST_LOTS = 3
DRAWS = 200
"""Draws for a comparison: the same ones for every alternative, so that they differ by the lots."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A plan in `lots` lots of one offer.

    `kept` is None, and `why` says it, where the offer does not state how long a lot lasts.
    `set_up_min` is what the further lots need for steps that are done once for each lot.
    `holds_essential` and `holds_all` are the cheapest of all that do, within their currency.
    """

    offer: Offer
    lots: int
    kept: Kept | None = None
    why: Text | None = None
    set_up_min: int = 0
    changes: tuple[Text, ...] = ()
    holds_essential: bool = False
    holds_all: bool = False

    @property
    def price(self) -> Money | None:
        """The price of all the lots together; None while it is not known."""
        if self.offer.price_minor is None or self.offer.currency is None:
            return None
        return Money(self.offer.price_minor * self.lots, self.offer.currency)

    @property
    def schedule(self) -> Schedule | None:
        """The schedule, where there is one."""
        return self.kept.schedule if self.kept is not None else None


@functools.lru_cache(maxsize=64)
def alternatives(
    plan: Plan, offers: tuple[Offer, ...], most_lots: int = MOST_LOTS
) -> tuple[Alternative, ...]:
    """The plan in one to `most_lots` lots of each offer that stands, in the catalogue's order."""
    found: list[Alternative] = []
    for offer in (offer for offer in offers if not offer.withdrawn):
        one: Alternative | None = None
        for count in range(1, 1 + (most_lots if offer.hours is not None else 1)):
            made = _alternative(plan, offer, count)
            if one is not None:
                made = replace(made, changes=_changes(plan, one, made))
            one = one or made
            found.append(made)
    return _marked(found)


@functools.lru_cache(maxsize=64)
def chances(plan: Plan, offers: tuple[Offer, ...]) -> tuple[Chance | None, ...]:
    """How often each of the `alternatives` would fit; None where that cannot be said."""
    return tuple(
        chance(one.kept, plan.steps, draws=DRAWS) if one.kept is not None else None
        for one in alternatives(plan, offers)
    )


def windows_of(offer: Offer, count: int) -> tuple[LotWindow, ...]:
    """`count` lots of an offer side by side from hour 0; () where it states no duration."""
    if offer.hours is None:
        return ()
    end = offer.hours * 60
    return tuple(
        LotWindow(
            f"lot-{n}", offer.id, offer.gpu, offer.gpus, 0, end, end,
            offer.price_minor, offer.currency,
        )
        for n in range(1, count + 1)
    )  # fmt: skip


def _alternative(plan: Plan, offer: Offer, count: int) -> Alternative:
    lots = windows_of(offer, count)
    if not lots:
        return Alternative(offer, count, why=text("The offer does not state how long a lot lasts."))
    kept = keep_plan(plan, lots)
    return Alternative(offer, count, kept, set_up_min=_set_up(plan, kept.schedule))


def _set_up(plan: Plan, schedule: Schedule) -> int:
    """Minutes of steps once for each lot that fall on the second lot and those after it."""
    spread = {step.id for step in plan.steps if step.per_lot}
    return sum(
        bar.end_min - bar.start_min
        for bar in schedule.placements
        if bar.step in spread and bar.lot not in (None, "lot-1")
    )


def _changes(plan: Plan, one: Alternative, more: Alternative) -> tuple[Text, ...]:
    """What further lots change against one lot of the same offer."""
    before, after = one.schedule, more.schedule
    if before is None or after is None or before.end_min is None or after.end_min is None:
        return ()
    found = [_end_said(before.end_min, after.end_min)]
    longest = _longest(plan)
    if longest is not None:
        found.append(text("No single run gets shorter: {step} still takes {time}.", **longest))
    if more.set_up_min:
        set_up = hours_said(more.set_up_min)
        found.append(
            ntext(
                "The further lot needs {set_up} of set-up.",
                "The {n} further lots need {set_up} of set-up.",
                more.lots - 1,
                set_up=set_up,
            )
        )
    gained = tuple(
        one.id for one in before.dropped if one.id not in {left.id for left in after.dropped}
    )
    if gained:
        titles = {step.id: step.title for step in plan.steps}
        found.append(text("Has room for {steps}.", steps=tuple(titles[id_] for id_ in gained)))
    return tuple(found)


def _end_said(before: int, after: int) -> Text:
    if after < before:
        return text(
            "Ends after {after} instead of {before}.",
            after=hours_said(after),
            before=hours_said(before),
        )
    if after == before:
        return text("Ends no earlier: after {after}.", after=hours_said(after))
    return text("Ends later, after {after}, with more of the plan in it.", after=hours_said(after))


def _longest(plan: Plan) -> dict[str, object] | None:
    machines = [step for step in plan.steps if step.kind is StepKind.MACHINE and step.estimate_s()]
    if not machines:
        return None
    step = max(machines, key=lambda one: one.estimate_s())
    return {"step": step.title, "time": hours_said(-(-step.estimate_s() // 60))}


def _marked(found: Sequence[Alternative]) -> tuple[Alternative, ...]:
    """The cheapest that holds the essential part, and that holds everything, by currency."""
    essential = _cheapest(found, whole=False)
    everything = _cheapest(found, whole=True)
    return tuple(
        replace(one, holds_essential=n in essential, holds_all=n in everything)
        for n, one in enumerate(found)
    )


def _cheapest(found: Sequence[Alternative], *, whole: bool) -> set[int]:
    best: dict[str, tuple[int, int, int]] = {}
    for n, one in enumerate(found):
        schedule, price = one.schedule, one.price
        if schedule is None or price is None or not schedule.fits:
            continue
        if whole and schedule.dropped:
            continue
        rank = (price.minor, one.lots, n)
        if price.currency not in best or rank < best[price.currency]:
            best[price.currency] = rank
    return {rank[2] for rank in best.values()}
