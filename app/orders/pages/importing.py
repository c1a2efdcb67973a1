"""Orders from a CSV file: what each row becomes, then all of them or none."""

from __future__ import annotations

import codecs
import hashlib
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import person
from app.errors import Closed, Conflict, Malformed
from app.offers.queries import catalogue
from app.orders.commands import Logged
from app.orders.commands.importing import log_orders
from app.orders.pages.reading import View, view_of
from app.orders.rules.csv_plan import Act, PlannedOrder, plan_orders, sum_of, template
from app.orders.rules.csv_rows import COLUMNS, NEEDED, RowProblem, Sheet, read_csv
from app.texts import Text, text
from app.units import Money
from app.web import Form, page, read_form, redirect

router = APIRouter(prefix="/campaigns/{campaign_id}/orders")

Typed = Annotated[Form, Depends(read_form)]
TAKE = "take"
LISTED = 200
MOVED = text("The file or the record changed since it was shown. Look at it again.")
ACTS = {
    Act.LOG: text("is logged"),
    Act.KEEP: text("is in the record already"),
    Act.REFUSE: text("is refused"),
}


@dataclass(frozen=True, slots=True)
class RowLine:
    """An order of the file and what it becomes."""

    lines: tuple[int, ...]
    reference: str
    provider: str
    windows: tuple[tuple[object, object], ...]
    price: Money | None
    act: Text
    keeps: bool
    fills: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class CsvPage:
    """The file's form, with what is wrong in it or what taking it would do.

    `seen` names the text that the preview was made from.
    """

    base: str
    source: str
    columns: tuple[str, ...] = COLUMNS
    needed: tuple[str, ...] = NEEDED
    problems: tuple[RowProblem, ...] = ()
    more: int = 0
    rows: tuple[RowLine, ...] = ()
    sum: Text | None = None
    takes: bool = False
    seen: str = ""
    refused: Text | None = None


@router.get("/csv")
def show_csv(request: Request, campaign_id: str) -> Response:
    """Where a file of orders is uploaded or pasted."""
    view = view_of(request, campaign_id)
    view.refuse_closed()
    return _page(request, view, CsvPage(_base(view), ""))


@router.get("/csv/template")
def download(request: Request, campaign_id: str) -> Response:
    """A file with the columns and a row for each planned lot that nothing fills."""
    view = view_of(request, campaign_id)
    headers = {
        "Content-Disposition": f'attachment; filename="orders-{view.frame.id}.csv"',
        "Cache-Control": "no-store",
    }
    return Response(template(view.open_lots), media_type="text/csv; charset=utf-8", headers=headers)


@router.post("/csv")
def take_csv(request: Request, campaign_id: str, form: Typed) -> Response:
    """Show what each row becomes; take them all where that was shown before and is so still."""
    view = view_of(request, campaign_id)
    view.refuse_closed()
    source = form.files.get("file") or form.values.get("source", "").encode("utf-8", "replace")
    source = source.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
    if not source.strip():
        said = text("Choose a file, or paste its text.")
        return _page(request, view, CsvPage(_base(view), "", refused=said), 422)
    digest = hashlib.sha256(source).hexdigest()
    sheet = read_csv(source, view.frame.zone, digest)
    planned = _planned(request, view, sheet)
    wrong = (*sheet.problems, *(problem for one in planned for problem in one.problems))
    if wrong:
        return _refused(request, view, source, wrong, planned)
    if form.get("action") != TAKE:
        return _preview(request, view, source, planned, digest)
    if form.get("seen") != digest:
        return _preview(request, view, source, planned, digest, moved=MOVED)
    return _take(request, view, source, planned, digest)


def _planned(request: Request, view: View, sheet: Sheet) -> tuple[PlannedOrder, ...]:
    with request.app.state.db.read() as session:
        offers = catalogue(session)
    quotes = (quote.number for quote in view.quotes)
    return plan_orders(sheet.orders, view.orders, view.planned, offers, quotes)


def _take(
    request: Request,
    view: View,
    source: bytes,
    planned: tuple[PlannedOrder, ...],
    digest: str,
) -> Response:
    actor, now, campaign_id = person(request), clock.now(), view.frame.id
    orders = [one.new for one in planned]
    try:
        done: tuple[Logged, ...] = request.app.state.db.write(
            campaign_id, lambda tx: log_orders(tx, campaign_id, orders, actor=actor, now=now)
        )
    except (Malformed, Conflict) as refusal:
        if isinstance(refusal, Closed):
            raise
        return _preview(request, view, source, planned, digest, moved=refusal.detail)
    new = sum(1 for one in done if one.is_new)
    said = text("Orders logged: {new}, in the record before: {kept}.", new=new,
                kept=len(done) - new)  # fmt: skip
    return redirect(request, _base(view), said)


def _refused(
    request: Request,
    view: View,
    source: bytes,
    wrong: tuple[RowProblem, ...],
    planned: tuple[PlannedOrder, ...],
) -> Response:
    """Everything that is wrong, by its line, beside what the other rows would become."""
    listed = tuple(sorted(wrong, key=lambda one: one.line))
    context = CsvPage(
        _base(view),
        _shown(source),
        problems=listed[:LISTED],
        more=max(0, len(listed) - LISTED),
        rows=tuple(_line(one) for one in planned),
    )
    return _page(request, view, context, 422)


def _preview(
    request: Request,
    view: View,
    source: bytes,
    planned: tuple[PlannedOrder, ...],
    digest: str,
    *,
    moved: Text | None = None,
) -> Response:
    context = CsvPage(
        _base(view),
        _shown(source),
        rows=tuple(_line(one) for one in planned),
        sum=sum_of(planned),
        takes=any(one.act is Act.LOG for one in planned),
        seen=digest,
        refused=moved,
    )
    return _page(request, view, context, 409 if moved else 200)


def _line(one: PlannedOrder) -> RowLine:
    new = one.new
    price = None if new.price_minor is None else Money(new.price_minor, new.currency)
    fills = tuple(text("fills {lot}", lot=id_) if id_ else text("extra lot") for id_ in one.fills)
    return RowLine(
        lines=one.lines,
        reference=new.reference,
        provider=new.provider,
        windows=tuple((lot.starts_at, lot.ends_at) for lot in new.lots),
        price=price,
        act=ACTS[one.act],
        keeps=one.act is Act.KEEP,
        fills=fills,
    )


def _shown(source: bytes) -> str:
    return source.decode("utf-8", "replace").replace("\x00", "�")


def _base(view: View) -> str:
    return f"/campaigns/{view.frame.id}/orders"


def _page(request: Request, view: View, context: CsvPage, status: int = 200) -> Response:
    title = text("Orders from a CSV file")
    return page(request, "orders/csv.html", context, frame=view.frame, title=title, status=status)
