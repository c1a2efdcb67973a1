"""The budget as files: every row as CSV or JSON, and the charges as FOCUS."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from app import clock
from app.accounts.access import person
from app.budget.queries import csv_of, focus_of, whole_of
from app.budget.rules import (
    FocusChoice,
    FocusRefusal,
)
from app.deliverables.queries import acceptance
from app.errors import Conflict, NotFound
from app.texts import text

router = APIRouter()


@router.get(
    "/budget/export",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}, "application/json": {}}}},
)
def export_budget(
    request: Request,
    campaign_id: str,
    format: Literal["csv", "json", "focus"] = "csv",
    focus: Literal["1.2", "1.4"] = "1.2",
    invoices: Literal["with", "without"] | None = None,
    unpriced: Literal["leave_out"] | None = None,
    charged_by: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """Every row of the record, or its charges as FOCUS: 409 says what must be chosen first.

    `invoices` asks for one of two files where some charges belong to an invoice; `unpriced`
    leaves out what has no price; `charged_by` names who charged what nobody named.
    """
    person(request)
    with request.app.state.db.read() as session:
        found: dict[str, object] | str | FocusRefusal | None
        if format == "csv":
            found = csv_of(session, campaign_id)
        elif format == "json":
            counted = acceptance(session, campaign_id)
            found = whole_of(session, campaign_id, counted, clock.now())
        else:
            choice = FocusChoice(focus, invoices, unpriced, (charged_by or "").strip() or None)
            found = focus_of(session, campaign_id, choice)
    if found is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    if isinstance(found, FocusRefusal):
        raise Conflict(found.text, field=found.field, allowed=found.allowed or None)
    if isinstance(found, dict):
        return JSONResponse(found)
    return Response(found, media_type="text/csv; charset=utf-8")
