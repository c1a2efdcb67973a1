"""`/campaigns/{id}/report`: one self-contained page, and the same as JSON and CSV."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from app import clock
from app.budget.rules import KIND_NAMES
from app.closing.queries import added, report
from app.closing.rules.checklist import Point
from app.closing.rules.deviations import CATEGORIES, why_blank
from app.closing.rules.export import steps_csv
from app.closing.rules.plain import to_json
from app.closing.rules.report import (
    OUTCOMES,
    Added,
    DecisionLine,
    DeliverableLine,
    Report,
    StopLine,
)
from app.decisions.rules.log import CHOICE_WORDS
from app.deliverables.rules.left import whereabouts_said
from app.deliverables.rules.retrieval import Whereabouts
from app.errors import NotFound
from app.runs.rules.words import reason_said
from app.texts import Text, text
from app.web import page
from app.web.templates import STATIC

router = APIRouter(prefix="/campaigns/{campaign_id}")


@dataclass(frozen=True, slots=True)
class Paper:
    """The report, and the style that goes with it on one self-contained page."""

    report: Report
    style: str
    outcomes: Mapping[str, Text]
    categories: Mapping[str, Text]
    added: Added

    @property
    def points(self) -> tuple[Point, ...]:
        """The checklist; where it was not kept, the open points by their sentences alone."""
        if self.report.checklist is not None:
            return self.report.checklist
        return tuple(Point(said, True, "") for said in self.report.open_points)

    def blank(self, state: str) -> Text:
        """Why a step of this state shows no figure."""
        return why_blank(state)

    def choice(self, line: DecisionLine) -> Text | str:
        """What was decided, in a word."""
        return CHOICE_WORDS.get(line.choice, line.choice)

    def cut(self, line: DecisionLine) -> str:
        """The steps that a decision cut, by their titles."""
        titles = {row.step: row.title for row in self.report.steps}
        return ", ".join(titles.get(step, step) for step in line.cut)

    def reason(self, line: StopLine) -> Text:
        """The rule or the reason of a stop, in words."""
        return reason_said(line.reason)

    def expense(self, kind: str) -> Text | str:
        """What a kind of expense is called."""
        return KIND_NAMES.get(kind, kind)

    def files_are(self, line: DeliverableLine) -> Text | None:
        """What is known of a deliverable's files beside where a person says that they lie."""
        return whereabouts_said(Whereabouts(line.files_are)) if line.files_are else None

    def day(self, written: str) -> date:
        """The day of an expense."""
        return date.fromisoformat(written)


@router.get("/report")
def show_report(request: Request, campaign_id: str) -> Response:
    """One self-contained page that prints well; its style is named by hash in its own policy."""
    found, since = _report(request, campaign_id)
    style = _style()
    paper = Paper(found, style, OUTCOMES, CATEGORIES, since)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    headers = {"Content-Security-Policy": policy}
    return page(
        request,
        "closing/report.html",
        paper,
        title=text("Report"),
        zone=found.zone,
        headers=headers,
    )


@router.get("/report.json")
def report_json(request: Request, campaign_id: str) -> Response:
    """The same data for machines."""
    name = f'attachment; filename="{campaign_id}-report.json"'
    found, since = _report(request, campaign_id)
    said = {**to_json(found), **to_json(since)}
    return JSONResponse(said, headers={"Content-Disposition": name})


@router.get("/report.csv")
def report_csv(request: Request, campaign_id: str) -> Response:
    """Planned against actual as a table for a spreadsheet."""
    name = f'attachment; filename="{campaign_id}-steps.csv"'
    return Response(
        steps_csv(_report(request, campaign_id)[0]),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": name},
    )


def _report(request: Request, campaign_id: str) -> tuple[Report, Added]:
    """The report, and what came after the close."""
    with request.app.state.db.read() as session:
        found = report(session, campaign_id, clock.now())
        if found is None:
            raise NotFound(text("There is no campaign {id}.", id=campaign_id))
        return found, added(session, found)


@functools.cache
def _style() -> str:
    """The report's own style, put into the page, so that a saved file keeps its look."""
    return (STATIC / "report.css").read_text("utf-8")
