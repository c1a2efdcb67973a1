"""Reading job tokens: when each ends and was last used, never what it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.accounts.rules import token_state
from app.accounts.tables import JobToken
from app.campaigns.tables import CampaignStanding as Standing


@dataclass(frozen=True, slots=True)
class TokenView:
    """One token of a campaign; `state` is `valid`, `revoked` or `ended`."""

    id: str
    name: str
    created_at: datetime
    created_by: str
    expires_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None
    state: str


def tokens_of(session: Session, campaign_id: str, now: datetime) -> tuple[TokenView, ...]:
    """A campaign's tokens, the newest first; all have ended with the close. One statement."""
    rows = session.exec(
        select(JobToken, Standing.state)
        .outerjoin(Standing, col(Standing.campaign_id) == col(JobToken.campaign_id))
        .where(JobToken.campaign_id == campaign_id)
        .order_by(col(JobToken.created_at).desc(), col(JobToken.id))
    )
    return tuple(
        TokenView(
            row.id,
            row.name,
            row.created_at,
            row.created_by,
            row.expires_at,
            row.revoked_at,
            row.last_used_at,
            token_state(row.expires_at, row.revoked_at, now, is_closed=standing == "closed"),
        )
        for row, standing in rows
    )
