"""The paste box: a confirmation mail or a provider's JSON becomes the ordinary order form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.errors import Closed, Conflict, Malformed
from app.orders.commands import Logged, OrderDiffers, log_order
from app.orders.pages.contexts import about_lot
from app.orders.pages.entry import OrderEntry, is_rearranged, read_entry, typed
from app.orders.pages.filled_in import prefilled
from app.orders.pages.listing import said_of
from app.orders.pages.pasted import (
    Question,
    answered,
    filled,
    planned_lot,
    questions,
    refuse_unanswered,
    tell,
)
from app.orders.pages.reading import View, view_of
from app.orders.rules import Source
from app.orders.rules.pasting import Pasted, read_paste
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter(prefix="/campaigns/{campaign_id}/orders")

Typed = Annotated[Form, Depends(read_form)]
READ = "read"
NOTHING = text(
    "Nothing of an order was found in this text. Fill in the form by hand: the text is kept with "
    "the order."
)


@dataclass(frozen=True, slots=True)
class PastePage:
    """The box and, once it was read, the form with what the text says; `entry` is None before.

    `kept` are the lines as they are kept, each with its number.
    """

    base: str
    pasted: str
    problem: Text | None = None
    entry: OrderEntry | None = None
    about: Text | None = None
    questions: tuple[Question, ...] = ()
    remarks: tuple[Text, ...] = ()
    kept: str = ""
    conflict: Text | None = None
    conflict_href: str | None = None


@router.get("/paste")
def show_box(request: Request, campaign_id: str) -> Response:
    """The empty box."""
    view = view_of(request, campaign_id)
    view.refuse_closed()
    return _page(request, view, "")


@router.post("/paste")
def paste(request: Request, campaign_id: str, form: Typed) -> Response:
    """Read the box into the form, or log the order that the form says."""
    view = view_of(request, campaign_id)
    view.refuse_closed()
    raw = form.values.get("pasted", "")
    if not raw.strip():
        said = text("Paste the confirmation, or what the provider's command line printed.")
        return _page(request, view, raw, problem=said, status=422)
    pasted = read_paste(raw, view.frame.zone, clock.now(), view.currency)
    if pasted.problem is not None:
        return _page(request, view, raw, problem=pasted.problem, status=422)
    if form.get("action") == READ or "reference" not in form.values:
        return _read(request, view, form, pasted)
    shown = Form(answered(form, pasted, view.frame.zone))
    if is_rearranged(form):
        entry = typed(shown.values, view.open_lots, view.frame.zone)
        return _preview(request, view, form, pasted, entry)
    return _log(request, view, form, shown, pasted)


def _read(request: Request, view: View, form: Form, pasted: Pasted) -> Response:
    """The form with what the text says; what was typed for the rest stays."""
    plan = _planned(view)
    made = {**plan, **form.values}
    values = filled(
        {name: made[name] for name in made if name != "action"}, pasted, view.frame.zone
    )
    entry = typed(values, view.open_lots, view.frame.zone)
    entry.values["lot"] = planned_lot(entry, view.open_lots)
    return _preview(request, view, Form(values), pasted, entry)


def _log(request: Request, view: View, form: Form, shown: Form, pasted: Pasted) -> Response:
    campaign_id = view.frame.id
    actor, now = person(request), clock.now()
    entry, new = read_entry(shown, view.open_lots, view.frame.zone)
    refuse_unanswered(form, pasted, entry)
    if new is None or entry.errors:
        return _preview(request, view, form, pasted, entry, status=422)
    said = replace(new, source=Source("paste", pasted.sha256, pasted.kept))
    try:
        logged: Logged = request.app.state.db.write(
            campaign_id, lambda tx: log_order(tx, campaign_id, said, actor=actor, now=now)
        )
    except OrderDiffers as refusal:
        href = f"/campaigns/{campaign_id}/orders/{refusal.order.number}/correct"
        conflict = (refusal.detail, href)
        return _preview(request, view, form, pasted, entry, conflict=conflict, status=409)
    except (Malformed, Conflict) as refusal:
        if isinstance(refusal, Closed):
            raise
        entry.take(refusal)
        return _preview(request, view, form, pasted, entry, status=refusal.status)
    done = said_of(view_of(request, campaign_id), logged, said)
    return redirect(request, f"/campaigns/{campaign_id}/orders", done)


def _planned(view: View) -> Mapping[str, str]:
    """What the plan says of its next lot; a start that was never planned is not proposed here."""
    lot = view.open_lots[0] if view.open_lots else None
    entry = prefilled(lot, view.open_lots, view.frame.zone, view.currency, clock.now())
    if entry.proposed_start:
        return {**entry.values, "starts": "", "ends": ""}
    return entry.values


def _preview(
    request: Request,
    view: View,
    form: Form,
    pasted: Pasted,
    entry: OrderEntry,
    *,
    conflict: tuple[Text, str] | None = None,
    status: int = 200,
) -> Response:
    tell(entry, pasted, _planned(view))
    raw = form.values.get("pasted", "")
    nothing = not pasted.found and not pasted.asked
    lines = enumerate(pasted.kept.rstrip("\n").split("\n"), start=1)
    context = PastePage(
        base=_base(view),
        pasted=raw,
        entry=entry,
        about=_about(view, entry),
        questions=questions(form, pasted, entry),
        remarks=(*pasted.remarks, *((NOTHING,) if nothing else ())),
        kept="\n".join(f"{number:>4}  {line}" for number, line in lines),
        conflict=conflict[0] if conflict else None,
        conflict_href=conflict[1] if conflict else None,
    )
    return _render(request, view, context, status)


def _about(view: View, entry: OrderEntry) -> Text | None:
    lot = next((lot for lot in view.open_lots if lot.id == entry.get("lot")), None)
    return None if lot is None else about_lot(lot)


def _page(
    request: Request, view: View, raw: str, *, problem: Text | None = None, status: int = 200
) -> Response:
    context = PastePage(base=_base(view), pasted=raw, problem=problem)
    return _render(request, view, context, status)


def _base(view: View) -> str:
    return f"/campaigns/{view.frame.id}/orders"


def _render(request: Request, view: View, context: PastePage, status: int) -> Response:
    title = text("Order from a pasted text")
    return page(request, "orders/paste.html", context, frame=view.frame, title=title, status=status)
