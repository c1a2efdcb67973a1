"""One offer: what it says now, since when, every version, and taking it out of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.db import WriteSession
from app.errors import AppError, Conflict
from app.journal import Actor
from app.offers.commands import LOCK, Kept, unknown, withdraw_offer
from app.offers.pages.contexts import OfferLine, change_said, line_of
from app.offers.queries import Naming, history, naming
from app.offers.rules import FROM_FILE, PACKAGED, Version, changes, since
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter()

STATES = {
    "draft": text("Draft"),
    "sealed": text("Sealed"),
    "running": text("Running"),
}


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One version: what it says, what it changed, who wrote it and when."""

    number: int
    line: OfferLine
    said: tuple[Text, ...]
    at: datetime | None
    by: Text | str | None


@dataclass(frozen=True, slots=True)
class OfferPage:
    """An offer with its versions, the newest first, and the drafts that name it."""

    heading: Text
    line: OfferLine
    version: int
    since: Text | None
    versions: tuple[VersionLine, ...]
    drafts: tuple[tuple[Naming, Text], ...]
    moved: Text | None


@router.post("/offers/{offer_id:path}/withdraw")
def withdraw(
    request: Request,
    offer_id: str,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Append the version that says that it is not offered any more."""
    given = form.get("version")
    version = int(given) if given.isdecimal() and len(given) < 10 else 0
    now = clock.now()

    def command(tx: WriteSession) -> Kept | AppError:
        return withdraw_offer(tx, offer_id, version=version, actor=actor, now=now)

    try:
        request.app.state.db.write(LOCK, command)
    except Conflict as moved:
        return _page(request, offer_id, moved.detail, 409)
    said = text("{id} is not offered any more. Plans that name it still read it.", id=offer_id)
    return redirect(request, f"/offers/{offer_id}", said)


@router.get("/offers/{offer_id:path}")
def show_offer(request: Request, offer_id: str) -> Response:
    """The offer and its history."""
    return _page(request, offer_id, None, 200)


def _page(request: Request, offer_id: str, moved: Text | None, status: int) -> Response:
    with request.app.state.db.read() as session:
        versions = history(session, offer_id)
        drafts = naming(session, offer_id) if versions else ()
    if not versions:
        raise unknown(offer_id)
    newest = versions[-1]
    before = (None, *versions[:-1])
    lines = tuple(_line(one, older) for one, older in zip(versions, before, strict=True))
    shown = OfferPage(
        heading=_heading(line_of(newest.offer)),
        line=line_of(newest.offer),
        version=newest.number,
        since=since(versions),
        versions=lines[::-1],
        drafts=tuple((one, STATES[one.state]) for one in drafts),
        moved=moved,
    )
    return page(
        request, "offers/show.html", shown, title=text("Offer {id}", id=offer_id), status=status
    )


def _heading(line: OfferLine) -> Text:
    said: dict[str, object] = {"gpus": line.gpus, "gpu": line.gpu, "provider": line.provider}
    if line.duration is None:
        return text("{gpus} {gpu} from {provider}", **said)
    return text("{gpus} {gpu}, {duration}, from {provider}", duration=line.duration, **said)


def _line(version: Version, older: Version | None) -> VersionLine:
    return VersionLine(
        number=version.number,
        line=line_of(version.offer),
        said=_said(version, older),
        at=version.written_at,
        by=_by(version),
    )


def _said(version: Version, older: Version | None) -> tuple[Text, ...]:
    """What the version did to the one before it."""
    if older is None:
        return ()
    found = [change_said(one) for one in changes(older.offer, version.offer)]
    if version.offer.withdrawn and not older.offer.withdrawn:
        found.insert(0, text("Withdrawn"))
    if older.offer.withdrawn and not version.offer.withdrawn:
        found.insert(0, text("Offered again"))
    return tuple(found)


def _by(version: Version) -> Text | str | None:
    if version.origin == PACKAGED:
        return text("came with Punktum")
    if version.origin == FROM_FILE:
        return text("{name}, from a file", name=version.written_by)
    return version.written_by
