"""The posts of jobs: read at the edge, recorded in the writer's one transaction, answered after
its commit. No thread is taken but the writer's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from fastapi import Request
from starlette.responses import Response

from app import clock
from app.accounts.access import JobAccess, book, job, person
from app.accounts.commands import note_use
from app.db import WriteSession
from app.errors import AppError, Forbidden, Malformed
from app.journal import Actor
from app.runs import commands
from app.runs.api import answers
from app.runs.api.bodies import events_in, raw_body, read_body
from app.runs.rules.events import Event
from app.runs.rules.reading import exit_event, read_event
from app.runs.rules.values import Unreadable
from app.texts import text

MOST_EVENTS = 1000
_JSON = "application/json"


async def post_event(request: Request) -> Response:
    """One event; run and kind come from the address."""
    campaign_id, actor, access = _poster(request)
    where = request.path_params
    try:
        body = await read_body(request)
        event = read_event(body, run=where["run_id"], kind=where["kind"])
    except Unreadable as error:
        raise commands.malformed(error) from None
    return await _one(request, campaign_id, event, actor, access)


async def post_exit(request: Request) -> Response:
    """An exit code from a shell; the body is the end of a log, whatever its type."""
    campaign_id, actor, access = _poster(request)
    where, code = request.path_params, request.path_params["code"]
    if not (code.isascii() and code.isdecimal() and len(code) <= 3):
        raise Malformed(text("An exit code is a number from 0 to 255."), field="code")
    try:
        event = exit_event(where["run_id"], int(code), await raw_body(request))
    except Unreadable as error:
        raise commands.malformed(error) from None
    return await _one(request, campaign_id, event, actor, access)


async def post_batch(request: Request) -> Response:
    """Up to 1,000 events, each judged alone."""
    campaign_id, actor, access = _poster(request)
    posts: list[Event | AppError] = []
    for item in events_in(await read_body(request), MOST_EVENTS):
        try:
            posts.append(read_event(item))
        except Unreadable as error:
            posts.append(commands.malformed(error))
    now = clock.now()
    told = await _write(
        request,
        campaign_id,
        lambda tx: commands.record(tx, campaign_id, posts, actor, now),
        access,
        now,
    )
    return Response(answers.batch(told, now), media_type=_JSON)


async def _one(
    request: Request, campaign_id: str, event: Event, actor: Actor, access: JobAccess | None
) -> Response:
    now = clock.now()
    told = await _write(
        request,
        campaign_id,
        lambda tx: commands.record_one(tx, campaign_id, event, actor, now),
        access,
        now,
    )
    return Response(answers.single(told, now), media_type=_JSON)


async def _write(
    request: Request,
    campaign_id: str,
    command: Callable[[WriteSession], Any],
    access: JobAccess | None,
    now: datetime,
) -> Any:
    """Run a command, and once in a while note that the token was used."""
    database = request.app.state.db
    if access is None or not book.note_due(access.token_id):
        return await database.write_async(campaign_id, command)
    token_id = access.token_id

    def noting(tx: WriteSession) -> Any:
        result = command(tx)
        if not isinstance(result, AppError):
            note_use(tx, token_id, now)
        return result

    return await database.write_async(campaign_id, noting)


def _poster(request: Request) -> tuple[str, Actor, JobAccess | None]:
    """Which campaign is written to, and by whom: a job by its token, a person by `?campaign=`."""
    access = job(request)
    named = request.query_params.get("campaign") if request.scope["query_string"] else None
    if access is None:
        if named is None:
            said = text("Send a job token, or say ?campaign= on this machine.")
            raise Malformed(said, field="campaign")
        return named, person(request), None
    if named is not None and named != access.campaign_id:
        raise Forbidden(text("This token belongs to another campaign."))
    return access.campaign_id, Actor("job", access.name), access
