"""Logging expenses, correcting them, setting budgets; the projections register here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime

from app.budget.commands import projections
from app.budget.commands.limits import set_limit
from app.budget.commands.outcome import Charged
from app.budget.queries import expenses_of
from app.budget.rules import (
    Expense,
    NewExpense,
    after_close_problem,
    correction_problem,
    differing,
    family,
    find_same,
    net_minor,
    problems,
)
from app.campaigns.commands import standing
from app.db import WriteSession
from app.errors import AppError, Closed, Conflict, NotFound
from app.journal import Actor, append
from app.orders.commands import refuse
from app.orders.rules import reason_problem
from app.texts import text

__all__ = [
    "Charged", "charge_expense", "correct_expense", "projections", "set_limit",
]  # fmt: skip


def charge_expense(
    tx: WriteSession, campaign_id: str, new: NewExpense, *, actor: Actor, now: datetime
) -> Charged | AppError:
    """Log an expense, a credit, or a row that corrects an earlier one.

    With a reference the identical expense again is the same one, a different one a conflict.
    A closed campaign still takes refunds and the rows of invoices: they are marked, and stand
    beside its closed figures.
    """
    closed = standing(tx, campaign_id) == "closed"
    if closed and (why := after_close_problem(new)):
        raise Closed(why)
    if found := problems(new):
        return refuse(found)
    known = expenses_of(tx.orm, campaign_id)
    same = find_same(known, new)
    if same is not None:
        differs = differing(same, new)
        return _differs(same, differs) if differs else Charged(same.number, False)
    if new.corrects is not None:
        refusal = _refuse_correction(new, new.corrects, known)
        if refusal is not None:
            return refusal
        first = next(row for row in known if row.number == new.corrects)
        new = replace(new, tax_state=first.tax_state, provider=first.provider)
    return Charged(_append(tx, campaign_id, new, closed, actor, now), True)


def correct_expense(
    tx: WriteSession,
    campaign_id: str,
    number: int,
    right_minor: int,
    charged_on: date,
    reason: str,
    *,
    actor: Actor,
    now: datetime,
) -> Charged | AppError:
    """Bring a charge to what it should be (0 takes it back) by a row with the difference.

    After the close only downwards.
    """
    closed = standing(tx, campaign_id) == "closed"
    if problem := reason_problem(reason):
        return refuse([problem])
    rows = family(expenses_of(tx.orm, campaign_id), number)
    if not rows or rows[0].number != number:
        return _unknown(number)
    first, left = rows[0], net_minor(rows)
    if right_minor == left:
        return Conflict(text("The charge says this amount already."), field="amount")
    new = NewExpense(
        first.kind, right_minor - left, first.currency, charged_on, note=reason,
        corrects=number, tax_state=first.tax_state, provider=first.provider,
    )  # fmt: skip
    if closed and (why := after_close_problem(new)):
        raise Closed(why)
    if found := problems(new):
        return refuse(found)
    if problem := correction_problem(new, rows):
        return Conflict(problem.text, field=problem.field)
    return Charged(_append(tx, campaign_id, new, closed, actor, now), True)


def _refuse_correction(new: NewExpense, number: int, known: Iterable[Expense]) -> AppError | None:
    rows = family(known, number)
    if not rows or rows[0].number != number:
        return _unknown(number)
    problem = correction_problem(new, rows)
    if problem is None:
        return None
    return Conflict(problem.text, field=problem.field, allowed=problem.allowed or None)


def _append(
    tx: WriteSession, campaign_id: str, new: NewExpense, closed: bool, actor: Actor, now: datetime
) -> int:
    payload = {
        "kind": new.kind,
        "amount_minor": new.amount_minor,
        "currency": new.currency,
        "charged_on": new.charged_on.isoformat(),
        "note": new.note,
        "reference": new.reference,
        "corrects": new.corrects,
        "tax_state": new.tax_state,
        "provider": new.provider,
        "after_close": closed,
    }
    return append(tx, campaign_id, "expense.charged", actor, payload, now).number


def _differs(row: Expense, fields: tuple[str, ...]) -> Conflict:
    said = text(
        "An expense with the reference {reference} is in the record with other facts.",
        reference=row.reference,
    )
    return Conflict(said, field=fields[0], expense=row.number, difference=list(fields))


def _unknown(number: int) -> NotFound:
    return NotFound(text("There is no expense {number} in this campaign.", number=str(number)))
