"""The pages of the budget: the whole of it with a form for a charge, and a charge's correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.budget.commands import Charged, charge_expense, correct_expense
from app.budget.pages.contexts import budget_page, correction_page
from app.budget.pages.entry import (
    ExpenseEntry,
    blank,
    correction,
    read_correction,
    read_expense,
)
from app.budget.queries import Ledger, ledger_of
from app.budget.rules import Expense, family, net_minor
from app.deliverables.queries import acceptance
from app.errors import Closed, Conflict, Malformed, NotFound
from app.texts import text
from app.timeline.queries import frame
from app.web import Form, Frame, page, read_form, redirect

router = APIRouter(prefix="/campaigns/{campaign_id}/budget", include_in_schema=False)

Typed = Annotated[Form, Depends(read_form)]


@dataclass(frozen=True, slots=True)
class _View:
    frame: Frame
    ledger: Ledger

    def refuse_closed(self) -> None:
        """Raise `Closed` for a campaign that takes no more writes."""
        if self.frame.state == "closed":
            raise Closed(text("This campaign was closed. Its record is not changed any more."))

    def charge(self, number: int) -> tuple[Expense, ...]:
        """A charge and its corrections; raises `NotFound`."""
        rows = family(self.ledger.expenses, number)
        if not rows or rows[0].corrects is not None:
            said = text("There is no expense {number} in this campaign.", number=str(number))
            raise NotFound(said)
        return rows


@router.get("")
def show_budget(request: Request, campaign_id: str) -> Response:
    """Rent, external expenses and what an accepted unit cost, each currency apart."""
    view = _view(request, campaign_id)
    currency = view.ledger.budget.currencies[0].currency
    return _budget(request, view, blank(currency, view.frame.zone, clock.now()))


@router.post("")
def charge(request: Request, campaign_id: str, form: Typed) -> Response:
    """Log an expense as it was typed."""
    actor, now, view = person(request), clock.now(), _view(request, campaign_id)
    view.refuse_closed()
    entry, new = read_expense(form)
    if new is None:
        return _budget(request, view, entry, status=422)
    try:
        charged: Charged = request.app.state.db.write(
            campaign_id, lambda tx: charge_expense(tx, campaign_id, new, actor=actor, now=now)
        )
    except (Malformed, Conflict) as refusal:
        if isinstance(refusal, Closed):
            raise
        entry.take(refusal)
        return _budget(request, view, entry, status=refusal.status)
    said = text("Expense logged.") if charged.is_new else text("This expense was logged before.")
    return redirect(request, f"/campaigns/{campaign_id}/budget", said)


@router.get("/expenses/{number}/correct")
def show_correction(request: Request, campaign_id: str, number: int) -> Response:
    """A charge with its rows, to be brought to what it should be."""
    view = _view(request, campaign_id)
    view.refuse_closed()
    rows = view.charge(number)
    entry = correction(net_minor(rows), rows[0].currency, view.frame.zone, clock.now())
    return _correction(request, view, rows, entry)


@router.post("/expenses/{number}/correct")
def correct(request: Request, campaign_id: str, number: int, form: Typed) -> Response:
    """Log the row that brings a charge to what it should be."""
    actor, now, view = person(request), clock.now(), _view(request, campaign_id)
    view.refuse_closed()
    rows = view.charge(number)
    entry, said = read_correction(form, rows[0].currency)
    if said is None:
        return _correction(request, view, rows, entry, status=422)
    right, day = said
    try:
        request.app.state.db.write(
            campaign_id,
            lambda tx: correct_expense(
                tx, campaign_id, number, right, day, entry.get("reason"), actor=actor, now=now
            ),
        )
    except (Malformed, Conflict) as refusal:
        if isinstance(refusal, Closed):
            raise
        entry.take(refusal)
        return _correction(request, view, rows, entry, status=refusal.status)
    return redirect(request, f"/campaigns/{campaign_id}/budget", text("The charge is corrected."))


def _view(request: Request, campaign_id: str) -> _View:
    with request.app.state.db.read() as session:
        around = frame(session, campaign_id, clock.now())
        ledger = ledger_of(session, campaign_id, acceptance(session, campaign_id))
    if around is None or ledger is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    return _View(around, ledger)


def _budget(request: Request, view: _View, entry: ExpenseEntry, *, status: int = 200) -> Response:
    shown = None if view.frame.state == "closed" else entry
    context = budget_page(view.ledger, view.frame.id, view.frame.zone, shown)
    return page(request, "budget/index.html", context, frame=view.frame, status=status)


def _correction(
    request: Request,
    view: _View,
    rows: tuple[Expense, ...],
    entry: ExpenseEntry,
    *,
    status: int = 200,
) -> Response:
    context = correction_page(rows, view.frame.id, entry)
    title = text("Correct an expense")
    return page(
        request, "budget/correct.html", context, frame=view.frame, title=title, status=status
    )
