"""The job API, and runs for people and scripts; `doors` are tried before any other route."""

from __future__ import annotations

import re
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from app import clock
from app.accounts.access import job
from app.errors import Forbidden, NotFound, NotSignedIn
from app.runs import queries
from app.runs.api import documents, people
from app.runs.api.models import Answer, BatchAnswer
from app.runs.api.posting import post_batch, post_event, post_exit
from app.runs.rules.events import JOB_KINDS, Kind
from app.texts import text

router = APIRouter(prefix="/api/v1")
jobs = APIRouter(tags=["jobs"])
_EVENT: Final = re.compile(r"/api/v1/runs/([^/]+)/(start|beat|checkpoint|stop|fail|finish)\Z")


class EventDoor(BaseRoute):
    """The way of single posts, before the routes of all rooms are tried one after the other.

    It leads to the same function as the route that OpenAPI documents.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether this is a post of one event."""
        if scope["type"] != "http" or scope["method"] != "POST":
            return Match.NONE, {}
        found = _EVENT.match(scope["path"])
        if found is None:
            return Match.NONE, {}
        return Match.FULL, {"path_params": {"run_id": found[1], "kind": found[2]}}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer it."""
        response = await post_event(Request(scope, receive, send))
        await response(scope, receive, send)


doors: Final[tuple[BaseRoute, ...]] = (EventDoor(),)


def _document(kind: Kind) -> None:
    """A route for each kind of event, with its body and answers documented."""

    async def post(request: Request, run_id: str) -> Response:
        request.path_params["kind"] = kind.value
        return await post_event(request)

    post.__doc__ = f"Post a {kind.value} of a run; safe to repeat."
    jobs.add_api_route(
        f"/runs/{{run_id}}/{kind.value}",
        post,
        methods=["POST"],
        name=f"post_{kind.value}",
        response_model=Answer,
        responses=documents.PROBLEMS,
        openapi_extra=documents.event_body(kind),
    )


for _kind in JOB_KINDS:
    _document(_kind)


@jobs.post(
    "/runs/{run_id}/exit/{code}",
    response_model=Answer,
    responses=documents.PROBLEMS,
    openapi_extra=documents.raw_log_body(),
)
async def post_exit_code(request: Request, run_id: str, code: str) -> Response:
    """Post a shell's exit code; the body may be the end of a log."""
    return await post_exit(request)


@jobs.post(
    "/events",
    response_model=BatchAnswer,
    responses=documents.PROBLEMS,
    openapi_extra=documents.batch_body(),
)
async def post_events(request: Request) -> Response:
    """Post up to 1,000 events, each judged alone; gzip is taken."""
    return await post_batch(request)


@jobs.get("/sheet")
def read_sheet(request: Request) -> dict[str, object]:
    """What a job may know of its campaign: steps, stop rules, checks, corpora, windows."""
    access = job(request)
    if access is None:
        raise NotSignedIn(text("The sheet is read with a job token."))
    with request.app.state.db.read() as session:
        found = queries.sheet(session, access.campaign_id, clock.now())
    if found is None:
        raise NotFound(text("There is no campaign {id}.", id=access.campaign_id))
    if found["campaign"]["state"] == "closed":
        raise Forbidden(text("This token ended with the close of its campaign."))
    return found


router.include_router(jobs)
router.include_router(people.router)
