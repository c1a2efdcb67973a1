"""A campaign as its file."""

from __future__ import annotations

from sqlmodel import Session

from app.exchange.rules import write_campaign_file
from app.plan.queries import current, draft, sealed


def file_of(session: Session, campaign_id: str, version: int | None = None) -> str | None:
    """The campaign file in TOML: of the newest sealed version, else of the draft.

    `version` names a sealed version, or the draft by 0. None where there is no such plan.
    """
    if version is None:
        view = current(session, campaign_id)
    elif version == 0:
        view = draft(session, campaign_id)
    else:
        view = sealed(session, campaign_id, version)
    return write_campaign_file(view.plan) if view else None


def download_headers(campaign_id: str, version: int | None) -> dict[str, str]:
    """Headers that let a browser keep a campaign file under a telling name."""
    name = f"{campaign_id}-v{version}.toml" if version else f"{campaign_id}.toml"
    return {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
