"""`GET /api/v1/campaigns/{id}/journal`: the record with its hashes, for outside witnesses."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel

from app.accounts import access
from app.campaigns.queries import header
from app.errors import NotFound
from app.journal.chain import Actor, Entry, entries
from app.texts import text
from app.units import instant_text

router = APIRouter(prefix="/api/v1", tags=["journal"])


class EntryOut(BaseModel):
    """One entry as it was hashed."""

    number: int
    at: str
    actor_kind: str
    actor_name: str
    kind: str
    payload: dict[str, Any]
    previous_sha256: str
    sha256: str


class JournalOut(BaseModel):
    """A page of entries; `next` is the number to go on after, null at the end."""

    items: list[EntryOut]
    next: int | None


@router.get("/campaigns/{campaign_id}/journal")
def show(
    request: Request,
    campaign_id: str,
    _person: Annotated[Actor, Depends(access.person)],
    after: Annotated[int, Query(ge=0, le=2**53)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> JournalOut:
    """Entries in their order, after a number; each carries the hash of the one before it."""
    with request.app.state.db.read() as session:
        if header(session, campaign_id) is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id))
        found = entries(session, campaign_id, after=after, limit=limit + 1)
    more = found[limit - 1].number if len(found) > limit else None
    return JournalOut(items=[_out(entry) for entry in found[:limit]], next=more)


def _out(entry: Entry) -> EntryOut:
    return EntryOut(
        number=entry.number,
        at=instant_text(entry.at),
        actor_kind=entry.actor.kind,
        actor_name=entry.actor.name,
        kind=entry.kind,
        payload=dict(entry.payload),
        previous_sha256=entry.previous_sha256,
        sha256=entry.sha256,
    )
