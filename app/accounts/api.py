"""Job tokens by API: a person makes, lists and revokes them."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from app import clock
from app.accounts import commands, queries
from app.accounts.access import book, person
from app.accounts.rules import expiry
from app.campaigns.queries import header
from app.errors import NotFound
from app.plan.queries import current
from app.runs.queries import windows_of
from app.texts import text

router = APIRouter(prefix="/api/v1", tags=["tokens"])


class NewTokenBody(BaseModel):
    """What a new token is called, so that one can be told from another."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field("job", max_length=commands.NAME_LENGTH)


class NewTokenAnswer(BaseModel):
    """The token itself; this is the only time that it can be read."""

    token: str
    id: str
    expires_at: datetime


class TokenItem(BaseModel):
    """A token without its secret; `state` is `valid`, `revoked` or `ended`."""

    id: str
    name: str
    state: str
    created_at: datetime
    created_by: str
    expires_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None


class TokenList(BaseModel):
    """A campaign's tokens, the newest first."""

    items: list[TokenItem]


@router.post("/campaigns/{campaign_id}/tokens", status_code=201)
def make(request: Request, campaign_id: str, body: NewTokenBody | None = None) -> NewTokenAnswer:
    """Make a job token for one campaign; it is shown once."""
    actor, database, now = person(request), request.app.state.db, clock.now()
    secret, name = commands.new_secret(), body.name if body is not None else "job"
    with database.read() as session:
        windows = windows_of(session, campaign_id, current(session, campaign_id))
    expires_at = expiry(now, max((window.ends_at for window in windows), default=None))
    made = database.write(
        campaign_id,
        lambda tx: commands.make_token(
            tx, campaign_id, secret, name=name, expires_at=expires_at, actor=actor, now=now
        ),
    )
    return NewTokenAnswer(token=made.token, id=made.id, expires_at=made.expires_at)


@router.get("/campaigns/{campaign_id}/tokens")
def listed(request: Request, campaign_id: str) -> TokenList:
    """A campaign's tokens and when each was last used."""
    person(request)
    with request.app.state.db.read() as session:
        if header(session, campaign_id) is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id))
        found = queries.tokens_of(session, campaign_id, clock.now())
    return TokenList(items=[TokenItem.model_validate(one, from_attributes=True) for one in found])


@router.delete("/campaigns/{campaign_id}/tokens/{token_id}", status_code=204)
def revoke(request: Request, campaign_id: str, token_id: str) -> Response:
    """End a token at once; what it sent stays."""
    person(request)
    now = clock.now()
    request.app.state.db.write(
        campaign_id, lambda tx: commands.revoke_token(tx, campaign_id, token_id, now=now)
    )
    book.forget()
    return Response(status_code=204)
