"""The budget for scripts, and logging the expenses that belong to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from app import clock
from app.accounts.access import person
from app.budget.api import files
from app.budget.api.models import (
    BudgetAnswer,
    ChargedAnswer,
    CorrectionBody,
    ExpenseAnswer,
    ExpenseBody,
    ExpensesAnswer,
    HeadAnswer,
    LimitBody,
    LimitSetAnswer,
)
from app.budget.commands import Charged, charge_expense, correct_expense, set_limit
from app.budget.queries import expenses_of, ledger_of, limits_of, spent_of
from app.budget.rules import (
    Limit,
    NewExpense,
    after_close_as_json,
    as_json,
    expense_as_json,
    limit_as_json,
    spent_as_json,
)
from app.campaigns.queries import header
from app.db import WriteSession
from app.deliverables.queries import acceptance
from app.errors import AppError, Malformed, NotFound
from app.journal import read_head
from app.orders.rules import say_why
from app.texts import text
from app.units import Reason, UnitError, parse_amount

router = APIRouter(prefix="/api/v1/campaigns/{campaign_id}", tags=["budget"])
router.include_router(files.router)

_OF_CURRENCY = (Reason.UNKNOWN_CURRENCY, Reason.NO_MINOR_UNIT)


@router.get("/budget")
def get_budget(request: Request, campaign_id: str) -> BudgetAnswer:
    """What is committed, what was charged beside it, what an accepted unit cost."""
    person(request)
    with request.app.state.db.read() as session:
        found = ledger_of(session, campaign_id, acceptance(session, campaign_id))
        machine = spent_of(session, campaign_id, clock.now())
    if found is None:
        raise _unknown(campaign_id)
    shown = {
        **as_json(found.budget),
        "machine_time": spent_as_json(machine),
        "after_close": after_close_as_json(found.later),
    }
    return BudgetAnswer.model_validate(shown)


@router.post("/budget", status_code=201)
def post_limit(
    request: Request, response: Response, campaign_id: str, body: LimitBody
) -> LimitSetAnswer:
    """Set the budget of a currency: 201; 200 for the one there is. It never stops a job."""
    actor, now = person(request), clock.now()
    minor = None if body.amount is None else _amount(body.amount, body.currency)
    said: Charged = request.app.state.db.write(
        campaign_id,
        lambda tx: set_limit(
            tx, campaign_id, body.currency, minor, body.reason, actor=actor, now=now
        ),
    )
    if not said.is_new:
        response.status_code = 200
    with request.app.state.db.read() as session:
        known = limits_of(session, campaign_id)
        head = read_head(session, campaign_id)
    limit = next(
        (one for one in known if one.currency == body.currency),
        Limit(body.currency, None, said.number, body.reason, now, actor.name),
    )
    shown = HeadAnswer(number=head.number, sha256=head.sha256)
    return LimitSetAnswer.model_validate({**limit_as_json(limit), "head": shown})


@router.get("/expenses")
def list_expenses(
    request: Request,
    campaign_id: str,
    after: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> ExpensesAnswer:
    """The expenses in the order they were logged, with credits and corrections."""
    person(request)
    with request.app.state.db.read() as session:
        if header(session, campaign_id) is None:
            raise _unknown(campaign_id)
        found = [row for row in expenses_of(session, campaign_id) if row.number > after]
    items = found[:limit]
    return ExpensesAnswer(
        items=[ExpenseAnswer.model_validate(expense_as_json(row)) for row in items],
        next=items[-1].number if len(found) > limit else None,
    )


@router.post("/expenses", status_code=201)
def post_expense(
    request: Request, response: Response, campaign_id: str, body: ExpenseBody
) -> ChargedAnswer:
    """Log an expense: 201; 200 for the same reference with the same facts, else 409."""
    actor, now = person(request), clock.now()
    new = NewExpense(
        kind=body.kind,
        amount_minor=_amount(body.amount, body.currency),
        currency=body.currency,
        charged_on=body.charged_on,
        note=body.note,
        reference=body.reference,
        corrects=body.corrects,
        tax_state=body.tax_state,
        provider=body.provider,
    )
    return _write(
        request,
        response,
        campaign_id,
        lambda tx: charge_expense(tx, campaign_id, new, actor=actor, now=now),
    )


@router.post("/expenses/{number}/correct", status_code=201)
def post_correction(
    request: Request, response: Response, campaign_id: str, number: int, body: CorrectionBody
) -> ChargedAnswer:
    """Bring a charge to what it should be, by a row with the difference."""
    actor, now = person(request), clock.now()
    with request.app.state.db.read() as session:
        rows = expenses_of(session, campaign_id)
    charge = next((row for row in rows if row.number == number), None)
    if charge is None:
        raise NotFound(text("There is no expense {number} in this campaign.", number=str(number)))
    right = _amount(body.amount, charge.currency)
    return _write(
        request,
        response,
        campaign_id,
        lambda tx: correct_expense(
            tx, campaign_id, number, right, body.charged_on, body.reason, actor=actor, now=now
        ),
    )


def _amount(value: object, currency: str) -> int:
    try:
        return parse_amount(value, currency, strict=True, signed=True)
    except UnitError as error:
        field = "currency" if error.reason in _OF_CURRENCY else "amount"
        raise Malformed(say_why(error), field=field, allowed=error.candidates or None) from None


def _write(
    request: Request,
    response: Response,
    campaign_id: str,
    command: Callable[[WriteSession], Charged | AppError],
) -> ChargedAnswer:
    charged: Charged = request.app.state.db.write(campaign_id, command)
    if not charged.is_new:
        response.status_code = 200
    with request.app.state.db.read() as session:
        rows = expenses_of(session, campaign_id)
        head = read_head(session, campaign_id)
    (row,) = (row for row in rows if row.number == charged.number)
    shown = HeadAnswer(number=head.number, sha256=head.sha256)
    return ChargedAnswer.model_validate({**expense_as_json(row), "head": shown})


def _unknown(campaign_id: str) -> NotFound:
    return NotFound(text("There is no campaign {id}.", id=campaign_id))
