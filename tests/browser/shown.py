"""Every page of Punktum, as the laid data folder shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.browser.laid import CLOSED, DRAFT, LONG, SAMPLE

_OF_A_CAMPAIGN = (
    "", "plan", "orders", "runs", "timeline", "budget", "deliverables", "decisions", "closing",
)  # fmt: skip
_EDITING = (
    "edit", "plan/draft", "plan/seal", "plan/edit/steps", "plan/edit/steps/control",
    "plan/edit/lots", "plan/edit/stop-rules", "plan/edit/decision-points", "plan/edit/corpora",
    "plan/edit/uncertainties", "plan/compare", "plan/what-if", "plan/axes", "plan/draft/chance",
)  # fmt: skip
_SINGLE = (
    "plan/versions/1", "runs/a-01", "runs/a-02", "runs/restore-01", "runs?archived=1", "connect",
    "connect?way=tunnel&box=root@203.0.113.7", "connect?way=offline", "deliverables/predictions",
    "report",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """A page: a name fit for a file, its path, and the status with which it is answered."""

    name: str
    path: str
    status: int = 200


def _pages(campaign: str, rooms: tuple[str, ...]) -> list[Shown]:
    return [
        Shown(
            f"{campaign}-{re.sub('[^a-z0-9-]+', '-', room) or 'overview'}",
            f"/campaigns/{campaign}/{room}".rstrip("/"),
        )
        for room in rooms
    ]


PAGES = (
    Shown("campaigns", "/campaigns"),
    Shown("new", "/campaigns/new"),
    Shown("import", "/campaigns/import"),
    Shown("offers", "/offers"),
    Shown("offers-new", "/offers/new"),
    Shown("offers-import", "/offers/import"),
    Shown("offer", "/offers/iteragpu/rtx-4090/3d"),
    Shown("offer-edit", "/offers/iteragpu/rtx-4090/3d/edit"),
    Shown("not-found", "/campaigns/nothing-here", 404),
    *_pages(SAMPLE, (*_OF_A_CAMPAIGN, *_EDITING, *_SINGLE)),
    *_pages(CLOSED, (*_OF_A_CAMPAIGN, "report", "connect")),
    *_pages(LONG, ("", "timeline", "plan", "orders", "budget")),
    *_pages(DRAFT, ("timeline", "closing", "runs", "orders", "plan/draft")),
)
