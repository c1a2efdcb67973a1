"""JSON for the decision log: reading it with what the rule says, and writing an entry."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, StrictInt

from app import clock
from app.accounts import access
from app.campaigns import queries as campaigns
from app.decisions import commands, queries
from app.decisions.rules.entering import NewDecision
from app.decisions.rules.evaluation import Evaluation
from app.decisions.rules.lines import Line
from app.decisions.rules.log import DecisionEntry
from app.decisions.rules.results import plain
from app.errors import NotFound
from app.texts import Text, text
from app.units import instant_text

router = APIRouter(prefix="/api/v1", tags=["decisions"])
PER_PAGE = 100


class DecisionBody(BaseModel):
    """A decision: what was chosen and why; a correction names the entry that it corrects."""

    model_config = ConfigDict(extra="forbid")

    choice: str = Field(max_length=20)
    reason: str = Field(max_length=5000)
    step: str | None = Field(None, max_length=64)
    cut: list[str] | None = Field(None, max_length=500)
    version: StrictInt | None = None
    link: str | None = Field(None, max_length=2100)
    corrects: StrictInt | None = None


@router.get("/campaigns/{campaign_id}/decisions")
def index(
    request: Request,
    campaign_id: str,
    after: Annotated[int | None, Query(ge=1)] = None,
    limit: Annotated[int, Query(ge=1, le=PER_PAGE)] = PER_PAGE,
) -> dict[str, object]:
    """The log, newest first; `after` is the `next` of the page before. On the first page also
    the open decision points and what the decision rule says."""
    access.person(request)
    now = clock.now()
    with request.app.state.db.read() as session:
        if campaigns.header(session, campaign_id) is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id[:64]))
        desk = queries.desk(session, campaign_id, now)
    entries = desk.ground.log.entries if desk is not None else ()
    older = [entry for entry in entries if after is None or entry.number < after]
    shown = older[:limit]
    return {
        "items": [_entry(entry) for entry in shown],
        "next": str(shown[-1].number) if len(older) > limit else None,
        "open": [point.step for point in desk.points] if desk is not None else [],
        "evaluation": _evaluation(desk.evaluation) if desk is not None else None,
    }


@router.post("/campaigns/{campaign_id}/decisions", status_code=201)
def record(
    request: Request, campaign_id: str, body: Annotated[DecisionBody, Body()]
) -> JSONResponse:
    """Write a decision down: 201, or 200 when it is the newest entry already."""
    actor, now = access.person(request), clock.now()
    new = NewDecision(
        body.choice,
        body.reason,
        body.step,
        tuple(body.cut or ()),
        body.version,
        body.link,
        body.corrects,
    )
    recorded = request.app.state.db.write(
        campaign_id, lambda tx: commands.record(tx, campaign_id, new, actor=actor, now=now)
    )
    head = {"number": recorded.head.number, "sha256": recorded.head.sha256}
    said = {**_entry(recorded.entry), "head": head}
    return JSONResponse(said, 201 if recorded.is_new else 200)


def _entry(entry: DecisionEntry) -> dict[str, object]:
    return {
        "number": entry.number,
        "at": instant_text(entry.at),
        "by": entry.actor_name,
        "actor": entry.actor_kind,
        "choice": entry.choice,
        "step": entry.step,
        "cut": list(entry.cut),
        "version": entry.version,
        "reason": entry.reason,
        "link": entry.link,
        "corrects": entry.corrects,
        "corrected_by": entry.corrected_by,
    }


def _evaluation(said: Evaluation) -> dict[str, object]:
    return {
        "metric": said.metric,
        "better": said.better,
        "take": said.take,
        "threshold": plain(said.threshold),
        "gain_over_control": plain(said.gain),
        "control": _line(said.control) if said.control is not None else None,
        "variants": [_line(line) for line in said.variants],
        "proposed": said.proposed,
        "why": str(said.why),
    }


def _line(line: Line) -> dict[str, object]:
    return {
        "step": line.step,
        "verdict": line.verdict,
        "n": line.n,
        "runs": [{"run": one.run, "value": str(one.value)} for one in line.values],
        "mean": plain(line.mean),
        "difference": plain(line.difference),
        "needed": plain(line.needed),
        "reason": _plain(line.reason),
        "notes": [str(note) for note in line.notes],
        "dropped": line.dropped,
    }


def _plain(said: Text | None) -> str | None:
    return None if said is None else str(said)
