"""What a campaign may commit in a currency. It is said before an order; it never stops a job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from app.orders.rules import Problem, reason_problem
from app.texts import Text, text
from app.units import CURRENCIES, MAX_MINOR, Money


@dataclass(frozen=True, slots=True)
class Limit:
    """The budget of one currency in minor units.

    `number` is that of the journal entry that set it; None for the one that the plan states.
    `amount_minor` is None where a budget was withdrawn.
    """

    currency: str
    amount_minor: int | None
    number: int | None = None
    reason: str | None = None
    set_at: datetime | None = None
    set_by: str | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """A currency's committed rent: `minor` is all that is known, `unpriced` counts the rest."""

    minor: int
    unpriced: int = 0


def in_force(currency: str, planned_minor: int | None, rows: Iterable[Limit]) -> tuple[Limit, ...]:
    """The budgets that count: the newest row of each currency, else the plan's in its currency."""
    found: dict[str, Limit] = {}
    if planned_minor is not None:
        found[currency] = Limit(currency, planned_minor)
    for row in rows:
        found[row.currency] = row
    return tuple(one for one in found.values() if one.amount_minor is not None)


def limit_problems(currency: str, amount_minor: int | None, reason: str) -> tuple[Problem, ...]:
    """What is wrong with a budget as it is set; None withdraws the one there was."""
    found = []
    if currency not in CURRENCIES:
        said = text("“{given}” is not a current currency code of ISO 4217.", given=currency)
        found.append(Problem("currency", said))
    if amount_minor is not None and not 0 <= amount_minor <= MAX_MINOR:
        found.append(Problem("amount", text("A budget is not negative.")))
    if problem := reason_problem(reason):
        found.append(problem)
    return tuple(found)


def left_minor(limit: Limit, committed: Committed) -> int:
    """What the known rent leaves of a budget, in minor units; below zero where it exceeds it."""
    return (limit.amount_minor or 0) - committed.minor


def warns(
    budgets: Iterable[Limit], committed: Mapping[str, Committed], more: Money | str
) -> Text | None:
    """What a budget has to say before an order; None while it holds, or where there is none.

    `more` is the price about to be committed, or its currency alone while the price is not known.
    External expenses are never part of it.
    """
    currency = more if isinstance(more, str) else more.currency
    limit = next((one for one in budgets if one.currency == currency), None)
    if limit is None or limit.amount_minor is None:
        return None
    before = committed.get(currency, Committed(0))
    added = 0 if isinstance(more, str) else more.minor
    after = Committed(before.minor + added, before.unpriced + isinstance(more, str))
    left, budget = left_minor(limit, after), Money(limit.amount_minor, currency)
    if left < 0:
        return text(
            "With this the committed rent is {total}: {over} more than the budget of {budget}.",
            total=Money(after.minor, currency),
            over=Money(-left, currency),
            budget=budget,
        )
    if after.unpriced:
        return text(
            "Whether the budget of {budget} holds is not known: a price is missing. "
            "The known prices leave {left}.",
            budget=budget,
            left=Money(left, currency),
        )
    return None
