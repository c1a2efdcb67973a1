"""The budget as files for a person: every row as CSV or JSON, and the charges as FOCUS."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.budget.queries import csv_of, focus_of, whole_of
from app.budget.rules import (
    LEAVE_OUT,
    Expense,
    FocusChoice,
    FocusRefusal,
    by_invoice,
    focus_rows,
)
from app.deliverables.queries import acceptance
from app.errors import Conflict, NotFound
from app.orders.rules import Order
from app.texts import Text, ntext, text

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Downloads:
    """What a person must say before a FOCUS file, and what it will not hold.

    `name` is proposed for who charged what nobody named; None where nothing is asked.
    """

    csv: str
    json: str
    focus: str
    has_charges: bool
    by_invoice: bool
    name: str | None
    unpriced: str | None
    notes: tuple[Text, ...]


def downloads(campaign_id: str, orders: Iterable[Order], expenses: Iterable[Expense]) -> Downloads:
    """The files of a campaign, and the questions that FOCUS asks about its rows."""
    base = f"/campaigns/{campaign_id}"
    known = tuple(orders)
    listed = tuple(expenses)
    found = focus_rows(campaign_id, known, listed)
    whole = focus_rows(campaign_id, known, listed, charged_by="?")
    providers = {order.provider for order in known}
    notes = []
    if found.unpriced:
        notes.append(
            ntext(
                "{n} lot without a price is not in it: FOCUS has no word for what is not known.",
                "{n} lots without a price are not in it: FOCUS has no word for what is not known.",
                found.unpriced,
            )
        )
    if found.included_taxes:
        notes.append(
            ntext(
                "{n} tax is not in it, since the printed prices include it.",
                "{n} taxes are not in it, since the printed prices include them.",
                found.included_taxes,
            )
        )
    sole = next(iter(providers)) if len(providers) == 1 else ""
    return Downloads(
        csv=f"{base}/budget.csv",
        json=f"{base}/budget.json",
        focus=f"{base}/budget/focus.csv",
        has_charges=bool(whole.rows),
        by_invoice=all(by_invoice(whole.rows).values()),
        name=sole if found.unnamed else None,
        unpriced=LEAVE_OUT if found.unpriced else None,
        notes=tuple(notes),
    )


@router.get("/budget.csv")
def download_csv(request: Request, campaign_id: str) -> Response:
    """Every row of the money's record."""
    person(request)
    with request.app.state.db.read() as session:
        found = csv_of(session, campaign_id)
    if found is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    return _file(found, "text/csv; charset=utf-8", f"{campaign_id}-budget.csv")


@router.get("/budget.json")
def download_json(request: Request, campaign_id: str) -> Response:
    """The budget with every row that it is made of."""
    person(request)
    with request.app.state.db.read() as session:
        whole = whole_of(session, campaign_id, acceptance(session, campaign_id), clock.now())
    if whole is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    body = json.dumps(whole, ensure_ascii=False, indent=2)
    return _file(body, "application/json", f"{campaign_id}-budget.json")


@router.get("/budget/focus.csv")
def download_focus(
    request: Request,
    campaign_id: str,
    focus: Literal["1.2", "1.4"] = "1.2",
    invoices: Literal["with", "without"] | None = None,
    unpriced: Literal["leave_out"] | None = None,
    charged_by: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """The charges as FOCUS; a page that says what must be chosen where that was not said."""
    person(request)
    choice = FocusChoice(focus, invoices, unpriced, (charged_by or "").strip() or None)
    with request.app.state.db.read() as session:
        found = focus_of(session, campaign_id, choice)
    if found is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    if isinstance(found, FocusRefusal):
        raise Conflict(found.text, field=found.field, allowed=found.allowed or None)
    part = f"-{invoices}-invoice" if invoices else ""
    name = f"{campaign_id}-focus-{focus}{part}.csv"
    return _file(found, "text/csv; charset=utf-8", name)


def _file(body: str, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, media_type=kind, headers=headers)
