"""What every page of a plan reads first: the campaign's frame and the plan it is about."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request
from sqlmodel import Session

from app import clock
from app.errors import Closed, NotFound
from app.plan.queries import PlanView, draft
from app.texts import text
from app.timeline.queries import frame
from app.web import Frame


@dataclass(frozen=True, slots=True)
class Loaded:
    """A campaign's frame and its draft."""

    frame: Frame
    draft: PlanView


def load(request: Request, campaign_id: str) -> Loaded:
    """The frame and the draft; raises `NotFound`."""
    with request.app.state.db.read() as session:
        return Loaded(around(session, campaign_id), draft_of(session, campaign_id))


def load_open(request: Request, campaign_id: str) -> Loaded:
    """The same for a page that edits; raises `Closed` too."""
    with request.app.state.db.read() as session:
        return Loaded(open_around(session, campaign_id), draft_of(session, campaign_id))


def around(session: Session, campaign_id: str) -> Frame:
    """The campaign's frame; raises `NotFound`."""
    found = frame(session, campaign_id, clock.now())
    if found is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    return found


def open_around(session: Session, campaign_id: str) -> Frame:
    """The same for what writes; raises `Closed` too."""
    found = around(session, campaign_id)
    if found.state == "closed":
        raise Closed(text("This campaign was closed. Its record is not changed any more."))
    return found


def draft_of(session: Session, campaign_id: str) -> PlanView:
    """The campaign's draft; raises `NotFound`."""
    found = draft(session, campaign_id)
    if found is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    return found
