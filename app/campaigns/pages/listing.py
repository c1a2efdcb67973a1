"""All campaigns, each with its answer: where do I have to look?"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app import clock
from app.campaigns.queries import Header, headers
from app.language import Reader
from app.plan.rules.spans import hours_said
from app.texts import Text, text
from app.timeline.queries import TimelineView, timeline
from app.web import page, reader_of

router = APIRouter()

ON_A_PAGE = 25


@dataclass(frozen=True, slots=True)
class CampaignLine:
    """One campaign in the list; its sentences are said on its own clock already."""

    id: str
    question: str
    href: str
    state: str
    answer: str
    tone: str
    window: str | None
    next: str | None


@dataclass(frozen=True, slots=True)
class CampaignList:
    """One page of campaigns, those that still run first; `more` leads to the rest."""

    lines: tuple[CampaignLine, ...]
    more: str | None
    is_first: bool


@router.get("/campaigns")
def show_list(request: Request, after: Annotated[str, Query(max_length=64)] = "") -> Response:
    """The list, or what the empty house offers."""
    now = clock.now()
    with request.app.state.db.read() as session:
        found = headers(session, after=after, limit=ON_A_PAGE + 1)
        read = [(head, timeline(session, head.id, now)) for head in found[:ON_A_PAGE]]
    lines = [_line(head, view, reader_of(request, head.zone), now) for head, view in read if view]
    lines.sort(key=lambda line: line.state == "closed")
    more = f"/campaigns?after={found[ON_A_PAGE - 1].id}" if len(found) > ON_A_PAGE else None
    context = CampaignList(tuple(lines), more, not after)
    return page(request, "campaigns/index.html", context, title=text("Campaigns"))


def _line(head: Header, view: TimelineView, said: Reader, now: datetime) -> CampaignLine:
    window = _window(view)
    due = view.answer.next
    return CampaignLine(
        id=head.id,
        question=head.question,
        href=f"/campaigns/{head.id}",
        state=head.state,
        answer=said.say(view.answer.text),
        tone=view.answer.kind,
        window=said.say(window) if window else None,
        next=said.say(due[0]) if due else None,
    )


def _window(view: TimelineView) -> Text | None:
    """How much is left of the windows that were rented, or how long the planned ones are."""
    facts = view.facts
    if not facts.windows or facts.closed_at is not None:
        return None
    first = min(window.starts_s for window in facts.windows)
    last = max(window.usable_s for window in facts.windows)
    length = hours_said((last - first) // 60)
    ordered = [window for window in facts.windows if window.ordered]
    if not ordered or facts.until_s <= first:
        return text("{length}, not begun", length=length)
    if facts.until_s >= last:
        return text("over")
    left = hours_said((last - facts.until_s) // 60)
    return text("{left} left of {length}", left=left, length=length)
