"""The posts of jobs: read at the edge, recorded in the writer's one transaction, answered after
its commit. No thread is taken but the writer's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from fastapi import Request

from app import clock
from app.accounts.access import JobAccess, book, job, person
from app.accounts.commands import note_use
from app.db import Database, WriteSession
from app.errors import AppError, Forbidden, Malformed
from app.journal import Actor
from app.runs import commands
from app.runs.api import answers
from app.runs.api.bodies import events_in, read_body, unpacked
from app.runs.api.pacing import paces
from app.runs.rules.events import Event, Kind
from app.runs.rules.reading import exit_event, read_event
from app.runs.rules.times import CLOCK_OFF, CLOCK_PRESUMED, clock_off_s, us_of
from app.runs.rules.values import Unreadable, instant, unknown
from app.texts import Text, text

MOST_EVENTS = 1000
SENT_AT = b"punktum-sent-at"
"""The header that says when a client sent, by its own clock."""
SAID_AS = "Punktum-Sent-At"
ASKED = ("campaign",)
"""What the address of a job's post may say behind its `?`."""


@dataclass(slots=True)
class Poster:
    """Which campaign is written to, and by whom: a job by its token, or a person."""

    database: Database
    campaign_id: str
    actor: Actor
    access: JobAccess | None


async def post_event(request: Request, body: bytes, run_id: str, kind: str) -> bytes:
    """One event; run and kind come from the address."""
    poster = _poster(request)
    try:
        event = read_event(read_body(request.scope, body), run=run_id, kind=kind)
    except Unreadable as error:
        raise commands.malformed(error) from None
    if event.kind is not Kind.START:
        return await _one(poster, event)
    noted = _note_clock(request, [event])
    if not noted.is_known:
        _presume_clock(event)
    return await _one(poster, event, noted.warnings)


async def post_exit(request: Request, body: bytes, run_id: str, code: str) -> bytes:
    """An exit code from a shell; the body is the end of a log, whatever its type."""
    poster = _poster(request)
    if not (code.isascii() and code.isdecimal() and len(code) <= 3):
        raise Malformed(text("An exit code is a number from 0 to 255."), field="code")
    try:
        event = exit_event(run_id, int(code), unpacked(request.scope, body))
    except Unreadable as error:
        raise commands.malformed(error) from None
    return await _one(poster, event)


async def post_batch(request: Request, body: bytes) -> bytes:
    """Up to 1,000 events, each judged alone."""
    poster = _poster(request)
    posts: list[Event | AppError] = []
    for item in events_in(read_body(request.scope, body), MOST_EVENTS):
        try:
            posts.append(read_event(item))
        except Unreadable as error:
            posts.append(commands.malformed(error))
    noted = _note_clock(request, posts)
    now = clock.now()

    def command(tx: WriteSession) -> commands.Recorded:
        told = commands.record(tx, poster.campaign_id, posts, poster.actor, now)
        return commands.with_own_rules(tx, poster.campaign_id, told)

    told = await _write(poster, command, now)
    told.warnings += noted.warnings
    return answers.batch(told, now)


class _Noted(NamedTuple):
    """Whether the sender said when it sent, and what it is told where that cannot be read."""

    is_known: bool
    warnings: tuple[Text, ...] = ()


def _note_clock(request: Request, posts: Sequence[Event | AppError]) -> _Noted:
    """Keep with a start how far the sender's clock is off, so that no time is drawn by it."""
    starts = [
        one
        for one in posts
        if isinstance(one, Event) and one.kind is Kind.START and one.seq is not None
    ]
    sent = next((v for k, v in request.scope["headers"] if k == SENT_AT), None) if starts else None
    if sent is None:
        return _Noted(False)
    try:
        off_s = clock_off_s(instant(sent.decode("latin-1"), SAID_AS), us_of(clock.now()))
    except Unreadable:
        said = text("{field} is not an instant with an offset: it was ignored", field=SAID_AS)
        return _Noted(False, (said,))
    for start in starts:
        if off_s is not None and isinstance(start.fields, dict):
            start.fields[CLOCK_OFF] = off_s
    return _Noted(True)


def _presume_clock(start: Event) -> None:
    """Take a start that comes alone and says nothing of its sending for sent when it was made:
    what follows will tell whether that was so."""
    if start.seq is None or start.at_us is None:
        return
    off_s = clock_off_s(start.at_us, us_of(clock.now()))
    if off_s is not None and isinstance(start.fields, dict):
        start.fields.update({CLOCK_OFF: off_s, CLOCK_PRESUMED: True})


async def _one(poster: Poster, event: Event, warnings: tuple[Text, ...] = ()) -> bytes:
    now = clock.now()

    def command(tx: WriteSession) -> commands.Recorded | AppError:
        told = commands.record_one(tx, poster.campaign_id, event, poster.actor, now)
        if isinstance(told, AppError) or told.rules is None:
            return told
        return commands.with_own_rules(tx, poster.campaign_id, told)

    told = await _write(poster, command, now)
    told.warnings += warnings
    return answers.single(told, now)


async def _write(poster: Poster, command: Callable[[WriteSession], Any], now: datetime) -> Any:
    """Run a command, and once in a while note that the token was used."""
    access = poster.access
    if access is None or not book.note_due(access.token_id):
        return await poster.database.write_async(poster.campaign_id, command)
    token_id = access.token_id

    def noting(tx: WriteSession) -> Any:
        result = command(tx)
        if not isinstance(result, AppError):
            note_use(tx, token_id, now)
        return result

    return await poster.database.write_async(poster.campaign_id, noting)


def _poster(request: Request) -> Poster:
    """Who posts; what the address says beside the campaign is refused, not passed over."""
    if request.scope["query_string"]:
        asked = [name for name, _ in request.query_params.multi_items()]
        for name in asked:
            if name not in ASKED:
                wrong = unknown(name, ASKED)
                raise Malformed(wrong.said, field=wrong.field, allowed=wrong.allowed)
        if len(asked) > 1:
            said = text("{field} is there more than once.", field=ASKED[0])
            raise Malformed(said, field=ASKED[0])
    return poster_of(request)


def poster_of(request: Request) -> Poster:
    """Who posts: a job by its token, a person by `?campaign=`."""
    scope = request.scope
    access = job(request)
    named = request.query_params.get("campaign") if scope["query_string"] else None
    database = scope["app"].state.db
    if access is None:
        if named is None:
            said = text("Send a job token, or say ?campaign= on this machine.")
            raise Malformed(said, field="campaign")
        return Poster(database, named, person(request), None)
    if named is not None and named != access.campaign_id:
        raise Forbidden(text("This token belongs to another campaign."))
    paces.admit(access.token_id, scope["app"].state.settings.posts_per_s)
    return Poster(database, access.campaign_id, Actor("job", access.name), access)
