"""Reading campaigns: one header, or the list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.campaigns.tables import Campaign, CampaignStanding


@dataclass(frozen=True, slots=True)
class Header:
    """A campaign's question and where it stands (`draft sealed running closed`)."""

    id: str
    question: str
    zone: str
    currency: str
    created_at: datetime
    state: str
    version: int
    sealed_at: datetime | None
    closed_at: datetime | None
    outcome: str | None


def _header(campaign: Campaign, at: CampaignStanding | None) -> Header:
    return Header(
        campaign.id, campaign.question, campaign.zone, campaign.currency, campaign.created_at,
        at.state if at else "draft", at.version if at else 0,
        at.sealed_at if at else None, at.closed_at if at else None, at.outcome if at else None,
    )  # fmt: skip


def header(session: Session, campaign_id: str) -> Header | None:
    """One campaign's header, or None."""
    row = session.exec(
        select(Campaign, CampaignStanding)
        .join(CampaignStanding, col(CampaignStanding.campaign_id) == col(Campaign.id), isouter=True)
        .where(Campaign.id == campaign_id)
    ).first()
    return _header(*row) if row else None


def headers(session: Session, *, after: str = "", limit: int = 100) -> list[Header]:
    """Campaigns in the order of their ids, after one of them."""
    rows = session.exec(
        select(Campaign, CampaignStanding)
        .join(CampaignStanding, col(CampaignStanding.campaign_id) == col(Campaign.id), isouter=True)
        .where(col(Campaign.id) > after)
        .order_by(col(Campaign.id))
        .limit(limit)
    ).all()
    return [_header(campaign, at) for campaign, at in rows]


def all_ids(session: Session) -> set[str]:
    """The ids of all campaigns, so that a new one can be told from them."""
    return set(session.exec(select(Campaign.id)))
