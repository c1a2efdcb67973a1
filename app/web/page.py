"""Rendering a page: one typed context, the reader's language, the frame around a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.language import LANGUAGES, Reader, choose, reader
from app.texts import Text, text
from app.web import tokens
from app.web.sent import SentBefore, sent_forms
from app.web.templates import render

ROOMS: tuple[tuple[str, Text], ...] = (
    ("", text("Overview")),
    ("plan", text("Plan")),
    ("orders", text("Orders")),
    ("runs", text("Runs")),
    ("timeline", text("Timeline")),
    ("budget", text("Budget")),
    ("deliverables", text("Deliverables")),
    ("decisions", text("Decisions")),
    ("closing", text("Close")),
)


OF_ROOM = {"connect": "runs", "time": "runs"}
"""Addresses that belong to a room without lying below it, where the names of runs are free."""


@dataclass(frozen=True, slots=True)
class Tab:
    """One entry of a navigation."""

    label: Text
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around every page of a campaign: whose it is, the answer, what is due next."""

    id: str
    question: str
    zone: str
    state: str
    answer: Text
    answer_kind: str  # fits | exceeds | closed | open (nothing can be said yet)
    next: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence at the top of a page: `info done warn fail`."""

    text: str
    tone: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A language that may be chosen."""

    code: str
    name: str


@dataclass(frozen=True, slots=True)
class Around:
    """A campaign's frame and its tabs, as the base template shows them."""

    frame: Frame
    tabs: tuple[Tab, ...]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.frame, name)


def reader_of(request: Request, zone: str = "UTC") -> Reader:
    """The language this person chose or whose browser asks for, in a zone."""
    return reader(
        choose(request.cookies.get("language"), request.headers.get("accept-language")), zone
    )


def page(
    request: Request,
    template: str,
    context: object,
    *,
    frame: Frame | None = None,
    title: Text | None = None,
    zone: str | None = None,
    block: str | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The whole page, or the one named block that htmx asked for.

    Templates see the typed context as `page` and, inside a campaign, the frame as `campaign`.
    """
    zone = frame.zone if frame else zone
    said = reader_of(request, zone or "UTC")
    browser = tokens.browser_of(request)
    kept = tokens.read_flash(request)
    values = {
        **_surroundings(request, frame, title),
        "page": context,
        "zone": zone,
        "language": said.language,
        "csrf_token": tokens.csrf_token(request.app.state.secret, browser),
        "flash": [Notice(kept, "done")] if kept else [],
    }
    response = HTMLResponse(
        render(template, values, said, block), status, headers=dict(headers or {})
    )
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers["Vary"] = "Accept-Language, Cookie, HX-Request-Type"
    response.headers["Content-Language"] = said.language
    tokens.remember_browser(request, response, browser)
    if kept:
        response.delete_cookie("flash")
    return response


def _surroundings(request: Request, frame: Frame | None, title: Text | None) -> dict[str, Any]:
    """What the base template shows around every page."""
    path = request.scope["path"]
    around = Around(frame, _tabs(path, frame)) if frame else None
    nav = _navigation(path)
    current = [tab.label for tab in (*(around.tabs if around else ()), *nav) if tab.current]
    return {
        "page_title": title or (current[0] if current else text("Punktum")),
        "campaign": around,
        "nav": nav,
        "path": path,
        "languages": [Choice(code, name) for code, name in LANGUAGES.items()],
        "demo": request.app.state.settings.demo,
        "version": request.app.version,
    }


def redirect(request: Request, to: str, said: Text | None = None) -> Response:
    """Answer a post: 303 to a page of ours, with a sentence shown there once."""
    key = getattr(request.state, "form_key", None)
    if key is not None:
        sent_forms(request).answer(key, to, said)
    response = RedirectResponse(to, 303)
    if said is not None:
        flash(request, response, said)
    return response


async def sent_before(request: Request, error: Exception) -> Response:
    """Answer a form that was sent twice: where the first one led, and that it counts once."""
    assert isinstance(error, SentBefore)
    response = RedirectResponse(error.to, 303)
    if error.said is not None:
        flash(request, response, text("{said} It was sent twice and counts once.", said=error.said))
    return response


def flash(request: Request, response: Response, said: Text) -> None:
    """Keep a sentence for the next page that this browser opens."""
    tokens.write_flash(request, response, reader_of(request).say(said))


def _navigation(path: str) -> tuple[Tab, ...]:
    return (
        Tab(text("Campaigns"), "/campaigns", path.startswith("/campaigns")),
        Tab(text("Offers"), "/offers", path.startswith("/offers")),
    )


def _tabs(path: str, frame: Frame) -> tuple[Tab, ...]:
    base = f"/campaigns/{frame.id}"
    here = path.removeprefix(base).strip("/").split("/")[0]
    here = OF_ROOM.get(here, here)
    return tuple(Tab(label, f"{base}/{room}".rstrip("/"), here == room) for room, label in ROOMS)
