"""What a campaign cost and what came of it, in each currency apart.

Rent is never divided below what was accepted: with nothing accepted, or a price not known,
the ratio is undefined and says why. Currencies are never added, external expenses never mixed
with the rent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.budget.rules.expenses import KINDS, Expense
from app.deliverables.rules.standing import Acceptance, Rejection
from app.orders.rules import Order
from app.texts import Text, ntext, text
from app.units import Money, PerUnit, per_unit


@dataclass(frozen=True, slots=True)
class Terms:
    """What the plan says about counting: deliverables and units that it announces."""

    currency: str
    research_decision: bool
    announced: int
    announced_units: int


@dataclass(frozen=True, slots=True)
class CurrencyBudget:
    """One currency's figures in minor units; `committed_minor` None means no price is known."""

    currency: str
    committed_minor: int | None
    unpriced_lots: int
    external: tuple[tuple[str, int], ...]
    accepted: int
    unit_cost: PerUnit | None
    undefined: tuple[Text, ...]

    @property
    def committed_is_partial(self) -> bool:
        """Whether the committed rent is a lower bound."""
        return self.unpriced_lots > 0

    @property
    def committed_text(self) -> Text | Money:
        """The committed rent in words: exact, at least, or not known."""
        unpriced = ntext("{n} lot unpriced", "{n} lots unpriced", self.unpriced_lots)
        if self.committed_minor is None:
            return text("price not known, {unpriced}", unpriced=unpriced)
        committed = Money(self.committed_minor, self.currency)
        if self.committed_is_partial:
            return text("≥ {committed}, {unpriced}", committed=committed, unpriced=unpriced)
        return committed

    @property
    def committed_said(self) -> Text:
        """The same as part of a sentence."""
        unpriced = ntext("{n} lot unpriced", "{n} lots unpriced", self.unpriced_lots)
        if self.committed_minor is None:
            return text("rent not known ({unpriced})", unpriced=unpriced)
        committed = Money(self.committed_minor, self.currency)
        if self.committed_is_partial:
            return text(
                "≥ {committed} committed, {unpriced}", committed=committed, unpriced=unpriced
            )
        return text("{committed} committed", committed=committed)


@dataclass(frozen=True, slots=True)
class Budget:
    """All currencies of a campaign, and its result: one line, or one for each currency."""

    currencies: tuple[CurrencyBudget, ...]
    research_decision: bool
    accepted: int
    announced: int
    rejections: tuple[Rejection, ...]
    lines: tuple[Text, ...]

    @property
    def result(self) -> Text:
        """What came of the money, in one line."""
        first, *more = self.lines
        for line in more:
            first = text("{one}; {more}", one=first, more=line)
        return first


def budget(
    terms: Terms,
    orders: Sequence[Order],
    expenses: Sequence[Expense],
    acceptance: Acceptance,
    outcome: str | None = None,
) -> Budget:
    """The budget; `outcome` is that of a closed campaign, None while it is open."""
    stated = [terms.currency, *(o.currency for o in orders), *(e.currency for e in expenses)]
    currencies = tuple(
        _currency(currency, terms, orders, expenses, acceptance)
        for currency in dict.fromkeys(stated)
    )
    return Budget(
        currencies=currencies,
        research_decision=terms.research_decision,
        accepted=acceptance.accepted,
        announced=terms.announced,
        rejections=acceptance.rejections,
        lines=_lines(terms, currencies, acceptance, outcome),
    )


def _currency(
    currency: str,
    terms: Terms,
    orders: Iterable[Order],
    expenses: Iterable[Expense],
    acceptance: Acceptance,
) -> CurrencyBudget:
    mine = [order for order in orders if order.currency == currency and order.is_active]
    known = [net for order in mine if (net := order.net_minor) is not None]
    unpriced = sum(len(order.lots) for order in mine if order.net_minor is None)
    committed = sum(known) if known or not mine else None
    undefined = _undefined(terms, mine, unpriced, acceptance)
    cost = None
    if not undefined and committed is not None:
        cost = per_unit(committed, acceptance.accepted_units, currency)
    return CurrencyBudget(
        currency=currency,
        committed_minor=committed,
        unpriced_lots=unpriced,
        external=_external(currency, expenses),
        accepted=acceptance.accepted_units,
        unit_cost=cost,
        undefined=undefined,
    )


def _external(currency: str, expenses: Iterable[Expense]) -> tuple[tuple[str, int], ...]:
    """Net sum of each kind that has a row, in the order of the kinds."""
    sums: dict[str, int] = {}
    for row in expenses:
        if row.currency == currency:
            sums[row.kind] = sums.get(row.kind, 0) + row.amount_minor
    return tuple((kind, sums[kind]) for kind in KINDS if kind in sums)


def _undefined(
    terms: Terms, orders: Sequence[Order], unpriced: int, acceptance: Acceptance
) -> tuple[Text, ...]:
    """Why there is no cost of a unit; empty where there is one."""
    if terms.research_decision:
        return (text("a research decision has no unit: its conclusion stands in its place"),)
    why = []
    if not orders:
        why.append(text("no order in this currency"))
    if unpriced:
        why.append(ntext("{n} lot unpriced", "{n} lots unpriced", unpriced))
    if terms.announced_units == 0:
        why.append(text("the plan counts no deliverable as a unit"))
    elif acceptance.accepted_units == 0:
        why.append(text("no unit was accepted"))
    return tuple(why)


_OUTCOMES: dict[str | None, Text] = {
    None: text("still open"),
    "positive": text("positive"),
    "negative": text("negative"),
    "inconclusive": text("inconclusive"),
    "abandoned": text("abandoned"),
}


def _lines(
    terms: Terms,
    currencies: Sequence[CurrencyBudget],
    acceptance: Acceptance,
    outcome: str | None,
) -> tuple[Text, ...]:
    """What stands for the whole budget; a currency without rent is left out."""
    ordered = [one for one in currencies if one.committed_minor != 0] or currencies[:1]
    if not terms.research_decision:
        return tuple(_line(one) for one in ordered)
    return (
        text(
            "Conclusion: {conclusion} · {committed} · {accepted} of {announced} "
            "deliverables accepted",
            conclusion=_OUTCOMES[outcome],
            committed=tuple(one.committed_said for one in ordered),
            accepted=acceptance.accepted,
            announced=terms.announced,
        ),
    )


def _line(one: CurrencyBudget) -> Text:
    if one.unit_cost is None:
        return text(
            "{committed} · cost of a unit undefined: {reasons}",
            committed=one.committed_said,
            reasons=one.undefined,
        )
    return text(
        "{cost} of rent for each of {units} · {committed}",
        cost=cost_text(one.unit_cost),
        units=ntext("{n} accepted unit", "{n} accepted units", one.accepted),
        committed=one.committed_said,
    )


def cost_text(cost: PerUnit) -> Text | Money:
    """A unit's share of the rent, marked where it was rounded."""
    shown = Money(cost.minor, cost.currency)
    return text("{cost} (rounded)", cost=shown) if cost.rounded else shown
