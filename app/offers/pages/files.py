"""Offers as files: a preview of what a file would do, taking it, and the catalogue as a file."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.db import WriteSession
from app.errors import AppError, Conflict
from app.exchange.rules.positions import positions
from app.journal import Actor
from app.offers.commands import LOCK, import_offers
from app.offers.pages.contexts import OfferLine, change_said, line_of
from app.offers.queries import catalogue, newest_seen
from app.offers.rules import (
    TOML,
    Act,
    FileProblem,
    Offer,
    Planned,
    ReadRow,
    kind_of,
    plan_import,
    read_offers,
    write_csv,
    write_toml,
)
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter()

TAKE = "take"
LISTED = 200
MOVED = text("The file or the catalogue changed since it was shown. Look at it again.")
ACTS = {
    Act.ADD: text("is added"),
    Act.CHANGE: text("gets a new version"),
    Act.WITHDRAW: text("is withdrawn"),
    Act.OFFER_AGAIN: text("is offered again"),
    Act.KEEP: text("stays as it is"),
}


@dataclass(frozen=True, slots=True)
class PlannedLine:
    """What one row of the file would do."""

    line: int
    offer: OfferLine
    act: Text
    keeps: bool
    changes: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class ImportPage:
    """The upload form, with what is wrong in the file or what taking it would do.

    `seen` names the text and the catalogue that the preview was made from.
    """

    source: str
    problems: tuple[FileProblem, ...] = ()
    more: int = 0
    rows: tuple[PlannedLine, ...] = ()
    sum: Text | None = None
    takes: bool = False
    seen: str = ""
    refused: Text | None = None


@router.get("/offers/import")
def show_import(request: Request) -> Response:
    """Where a file of offers is uploaded or pasted."""
    return _page(request, ImportPage(""))


@router.post("/offers/import")
def import_file(
    request: Request,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Show what the file would do; take it where that was shown before and nothing moved."""
    source = form.files.get("file") or form.values.get("source", "").encode("utf-8", "replace")
    source = source.replace(b"\r\n", b"\n")
    if not source.strip():
        said = text("Choose a file, or paste its text.")
        return _page(request, ImportPage("", refused=said), 422)
    read = read_offers(source, kind_of(source), positions)
    if read.problems:
        more = max(0, len(read.problems) - LISTED)
        return _page(request, ImportPage(_shown(source), read.problems[:LISTED], more), 422)
    if form.get("action") != TAKE:
        return _preview(request, source, read.rows)
    basis, _, digest = form.get("seen").partition("-")
    if digest != _digest(source) or not basis.isdecimal():
        return _preview(request, source, read.rows, moved=MOVED)
    now = clock.now()

    def command(tx: WriteSession) -> tuple[Planned, ...] | AppError:
        rows = _numbered(read.rows)
        return import_offers(tx, rows, basis=int(basis[:9]), actor=actor, now=now)

    try:
        planned = request.app.state.db.write(LOCK, command)
    except Conflict as moved:
        return _preview(request, source, read.rows, moved=moved.detail)
    return redirect(request, "/offers", sum_said(planned))


@router.get("/offers/file")
def download(request: Request, format: Literal["toml", "csv"] = "toml") -> Response:
    """The catalogue as a file that can be imported again, withdrawn offers too."""
    with request.app.state.db.read() as session:
        offers = catalogue(session)
    content = write_toml(offers) if format == TOML else write_csv(offers)
    headers = {
        "Content-Disposition": f'attachment; filename="offers.{format}"',
        "Cache-Control": "no-store",
    }
    kind = "application/toml" if format == TOML else "text/csv; charset=utf-8"
    return Response(content, media_type=kind, headers=headers)


def _preview(
    request: Request, source: bytes, rows: tuple[ReadRow, ...], *, moved: Text | None = None
) -> Response:
    """What the file would do now; nothing is taken, and `moved` says why not."""
    with request.app.state.db.read() as session:
        planned = plan_import(_numbered(rows), catalogue(session))
        number = newest_seen(session)
    shown = ImportPage(
        source=_shown(source),
        rows=tuple(map(_line, planned)),
        sum=sum_said(planned),
        takes=any(one.act is not Act.KEEP for one in planned),
        seen=f"{number}-{_digest(source)}",
        refused=moved,
    )
    return _page(request, shown, 409 if moved else 200)


def _digest(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()


def _shown(source: bytes) -> str:
    return source.decode("utf-8", "replace").replace("\x00", "�")


def sum_said(planned: tuple[Planned, ...]) -> Text:
    """How many rows do what, in one sentence."""
    counts = Counter(one.act for one in planned)
    if counts[Act.KEEP] == len(planned):
        return text("Nothing changes: the catalogue says all of this already.")
    return text(
        "Offers added: {added}, changed: {changed}, withdrawn: {withdrawn}, as before: {kept}.",
        added=counts[Act.ADD],
        changed=counts[Act.CHANGE] + counts[Act.OFFER_AGAIN],
        withdrawn=counts[Act.WITHDRAW],
        kept=counts[Act.KEEP],
    )


def _numbered(rows: tuple[ReadRow, ...]) -> list[tuple[int, Offer]]:
    return [(row.line, row.offer) for row in rows]


def _line(one: Planned) -> PlannedLine:
    differing = tuple(change_said(change) for change in one.changes)
    return PlannedLine(one.line, line_of(one.offer), ACTS[one.act], one.act is Act.KEEP, differing)


def _page(request: Request, context: ImportPage, status: int = 200) -> Response:
    title = text("Import offers")
    return page(request, "offers/import.html", context, title=title, status=status)
