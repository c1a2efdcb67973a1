"""The budget as scripts read it: amounts as text, fractions exact, unknown as null."""

from __future__ import annotations

from collections.abc import Iterable

from app.budget.rules.expenses import Expense
from app.budget.rules.hours import Spent
from app.budget.rules.later import Later
from app.budget.rules.limits import Limit
from app.budget.rules.result import Budget, CurrencyBudget
from app.units import PerUnit, amount_text, instant_text


def as_json(budget: Budget) -> dict[str, object]:
    """The answer of `GET …/budget`."""
    return {
        "currencies": [_currency(one) for one in budget.currencies],
        "research_decision": budget.research_decision,
        "deliverables": {"accepted": budget.accepted, "announced": budget.announced},
        "rejections": [
            {"deliverable": one.deliverable, "title": one.title, "reason": str(one.reason)}
            for one in budget.rejections
        ],
        "result": str(budget.result),
    }


def _currency(one: CurrencyBudget) -> dict[str, object]:
    committed = one.committed_minor
    reasons = "; ".join(str(reason) for reason in one.undefined)
    return {
        "currency": one.currency,
        "committed": None if committed is None else amount_text(committed, one.currency),
        "committed_is_partial": one.committed_is_partial,
        "unpriced_lots": one.unpriced_lots,
        "external": {kind: amount_text(minor, one.currency) for kind, minor in one.external},
        "tax": {state or "not_stated": amount_text(n, one.currency) for state, n in one.taxes},
        "accepted": one.accepted,
        "unit_cost": _unit_cost(one.unit_cost, reasons),
        "external_unit_cost": _unit_cost(one.external_cost, str(one.external_undefined)),
        "limit": limit_as_json(one.limit) if one.limit else None,
        "left": None if one.left_minor is None else amount_text(one.left_minor, one.currency),
    }


def limit_as_json(limit: Limit) -> dict[str, object]:
    """A budget; `number` null is the one that the plan states."""
    minor = limit.amount_minor
    return {
        "currency": limit.currency,
        "amount": None if minor is None else amount_text(minor, limit.currency),
        "number": limit.number,
        "reason": limit.reason,
        "set_at": instant_text(limit.set_at) if limit.set_at else None,
        "set_by": limit.set_by,
    }


def spent_as_json(spent: Spent) -> dict[str, object]:
    """Machine time in whole seconds, and the runs without a result."""
    return {
        "seconds": spent.total_s,
        "without_result_seconds": spent.without_result_s,
        "runs": [
            {"id": one.run, "status": one.status, "seconds": one.machine_s}
            for one in spent.without_result
        ],
    }


def after_close_as_json(found: Iterable[Later]) -> list[dict[str, object]]:
    """What came after the close, in each currency apart."""
    return [
        {
            "currency": one.currency,
            "rent": amount_text(one.rent_minor, one.currency),
            "external": amount_text(one.external_minor, one.currency),
            "rows": [change.number for _, change in one.rent] + [r.number for r in one.external],
        }
        for one in found
    ]


def _unit_cost(cost: PerUnit | None, reasons: str) -> dict[str, object]:
    """`value` is rounded half-even to the currency; the fraction is exact in its major unit."""
    return {
        "value": cost.text if cost else None,
        "numerator": cost.exact.numerator if cost else None,
        "denominator": cost.exact.denominator if cost else None,
        "rounded": cost.rounded if cost else False,
        "undefined_reason": None if cost else reasons,
    }


def expense_as_json(expense: Expense) -> dict[str, object]:
    """One item of `GET …/expenses`."""
    return {
        "number": expense.number,
        "kind": expense.kind,
        "amount": amount_text(expense.amount_minor, expense.currency),
        "currency": expense.currency,
        "charged_on": expense.charged_on.isoformat(),
        "note": expense.note,
        "reference": expense.reference,
        "corrects": expense.corrects,
        "tax_state": expense.tax_state,
        "provider": expense.provider,
        "after_close": expense.after_close,
        "logged_at": instant_text(expense.logged_at),
        "logged_by": expense.logged_by,
    }
