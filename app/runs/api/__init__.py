"""The job API, and runs for people and scripts; `doors` lead past the routes of all rooms."""

from __future__ import annotations

import re
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app import clock
from app.accounts.access import job
from app.errors import Forbidden, NotFound, NotSignedIn
from app.runs import queries
from app.runs.api import documents, mlflow, people
from app.runs.api.bodies import whole_body
from app.runs.api.models import Answer, BatchAnswer
from app.runs.api.posting import post_batch, post_event, post_exit
from app.runs.rules.events import JOB_KINDS, Kind
from app.texts import text

router = APIRouter()
api = APIRouter(prefix="/api/v1")
jobs = APIRouter(tags=["jobs"])
_EVENT: Final = re.compile(
    r"/api/v1/runs/(?P<run_id>[^/]+)/(?P<kind>start|beat|checkpoint|stop|fail|finish)\Z"
)


_ANSWER: Final = ((b"content-type", b"application/json"),)


def _json(body: bytes) -> Response:
    return Response(body, media_type="application/json")


class EventDoor:
    """The way of single posts past the routes of all rooms, behind walls of its own.

    It leads to the same function as the routes that OpenAPI documents.
    """

    def takes(self, scope: Scope) -> bool:
        """Whether this is a post of one event; run and kind are noted where routes note them."""
        if scope["type"] != "http" or scope["method"] != "POST":
            return False
        found = _EVENT.match(scope["path"])
        if found is not None:
            scope["path_params"] = found.groupdict()
        return found is not None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the post."""
        body = await whole_body(receive)
        answer = await post_event(Request(scope), body, **scope["path_params"])
        headers = [*_ANSWER, (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


doors: Final = (EventDoor(),)


def _document(kind: Kind) -> None:
    """A route for each kind of event, with its body and answers documented."""

    async def post(request: Request, run_id: str) -> Response:
        return _json(await post_event(request, await request.body(), run_id, kind.value))

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
    return _json(await post_exit(request, await request.body(), run_id, code))


@jobs.post(
    "/events",
    response_model=BatchAnswer,
    responses=documents.PROBLEMS,
    openapi_extra=documents.batch_body(),
)
async def post_events(request: Request) -> Response:
    """Post up to 1,000 events, each judged alone; gzip is taken."""
    return _json(await post_batch(request, await request.body()))


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


api.include_router(jobs)
api.include_router(people.router)
router.include_router(api)
router.include_router(mlflow.router)
