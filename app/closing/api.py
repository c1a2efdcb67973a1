"""`POST …/close`, `GET …/report`, and explanations of deviations."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict

from app import clock
from app.accounts import access
from app.closing.commands import NewClose, close, explain
from app.closing.queries import added, closing, report
from app.closing.rules.plain import to_json
from app.errors import NotFound
from app.journal import Actor
from app.texts import text

router = APIRouter(prefix="/api/v1/campaigns/{campaign_id}", tags=["closing"])
Person = Annotated[Actor, Depends(access.person)]


class CloseIn(BaseModel):
    """The outcome, the conclusion in words, and whether open points are accepted."""

    model_config = ConfigDict(extra="forbid")

    outcome: Literal["positive", "negative", "inconclusive", "abandoned"]
    conclusion: str
    close_with_open_points: bool = False


class ClosedOut(BaseModel):
    """The head of the journal after the close: keep it as a witness."""

    number: int
    sha256: str


class ExplanationIn(BaseModel):
    """Why a step deviates."""

    model_config = ConfigDict(extra="forbid")

    step: str
    category: str
    sentence: str


@router.post("/close")
def post_close(request: Request, campaign_id: str, body: CloseIn, actor: Person) -> ClosedOut:
    """Close the campaign. 409 with the count where points are open and nobody said so."""
    db, now = request.app.state.db, clock.now()
    with db.read() as session:
        found = closing(session, campaign_id, now)
    if found is None:
        raise NotFound(text("There is no campaign {id}.", id=campaign_id))
    new = NewClose(body.outcome, body.conclusion, body.close_with_open_points)
    head = db.write(
        campaign_id, lambda tx: close(tx, campaign_id, new, found.report, actor=actor, now=now)
    )
    return ClosedOut(number=head.number, sha256=head.sha256)


@router.post("/explanations", status_code=201)
def post_explanation(
    request: Request, campaign_id: str, body: ExplanationIn, actor: Person
) -> dict[str, int]:
    """Explain a step's deviation; the newest explanation of a step counts."""
    now = clock.now()
    entry = request.app.state.db.write(
        campaign_id,
        lambda tx: explain(
            tx, campaign_id, body.step, body.category, body.sentence, actor=actor, now=now
        ),
    )
    return {"number": entry.number}


@router.get("/report")
def get_report(request: Request, campaign_id: str, _person: Person) -> dict[str, Any]:
    """The report: as it was at the close, or as it would be now (`closed_at` null).

    `checklist` stood so at the close. `errata`, `retrievals`, `places`, `charges` came after it; no
    figure of the report takes them in.
    """
    with request.app.state.db.read() as session:
        found = report(session, campaign_id, clock.now())
        if found is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id))
        since = added(session, found)
    return {**to_json(found), **to_json(since)}
