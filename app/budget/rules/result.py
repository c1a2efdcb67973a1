"""What a campaign cost and what came of it, in each currency apart.

Rent is never divided below what was accepted: with nothing accepted, or a price not known,
the ratio is undefined and says why. Currencies are never added, external expenses never mixed
with the rent, a tax never with other expenses. Figures of a closed campaign are those of its
close: what came later stands apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.budget.rules.expenses import KINDS, TAX, TAX_STATES, Expense
from app.budget.rules.limits import Committed, Limit, left_minor
from app.deliverables.rules.standing import Acceptance, Rejection
from app.orders.rules import Order, unstated
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
    """One currency's figures in minor units; `committed_minor` None means no price is known.

    `taxes` are sums by what the invoices say of them. `external_cost` is that of an accepted
    unit without taxes; None where nothing was charged or no unit was accepted.
    """

    currency: str
    committed_minor: int | None
    unpriced_lots: int
    external: tuple[tuple[str, int], ...]
    accepted: int
    unit_cost: PerUnit | None
    undefined: tuple[Text, ...]
    taxes: tuple[tuple[str | None, int], ...] = ()
    external_cost: PerUnit | None = None
    limit: Limit | None = None

    @property
    def untaxed_minor(self) -> int:
        """The external expenses without any tax."""
        return sum(minor for kind, minor in self.external if kind != TAX)

    @property
    def external_undefined(self) -> Text:
        """Why the external expenses are not divided by what was accepted."""
        if all(kind == TAX for kind, _ in self.external):
            return text("nothing was charged outside the lots")
        return text("no unit was accepted")

    @property
    def left_minor(self) -> int | None:
        """What the known rent leaves of the budget, below zero where it exceeds; None without."""
        if self.limit is None:
            return None
        return left_minor(self.limit, Committed(self.committed_minor or 0, self.unpriced_lots))

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
    conclusion: Text

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
    limits: Sequence[Limit] = (),
) -> Budget:
    """The budget; `outcome` is that of a closed campaign, None while it is open.

    Of a closed one the orders and expenses are as they were then (`until_close`).
    """
    stated = [row.currency for row in orders] + [row.currency for row in expenses]
    stated += [one.currency for one in limits]
    currencies = tuple(
        _currency(
            currency,
            terms,
            [order for order in orders if order.currency == currency],
            [row for row in expenses if row.currency == currency],
            acceptance,
            next((one for one in limits if one.currency == currency), None),
        )
        for currency in dict.fromkeys((terms.currency, *stated))
    )
    return Budget(
        currencies=currencies,
        research_decision=terms.research_decision,
        accepted=acceptance.accepted,
        announced=terms.announced,
        rejections=acceptance.rejections,
        lines=_lines(terms, currencies, acceptance, outcome),
        conclusion=_OUTCOMES[outcome],
    )


def until_close(
    orders: Iterable[Order], expenses: Iterable[Expense]
) -> tuple[tuple[Order, ...], tuple[Expense, ...]]:
    """The record without what came after the close."""
    return (
        tuple(
            replace(order, changes=tuple(row for row in order.changes if not row.after_close))
            for order in orders
        ),
        tuple(row for row in expenses if not row.after_close),
    )


def _currency(
    currency: str,
    terms: Terms,
    orders: Sequence[Order],
    expenses: Sequence[Expense],
    acceptance: Acceptance,
    limit: Limit | None,
) -> CurrencyBudget:
    """One currency's figures from its own orders and expenses."""
    mine = [order for order in orders if order.in_force]
    priced = any(order.price_now_minor is not None for order in mine)
    unpriced = sum(unstated(order) for order in mine)
    committed = sum(order.known_minor for order in mine) if priced or not mine else None
    undefined = _undefined(terms, orders, mine, unpriced, acceptance)
    units, cost = acceptance.accepted_units, None
    if not undefined and committed is not None:
        cost = per_unit(committed, units, currency)
    found = CurrencyBudget(
        currency=currency,
        committed_minor=committed,
        unpriced_lots=unpriced,
        external=_external(expenses),
        accepted=units,
        unit_cost=cost,
        undefined=undefined,
        taxes=_taxes(expenses),
        limit=limit,
    )
    if terms.research_decision or all(kind == TAX for kind, _ in found.external):
        return found  # a tax is what an invoice prints, and never divided
    return replace(found, external_cost=per_unit(found.untaxed_minor, units, currency))


def _taxes(expenses: Iterable[Expense]) -> tuple[tuple[str | None, int], ...]:
    """The sum of the taxes of each state that has a row; what no invoice states comes last."""
    sums: dict[str | None, int] = {}
    for row in expenses:
        if row.kind == TAX:
            sums[row.tax_state] = sums.get(row.tax_state, 0) + row.amount_minor
    return tuple((state, sums[state]) for state in (*TAX_STATES, None) if state in sums)


def _external(expenses: Iterable[Expense]) -> tuple[tuple[str, int], ...]:
    """Net sum of each kind that has a row, in the order of the kinds."""
    sums: dict[str, int] = {}
    for row in expenses:
        sums[row.kind] = sums.get(row.kind, 0) + row.amount_minor
    return tuple((kind, sums[kind]) for kind in KINDS if kind in sums)


def _undefined(
    terms: Terms,
    orders: Sequence[Order],
    mine: Sequence[Order],
    unpriced: int,
    acceptance: Acceptance,
) -> tuple[Text, ...]:
    """Why there is no cost of a unit; empty where there is one."""
    if terms.research_decision:
        return (text("a research decision has no unit: its conclusion stands in its place"),)
    why = []
    if not orders:
        why.append(text("no order in this currency"))
    elif not mine:
        why.append(text("no order in this currency counts"))
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
