"""The budget for scripts, and logging the expenses that belong to it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, StrictInt, WithJsonSchema

from app import clock
from app.accounts.access import person
from app.budget.commands import Charged, charge_expense, correct_expense
from app.budget.queries import budget_of, expenses_of
from app.budget.rules import NewExpense, as_json, expense_as_json
from app.campaigns.queries import header
from app.db import WriteSession
from app.deliverables.queries import acceptance
from app.errors import AppError, Malformed, NotFound
from app.journal import read_head
from app.orders.rules import say_why
from app.texts import text
from app.units import Reason, UnitError, parse_amount

router = APIRouter(prefix="/api/v1/campaigns/{campaign_id}", tags=["budget"])

AmountText = Annotated[
    object, WithJsonSchema({"type": "string", "examples": ["12.00", "-2.50"]}, mode="validation")
]
_OF_CURRENCY = (Reason.UNKNOWN_CURRENCY, Reason.NO_MINOR_UNIT)


class ExpenseBody(BaseModel):
    """A charge; below zero a credit. `corrects` is the number of the charge that it changes."""

    model_config = ConfigDict(extra="forbid")

    kind: str
    amount: AmountText
    currency: str
    charged_on: date
    note: str | None = None
    reference: str | None = None
    corrects: StrictInt | None = None


class CorrectionBody(BaseModel):
    """What a charge should be ("0.00" takes it back), and why."""

    model_config = ConfigDict(extra="forbid")

    amount: AmountText
    charged_on: date
    reason: str


class UnitCost(BaseModel):
    """The exact share of rent of an accepted unit; `value` is rounded half-even for display."""

    value: str | None
    numerator: int | None
    denominator: int | None
    rounded: bool
    undefined_reason: str | None


class CurrencyAnswer(BaseModel):
    """One currency; `committed` is null where no price is known, a lower bound where partial."""

    currency: str
    committed: str | None
    committed_is_partial: bool
    unpriced_lots: int
    external: dict[str, str]
    accepted: int
    unit_cost: UnitCost


class DeliverablesAnswer(BaseModel):
    """How many deliverables are accepted, of those announced."""

    accepted: int
    announced: int


class RejectionAnswer(BaseModel):
    """A deliverable that was submitted and is not accepted, and why."""

    deliverable: str
    title: str
    reason: str


class BudgetAnswer(BaseModel):
    """The budget; currencies are never added together."""

    currencies: list[CurrencyAnswer]
    research_decision: bool
    deliverables: DeliverablesAnswer
    rejections: list[RejectionAnswer]
    result: str


class ExpenseAnswer(BaseModel):
    """One row of the expenses."""

    number: int
    kind: str
    amount: str
    currency: str
    charged_on: str
    note: str | None
    reference: str | None
    corrects: int | None
    logged_at: str
    logged_by: str


class ExpensesAnswer(BaseModel):
    """A page of expenses; pass `next` as `after` for the following one."""

    items: list[ExpenseAnswer]
    next: int | None


class HeadAnswer(BaseModel):
    """The newest entry of the campaign's journal."""

    number: int
    sha256: str


class ChargedAnswer(ExpenseAnswer):
    """The row, and the head of the journal."""

    head: HeadAnswer


@router.get("/budget")
def get_budget(request: Request, campaign_id: str) -> BudgetAnswer:
    """What is committed, what was charged beside it, what an accepted unit cost."""
    person(request)
    with request.app.state.db.read() as session:
        found = budget_of(session, campaign_id, acceptance(session, campaign_id))
    if found is None:
        raise _unknown(campaign_id)
    return BudgetAnswer.model_validate(as_json(found))


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
