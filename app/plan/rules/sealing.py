"""What a seal fixes beside the plan itself: the offers as they were, what was already known, and
the one sentence that it promises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from app.offers.rules import Offer
from app.plan.rules.answer import plan_answer
from app.plan.rules.checks import warnings
from app.plan.rules.lots import LotWindow, ResolvedLots
from app.plan.rules.model import Plan, PlannedLot
from app.plan.rules.scheduled import Schedule
from app.plan.rules.spans import hours_said
from app.texts import Text, text
from app.units import amount_text, parse_amount

NOTHING_RUN, RUNS_STARTED, RESULTS_SEEN = "nothing_run", "runs_started", "results_seen"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the record already held when a version was sealed: runs started, runs ended."""

    level: str  # nothing_run | runs_started | results_seen
    started: int
    ended: int

    @property
    def said(self) -> Text:
        """The level with its counts, as a sentence."""
        if self.level == NOTHING_RUN:
            return text("Nothing had run when this was sealed.")
        if self.level == RUNS_STARTED:
            return text("Runs started before this was sealed: {n}.", n=self.started)
        return text(
            "Results were known when this was sealed: {started} runs started, {ended} ended.",
            started=self.started,
            ended=self.ended,
        )

    @property
    def said_now(self) -> Text:
        """The same of a record that still grows."""
        if self.level == NOTHING_RUN:
            return text("Nothing has run yet.")
        if self.level == RUNS_STARTED:
            return text("Runs have started already: {n}. The seal will say so.", n=self.started)
        return text(
            "Results are known already: {started} runs started, {ended} ended. "
            "The seal will say so.",
            started=self.started,
            ended=self.ended,
        )


def knowledge_of(started: int, ended: int) -> Knowledge:
    """The least that must have been known, from counts of runs that started and that ended."""
    if ended:
        return Knowledge(RESULTS_SEEN, started, ended)
    return Knowledge(RUNS_STARTED if started else NOTHING_RUN, started, ended)


def resolved(plan: Plan, offers: Iterable[Offer]) -> Plan:
    """The plan with GPUs, hours and price of each lot taken from its offer and written down.

    A price in another currency than the campaign's cannot stand in the plan and is left out.
    """
    known = {offer.id: offer for offer in offers}
    lots = tuple(_filled(lot, known.get(lot.offer or ""), plan.currency) for lot in plan.lots)
    return replace(plan, lots=lots)


def used_offers(plan: Plan, offers: Iterable[Offer]) -> tuple[Offer, ...]:
    """The offers that the plan's lots name."""
    named = {lot.offer for lot in plan.lots}
    return tuple(offer for offer in offers if offer.id in named)


def foreign_prices(plan: Plan, offers: Iterable[Offer]) -> tuple[Text, ...]:
    """A sentence for each lot whose offer is priced in another currency than the campaign's."""
    known = {offer.id: offer for offer in offers}
    return tuple(
        text(
            "{lot} is priced in {theirs}, the campaign counts in {ours}; its price is not planned.",
            lot=lot.id,
            theirs=offer.currency,
            ours=plan.currency,
        )
        for lot in plan.lots
        if lot.price_minor is None
        and (offer := known.get(lot.offer or "")) is not None
        and offer.price_minor is not None
        and offer.currency != plan.currency
    )


def seal_warnings(
    plan: Plan, lots: ResolvedLots, schedule: Schedule, offers: Iterable[Offer], now: datetime
) -> tuple[Text, ...]:
    """Everything that is worth saying before a seal and stands in no one's way."""
    fit = () if schedule.fits or not lots.windows else (plan_answer(schedule, lots.windows),)
    begun = tuple(_begun(lot, now) for lot in lots.windows if lot.starts_at and lot.starts_at < now)
    said = (
        *fit,
        *lots.problems,
        *schedule.problems,
        *foreign_prices(plan, offers),
        *begun,
        *ids_missing(plan),
        *warnings(plan),
    )
    return tuple({str(one): one for one in said}.values())


def ids_missing(plan: Plan) -> tuple[Text, ...]:
    """A sentence for each corpus whose file of ids is named but was never read."""
    return tuple(
        text(
            "The ids of the corpus “{corpus}” are not here: {file} did not come with the plan.",
            corpus=corpus.id,
            file=corpus.ids_file,
        )
        for corpus in plan.corpora
        if corpus.ids_file is not None and corpus.ids is None
    )


def _begun(lot: LotWindow, now: datetime) -> Text:
    if lot.ends_at is not None and lot.ends_at <= now:
        return text("The window of {lot} ended {at}.", lot=lot.id, at=lot.ends_at)
    return text("The window of {lot} began {at}.", lot=lot.id, at=lot.starts_at)


def promise(schedule: Schedule) -> Text:
    """What the sealed version promises, and nothing beyond the calendar."""
    if schedule.end_min is None:
        return text("This plan promises no end: not all of its essential steps can be placed.")
    end = hours_said(schedule.end_min)
    if schedule.window_min is None:
        return text("This plan promises an answer after {end}; no lot is named yet.", end=end)
    window = hours_said(schedule.window_min)
    if schedule.uncommitted_min is not None:
        return text(
            "This plan promises an answer {end} after the lot begins, inside a window of {window}, "
            "and leaves {free} uncommitted.",
            end=end,
            window=window,
            free=hours_said(schedule.uncommitted_min),
        )
    return text(
        "This plan ends {end} after the lot begins and exceeds its window of {window} by {over}.",
        end=end,
        window=window,
        over=hours_said(schedule.exceeds_min or 0),
    )


def offer_record(offer: Offer) -> dict[str, object]:
    """An offer as JSON; what is unknown is left out."""
    price, currency = offer.price_minor, offer.currency
    record = {
        "id": offer.id,
        "provider": offer.provider,
        "gpu": offer.gpu,
        "gpus": offer.gpus,
        "memory_gb": offer.memory_gb,
        "hours": offer.hours,
        "price": amount_text(price, currency) if price is not None and currency else None,
        "currency": currency,
        "source": offer.source,
        "valid_on": offer.valid_on.isoformat() if offer.valid_on else None,
    }
    return {key: value for key, value in record.items() if value is not None}


def offer_of(record: Mapping[str, Any]) -> Offer:
    """The offer that `offer_record` wrote."""
    price, currency = record.get("price"), record.get("currency")
    valid_on = record.get("valid_on")
    return Offer(
        id=record["id"],
        provider=record["provider"],
        gpu=record["gpu"],
        gpus=record["gpus"],
        memory_gb=record.get("memory_gb"),
        hours=record.get("hours"),
        price_minor=parse_amount(price, currency, strict=True) if price and currency else None,
        currency=currency,
        source=record["source"],
        valid_on=date.fromisoformat(valid_on) if valid_on else None,
    )


def _filled(lot: PlannedLot, offer: Offer | None, currency: str) -> PlannedLot:
    if offer is None:
        return lot
    price = lot.price_minor
    if price is None and offer.currency == currency:
        price = offer.price_minor
    return replace(
        lot, gpus=lot.gpus or offer.gpus, hours=lot.hours or offer.hours, price_minor=price
    )
