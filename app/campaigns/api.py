"""`GET /api/v1/campaigns`: each campaign with its answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel

from app import clock
from app.accounts import access
from app.campaigns.queries import headers
from app.journal import Actor
from app.timeline.queries import timeline
from app.units import hours_text

router = APIRouter(prefix="/api/v1", tags=["campaigns"])


class CampaignOut(BaseModel):
    """A campaign; `spare_hours` is negative when it exceeds, null without a window."""

    id: str
    question: str
    state: str
    answer: str
    spare_hours: str | None


class CampaignsOut(BaseModel):
    """One page of campaigns; `next` goes into `after` for those that follow."""

    items: list[CampaignOut]
    next: str | None


@router.get("/campaigns")
def list_campaigns(
    request: Request,
    _person: Annotated[Actor, Depends(access.person)],
    after: Annotated[str, Query(max_length=64, description="The id to begin behind.")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 100,
) -> CampaignsOut:
    """Campaigns in the order of their ids, each with its answer now."""
    now = clock.now()
    items = []
    with request.app.state.db.read() as session:
        found = headers(session, after=after, limit=limit + 1)
        for head in found[:limit]:
            view = timeline(session, head.id, now)
            if view is None:
                continue
            spare = view.answer.spare_s
            items.append(
                CampaignOut(
                    id=head.id,
                    question=head.question,
                    state=head.state,
                    answer=str(view.answer.text),
                    spare_hours=None if spare is None else hours_text(spare),
                )
            )
    return CampaignsOut(items=items, next=found[limit - 1].id if len(found) > limit else None)
