"""Expenses, totals in each currency apart, and the exact cost of an accepted unit."""

from app.budget.rules.expenses import (
    KIND_NAMES,
    KINDS,
    Expense,
    NewExpense,
    correction_problem,
    differing,
    family,
    find_same,
    net_minor,
    problems,
)
from app.budget.rules.facts import as_json, expense_as_json
from app.budget.rules.result import (
    Budget,
    CurrencyBudget,
    Terms,
    budget,
    cost_text,
)

__all__ = [
    "KINDS", "KIND_NAMES", "Budget", "CurrencyBudget", "Expense", "NewExpense",
    "Terms", "as_json", "budget", "correction_problem", "cost_text", "differing",
    "expense_as_json", "family", "find_same", "net_minor", "problems",
]  # fmt: skip
