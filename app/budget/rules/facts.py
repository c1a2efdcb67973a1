"""The budget as scripts read it: amounts as text, fractions exact, unknown as null."""

from __future__ import annotations

from app.budget.rules.expenses import Expense
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
        "accepted": one.accepted,
        "unit_cost": _unit_cost(one.unit_cost, reasons),
    }


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
        "logged_at": instant_text(expense.logged_at),
        "logged_by": expense.logged_by,
    }
