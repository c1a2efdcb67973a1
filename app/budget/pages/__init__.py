"""The pages of the budget: the whole of it with a form for a charge, and a charge's correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.budget.commands import Charged, charge_expense, correct_expense, set_limit
from app.budget.pages import downloads
from app.budget.pages.contexts import budget_page, correction_page
from app.budget.pages.entry import (
    ExpenseEntry,
    LimitEntry,
    blank,
    blank_limit,
    correction,
    read_correction,
    read_expense,
    read_limit,
)
from app.budget.queries import Ledger, ledger_of, spent_of
from app.budget.rules import Expense, Spent, family, net_minor
from app.deliverables.queries import standings
from app.deliverables.rules.standing import DeliverableStanding, acceptance
from app.errors import AppError, Closed, Conflict, Malformed, NotFound
from app.plan.queries import current
from app.texts import text
from app.timeline.queries import frame
from app.web import Form, Frame, page, read_form, redirect

router = APIRouter(prefix="/campaigns/{campaign_id}", include_in_schema=False)
router.include_router(downloads.router)

Typed = Annotated[Form, Depends(read_form)]


@dataclass(frozen=True, slots=True)
class _View:
    frame: Frame
    ledger: Ledger
    delivered: tuple[DeliverableStanding, ...]
    machine: Spent

    @property
    def currency(self) -> str:
        """The one that forms propose."""
        return self.ledger.budget.currencies[0].currency

    @property
    def blank(self) -> ExpenseEntry:
        """An empty form of a charge."""
        return blank(self.currency, self.frame.zone, clock.now())

    def charge(self, number: int) -> tuple[Expense, ...]:
        """A charge and its corrections; raises `NotFound`."""
        rows = family(self.ledger.expenses, number)
        if not rows or rows[0].corrects is not None:
            said = text("There is no expense {number} in this campaign.", number=str(number))
            raise NotFound(said)
        return rows


@router.get("/budget")
def show_budget(request: Request, campaign_id: str) -> Response:
    """Rent, external expenses and what an accepted unit cost, each currency apart."""
    return _budget(request, _view(request, campaign_id))


@router.post("/budget")
def charge(request: Request, campaign_id: str, form: Typed) -> Response:
    """Log an expense as it was typed."""
    actor, now, view = person(request), clock.now(), _view(request, campaign_id)
    entry, new = read_expense(form)
    if new is None:
        return _budget(request, view, entry, status=422)
    try:
        charged: Charged = request.app.state.db.write(
            campaign_id, lambda tx: charge_expense(tx, campaign_id, new, actor=actor, now=now)
        )
    except (Malformed, Conflict) as refusal:
        _take(entry, refusal, "reference")
        return _budget(request, view, entry, status=refusal.status)
    said = text("Expense logged.") if charged.is_new else text("This expense was logged before.")
    return redirect(request, f"/campaigns/{campaign_id}/budget", said)


@router.post("/budget/limit")
def budget_limit(request: Request, campaign_id: str, form: Typed) -> Response:
    """Set the budget of a currency, or withdraw it with an empty amount."""
    actor, now, view = person(request), clock.now(), _view(request, campaign_id)
    entry, said = read_limit(form)
    if said is None:
        return _budget(request, view, limit=entry, status=422)
    currency, minor = said
    try:
        request.app.state.db.write(
            campaign_id,
            lambda tx: set_limit(
                tx, campaign_id, currency, minor, entry.get("limit_reason"), actor=actor, now=now
            ),
        )
    except (Malformed, Conflict) as refusal:
        if isinstance(refusal, Closed):
            raise
        entry.take(refusal)
        return _budget(request, view, limit=entry, status=refusal.status)
    done = text("Budget set.") if minor is not None else text("Budget withdrawn.")
    return redirect(request, f"/campaigns/{campaign_id}/budget", done)


@router.get("/budget/expenses/{number}/correct")
def show_correction(request: Request, campaign_id: str, number: int) -> Response:
    """A charge with its rows, to be brought to what it should be."""
    view = _view(request, campaign_id)
    rows = view.charge(number)
    entry = correction(net_minor(rows), rows[0].currency, view.frame.zone, clock.now())
    return _correction(request, view, rows, entry)


@router.post("/budget/expenses/{number}/correct")
def correct(request: Request, campaign_id: str, number: int, form: Typed) -> Response:
    """Log the row that brings a charge to what it should be."""
    actor, now, view = person(request), clock.now(), _view(request, campaign_id)
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
        _take(entry, refusal, "amount")
        return _correction(request, view, rows, entry, status=refusal.status)
    return redirect(request, f"/campaigns/{campaign_id}/budget", text("The charge is corrected."))


def _take(entry: ExpenseEntry, refusal: AppError, field: str) -> None:
    """A refusal at its field; that of a closed campaign at the one which would be right."""
    if isinstance(refusal, Closed):
        entry.refuse(field, refusal.detail)
    else:
        entry.take(refusal)


def _view(request: Request, campaign_id: str) -> _View:
    with request.app.state.db.read() as session:
        around = frame(session, campaign_id, clock.now())
        plan = current(session, campaign_id)
        delivered = standings(session, campaign_id, plan.plan if plan else None)
        ledger = ledger_of(session, campaign_id, acceptance(delivered), plan)
        machine = spent_of(session, campaign_id, clock.now())
    if around is None or ledger is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    return _View(around, ledger, delivered, machine)


def _budget(
    request: Request,
    view: _View,
    entry: ExpenseEntry | None = None,
    limit: LimitEntry | None = None,
    *,
    status: int = 200,
) -> Response:
    ledger, of = view.ledger, view.frame
    first = next((one for one in ledger.limits if one.currency == view.currency), None)
    entries = (entry or view.blank, limit or blank_limit(view.currency, first))
    files = downloads.downloads(of.id, ledger.orders, ledger.expenses)
    context = budget_page(
        ledger, of.id, of.zone, view.delivered, view.machine, files, entries, of.state != "closed"
    )
    return page(request, "budget/index.html", context, frame=of, status=status)


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
