"""The form of an offer: a new one, or the next version of one that is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.db import WriteSession
from app.errors import AppError, Conflict
from app.journal import Actor
from app.offers.commands import LOCK, Kept, save_offer, unknown
from app.offers.pages.contexts import beside_said
from app.offers.queries import history
from app.offers.rules import Offer, Version, changes
from app.offers.rules.typed import OfferEntry, blank, entry_of, read_entry
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter()


@dataclass(frozen=True, slots=True)
class OfferForm:
    """The form, and what somebody else saved meanwhile; `offer_id` is None for a new offer."""

    entry: OfferEntry
    offer_id: str | None
    version: int
    action: str
    back: str
    again: bool  # withdrawn: saving offers it again
    moved: Text | None = None
    theirs: tuple[Text, ...] = ()
    known_href: str | None = None


@router.get("/offers/new")
def new_offer(request: Request) -> Response:
    """An empty form."""
    return _new_page(request, blank(clock.now().date()))


@router.post("/offers/new")
def add_offer(
    request: Request,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Add an offer; a refusal gives everything back as it was typed."""
    entry, offer = read_entry(form.values)
    if offer is None:
        return _new_page(request, entry, status=422)
    kept = _saved(request, offer, None, actor)
    if isinstance(kept, Conflict):
        entry.refuse("id", kept.detail)
        return _new_page(request, entry, f"/offers/{offer.id}", status=409)
    said = text("{id} is in the catalogue.", id=offer.id)
    return redirect(request, f"/offers/{offer.id}", said)


@router.get("/offers/{offer_id:path}/edit")
def edit_offer(request: Request, offer_id: str) -> Response:
    """The form that says what the offer says now."""
    newest = _newest(request, offer_id)
    return _edit_page(request, newest, entry_of(newest.offer), newest.number)


@router.post("/offers/{offer_id:path}/edit")
def save(
    request: Request,
    offer_id: str,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Append the next version; orders and sealed plans keep what they say."""
    newest = _newest(request, offer_id)
    given = form.get("version")
    version = int(given) if given.isdecimal() and len(given) < 10 else newest.number
    entry, offer = read_entry(form.values, offer_id)
    if offer is None:
        return _edit_page(request, newest, entry, version, status=422)
    kept = _saved(request, offer, version, actor)
    if isinstance(kept, Conflict):
        newest = _newest(request, offer_id)
        return _edit_page(request, newest, entry, newest.number, moved=kept.detail, status=409)
    said = (
        text("Version {n} is saved.", n=kept.version) if kept.changed else text("Nothing changed.")
    )
    return redirect(request, f"/offers/{offer_id}", said)


def _saved(request: Request, offer: Offer, version: int | None, actor: Actor) -> Kept | Conflict:
    now = clock.now()

    def command(tx: WriteSession) -> Kept | AppError:
        return save_offer(tx, offer, version=version, actor=actor, now=now)

    try:
        kept = request.app.state.db.write(LOCK, command)
    except Conflict as moved:
        return moved
    assert isinstance(kept, Kept)
    return kept


def _newest(request: Request, offer_id: str) -> Version:
    with request.app.state.db.read() as session:
        versions = history(session, offer_id)
    if not versions:
        raise unknown(offer_id)
    return versions[-1]


def _new_page(
    request: Request, entry: OfferEntry, known_href: str | None = None, *, status: int = 200
) -> Response:
    shown = OfferForm(entry, None, 0, "/offers/new", "/offers", again=False, known_href=known_href)
    title = text("Add an offer")
    return page(request, "offers/form.html", shown, title=title, status=status)


def _edit_page(
    request: Request,
    newest: Version,
    entry: OfferEntry,
    version: int,
    *,
    moved: Text | None = None,
    status: int = 200,
) -> Response:
    offer = newest.offer
    theirs: tuple[Text, ...] = ()
    if moved is not None:
        _, typed = read_entry(entry.values, offer.id)
        theirs = tuple(beside_said(one) for one in changes(typed or offer, offer))
    shown = OfferForm(
        entry,
        offer.id,
        version,
        f"/offers/{offer.id}/edit",
        f"/offers/{offer.id}",
        again=offer.withdrawn,
        moved=moved,
        theirs=theirs,
    )
    title = text("Edit offer {id}", id=offer.id)
    return page(request, "offers/form.html", shown, title=title, status=status)
