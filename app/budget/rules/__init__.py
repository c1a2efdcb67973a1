"""Expenses, totals in each currency apart, the exact cost of an accepted unit, and the files."""

from app.budget.rules.expenses import (
    KIND_NAMES,
    KINDS,
    TAX,
    TAX_STATE_NAMES,
    TAX_STATES,
    Expense,
    NewExpense,
    after_close_problem,
    correction_problem,
    differing,
    family,
    find_same,
    net_minor,
    problems,
    tax_said,
)
from app.budget.rules.exporting import LEAVE_OUT, FocusChoice, FocusRefusal, chosen_rows
from app.budget.rules.facts import (
    after_close_as_json,
    as_json,
    expense_as_json,
    limit_as_json,
    spent_as_json,
)
from app.budget.rules.focus import FocusRows, focus_rows
from app.budget.rules.focus_file import (
    FocusProblem,
    by_invoice,
    focus_problems,
    of_version,
    write_focus,
)
from app.budget.rules.focus_terms import VERSIONS
from app.budget.rules.hours import RunTime, Spent, TimeShare, share_of_time, spent
from app.budget.rules.later import Later, later
from app.budget.rules.limits import (
    Committed,
    Limit,
    in_force,
    left_minor,
    limit_problems,
    warns,
)
from app.budget.rules.records import Record, records, write_csv
from app.budget.rules.result import (
    Budget,
    CurrencyBudget,
    Terms,
    budget,
    cost_text,
    until_close,
)

__all__ = [
    "KINDS", "KIND_NAMES", "LEAVE_OUT", "TAX", "TAX_STATES", "TAX_STATE_NAMES", "VERSIONS",
    "Budget", "Committed", "CurrencyBudget", "Expense", "FocusChoice", "FocusProblem",
    "FocusRefusal", "FocusRows", "Later", "Limit", "NewExpense", "Record", "RunTime", "Spent",
    "Terms", "TimeShare", "after_close_as_json", "after_close_problem", "as_json", "budget",
    "by_invoice", "chosen_rows", "correction_problem", "cost_text", "differing",
    "expense_as_json", "family", "find_same", "focus_problems", "focus_rows", "in_force",
    "later", "left_minor", "limit_as_json", "limit_problems", "net_minor", "of_version",
    "problems", "records", "share_of_time", "spent", "spent_as_json", "tax_said", "until_close",
    "warns", "write_csv", "write_focus",
]  # fmt: skip
