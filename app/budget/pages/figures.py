"""What is seen first: what was committed, what came of it, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.budget.rules import TAX_STATE_NAMES, Budget, CurrencyBudget, cost_text
from app.texts import Text, ntext, text
from app.units import Money


@dataclass(frozen=True, slots=True)
class Figure:
    """A labelled figure; `value` None is undefined, and `note` says why."""

    label: Text
    value: Text | Money | None
    note: Text | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one currency."""

    currency: str
    figures: tuple[Figure, ...]


def summaries(found: Budget) -> tuple[Summary, ...]:
    """A row of figures for each currency; what no currency divides stands in the first."""
    return tuple(
        Summary(one.currency, tuple(_figures(found, one, n == 0)))
        for n, one in enumerate(found.currencies)
    )


def _figures(found: Budget, one: CurrencyBudget, is_first: bool) -> Iterator[Figure]:
    yield Figure(text("Committed rent"), _committed(one), _budget_note(one))
    charged: Text | Money = text("none logged")
    if one.external:
        charged = Money(one.untaxed_minor, one.currency)
    yield Figure(text("External expenses"), charged, _taxes(one))
    if is_first:
        accepted = text("{accepted} of {all}", accepted=found.accepted, all=found.announced)
        yield Figure(text("Deliverables accepted"), accepted)
    if found.research_decision:
        if is_first:
            yield Figure(text("Conclusion"), found.conclusion)
        return
    cost = cost_text(one.unit_cost) if one.unit_cost else None
    note = ntext("{n} accepted unit", "{n} accepted units", one.accepted) if cost else None
    yield Figure(
        text("Rent for each accepted unit"), cost, note or text("{reason}", reason=one.undefined)
    )


def _committed(one: CurrencyBudget) -> Text | Money:
    """The known rent; a lower bound is marked as one."""
    if one.committed_minor is None:
        return text("not known")
    committed = Money(one.committed_minor, one.currency)
    return text("≥ {committed}", committed=committed) if one.committed_is_partial else committed


def _budget_note(one: CurrencyBudget) -> Text | None:
    if one.limit is None or one.limit.amount_minor is None or one.left_minor is None:
        return None
    budget = Money(one.limit.amount_minor, one.currency)
    if one.left_minor < 0:
        over = Money(-one.left_minor, one.currency)
        return text("{over} more than the budget of {budget}", over=over, budget=budget)
    left = Money(one.left_minor, one.currency)
    return text("{left} left of a budget of {budget}", left=left, budget=budget)


def _taxes(one: CurrencyBudget) -> Text | None:
    """The amounts alone; what the invoices say of each stands where the total opens."""
    taxes = tuple(Money(minor, one.currency) for _, minor in one.taxes)
    return text("tax apart: {taxes}", taxes=taxes) if taxes else None


def tax_sums(one: CurrencyBudget) -> tuple[Text, ...]:
    """The taxes of each state, which are never one sum."""
    return tuple(
        text("{amount} {state}", amount=Money(minor, one.currency), state=TAX_STATE_NAMES[state])
        for state, minor in one.taxes
    )


def unknown(found: Budget) -> tuple[Text, ...]:
    """Everything that the figures cannot say, a sentence each."""
    said: list[Text] = []
    for one in found.currencies:
        if one.unpriced_lots:
            said.append(
                ntext(
                    "{n} lot has no price yet: the rent in {currency} is more than what is known.",
                    "{n} lots have no price yet: the rent in {currency} is more than what is "
                    "known.",
                    one.unpriced_lots,
                    currency=one.currency,
                )
            )
        for state, minor in one.taxes:
            if state is None:
                said.append(
                    text(
                        "Whether the prices include the tax of {amount} is not stated.",
                        amount=Money(minor, one.currency),
                    )
                )
    return tuple(said)


def over_budget(currencies: Sequence[CurrencyBudget]) -> tuple[Text, ...]:
    """Each budget that the committed rent exceeds."""
    return tuple(
        text("In {currency}: {note}.", currency=one.currency, note=note)
        for one in currencies
        if (one.left_minor or 0) < 0 and (note := _budget_note(one)) is not None
    )
