"""`/campaigns/{id}/connect`: a job token, and the blocks to paste where the job runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from app import clock
from app.accounts.access import book, person
from app.accounts.commands import NewToken, make_token, new_secret, revoke_token
from app.accounts.queries import TokenView, tokens_of
from app.accounts.rules import expiry
from app.errors import AppError
from app.runs import queries
from app.runs.pages.client_file import the_file
from app.runs.pages.listing import frame_or_404, known_of
from app.runs.rules.pasting import (
    Block,
    Box,
    Lines,
    Place,
    Told,
    Way,
    blocks,
    lines,
    reached,
    read_box,
)
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter()
Typed = Annotated[Form, Depends(read_form)]
BOX_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the reader chose: the way, the step, and the box as it was typed."""

    way: Way = Way.HERE
    step: str = ""
    box: str = ""


@dataclass(frozen=True, slots=True)
class Pasted:
    """One block to paste: where and what for, and its lines."""

    title: Text
    note: Text
    place: Text
    text: str


@dataclass(frozen=True, slots=True)
class ConnectPage:
    """The page; `made` is a token at the only moment that it can be read. `restart` says how to
    start the server with a port for jobs, where the way asks for one that is not there."""

    is_open: bool
    made: NewToken | None
    tokens: tuple[TokenView, ...]
    chosen: Chosen
    ways: tuple[tuple[str, Text, Text], ...]
    steps: tuple[tuple[str, str], ...]
    pasted: tuple[Pasted, ...]
    box_is_named: bool
    restart: str | None
    sha256: tuple[str, ...]
    lines: Lines | None
    form: Form


_WAYS = (
    (Way.HERE, text("On this machine"), text("The job reaches this address by itself.")),
    (
        Way.TUNNEL,
        text("On a rented box, through a tunnel"),
        text("ssh from here brings the port for jobs to the box, and nothing else."),
    ),
    (
        Way.OFFLINE,
        text("On a box without a connection"),
        text("Client and sheet go there as files, the spool comes back."),
    ),
)
_PLACES = {Place.HERE: text("On this machine"), Place.BOX: text("On the box")}
_TITLES = {
    (Way.HERE, "all"): (
        text("In a terminal of this machine, in the folder of your code"),
        text("Fetches the client, checks, and runs. Put your own command after the two hyphens."),
    ),
    (Way.TUNNEL, "tunnel"): (
        text("1. In a terminal of this machine"),
        text("Leave it open. If it breaks, start it again: events wait on the box meanwhile."),
    ),
    (Way.TUNNEL, "all"): (
        text("2. On the box, in the folder of your code"),
        text("Fetches the client, checks, and runs. Put your own command after the two hyphens."),
    ),
    (Way.OFFLINE, "take"): (
        text("1. In a terminal of this machine"),
        text("Fetches the client and the sheet, and copies both to the box."),
    ),
    (Way.OFFLINE, "run"): (
        text("2. On the box, in the folder of your code"),
        text("Needs no connection and no token; the stop rules are judged on the box."),
    ),
    (Way.OFFLINE, "bring"): (
        text("3. In the same folder of this machine, before the window ends"),
        text("Brings the spool home and sends it; as often as you like, nothing counts twice."),
    ),
}


@router.get("/campaigns/{campaign_id}/connect")
def connect(
    request: Request,
    campaign_id: str,
    way: Way = Way.HERE,
    step: str = "",
    box: Annotated[str, Query(max_length=BOX_LENGTH)] = "",
) -> Response:
    """The ways, the tokens there are, and the blocks to paste."""
    return _show(request, campaign_id, Form(), Chosen(way, step, box.strip()))


@router.post("/campaigns/{campaign_id}/connect/tokens")
def make(request: Request, campaign_id: str, form: Typed) -> Response:
    """Make a token and show it, once: a redirect would have to carry it somewhere."""
    actor, now, secret = person(request), clock.now(), new_secret()
    name, way = form.get("name") or "job", form.get("way")
    known = Way(way) if way in tuple(Way) else Way.HERE
    chosen = Chosen(known, form.get("step"), form.get("box")[:BOX_LENGTH])
    with request.app.state.db.read() as session:
        frame_or_404(session, campaign_id, now)
        windows = known_of(session, campaign_id, now).windows
    ends = expiry(now, max((window.ends_at for window in windows), default=None))
    try:
        made = request.app.state.db.write(
            campaign_id,
            lambda tx: make_token(
                tx, campaign_id, secret, name=name, expires_at=ends, actor=actor, now=now
            ),
        )
    except AppError as refusal:
        if refusal.field is None:
            raise
        form.refuse(refusal.field, refusal.detail)
        return _show(request, campaign_id, form, chosen, status=refusal.status)
    return _show(request, campaign_id, Form(), chosen, made=made)


@router.post("/campaigns/{campaign_id}/connect/revoke")
def revoke(request: Request, campaign_id: str, form: Typed) -> Response:
    """End a token at once."""
    person(request)
    now, token_id = clock.now(), form.get("token")
    request.app.state.db.write(
        campaign_id, lambda tx: revoke_token(tx, campaign_id, token_id, now=now)
    )
    book.forget()
    return redirect(
        request,
        f"/campaigns/{campaign_id}/connect",
        text("The token is revoked. What it sent stays."),
    )


def _show(
    request: Request,
    campaign_id: str,
    form: Form,
    chosen: Chosen,
    *,
    made: NewToken | None = None,
    status: int = 200,
) -> Response:
    now = clock.now()
    with request.app.state.db.read() as session:
        around = frame_or_404(session, campaign_id, now)
        known = known_of(session, campaign_id, now)
        tokens = tokens_of(session, campaign_id, now)
        planned = known.plan.plan.steps if known.plan else ()
        steps = tuple((one.id, one.title) for one in planned if one.gpus)
        chosen = replace(chosen, step=_step(chosen.step, steps))
        next_run = queries.next_run(session, campaign_id, chosen.step)
    box = read_box(chosen.box) if chosen.box else Box()
    if box is None:
        form.refuse("box", text("As ssh takes it: USER@HOST, with -p PORT where it has one."))
        status = max(status, 422)
    told = _told(request, campaign_id, chosen.step, box or Box())
    context = ConnectPage(
        is_open=around.state != "closed",
        made=made,
        tokens=tokens,
        chosen=chosen,
        ways=_WAYS,
        steps=steps,
        pasted=tuple(_pasted(chosen.way, one) for one in blocks(chosen.way, told)),
        box_is_named=box is not None and box.is_named,
        restart=_restart(request, chosen.way),
        sha256=tuple(told.sha256[at : at + 16] for at in range(0, 64, 16)),
        lines=lines(reached(chosen.way, told), chosen.step, next_run),
        form=form,
    )
    title = text("Connect a job")
    return page(request, "runs/connect.html", context, frame=around, title=title, status=status)


def _told(request: Request, campaign_id: str, step: str, box: Box) -> Told:
    settings, sha256 = request.app.state.settings, the_file().sha256
    host = "127.0.0.1" if settings.published_on_loopback else settings.host
    return Told(campaign_id, step, address(request), settings.jobs_port, sha256, box, host)


def _restart(request: Request, way: Way) -> str | None:
    settings = request.app.state.settings
    if way is not Way.TUNNEL or settings.jobs_port is not None:
        return None
    return restart(settings.port, settings.data, settings.demo)


def _step(asked: str, steps: Sequence[tuple[str, str]]) -> str:
    return next((id_ for id_, _ in steps if id_ == asked), steps[0][0] if steps else "control")


def _pasted(way: Way, block: Block) -> Pasted:
    title, note = _TITLES[way, block.does]
    return Pasted(title, note, _PLACES[block.place], block.text)


def restart(port: int, data: Path, is_demo: bool) -> str:
    """The command that starts this server with a second port, for jobs."""
    words = ["./bin/run"]
    words += [] if port == 8000 else ["--port", str(port)]
    words += ["--jobs-port", str(port + 1 if port < 65535 else port - 1)]
    if is_demo:
        words.append("--demo")
    elif data != Path("data"):
        words += ["--data", str(data)]
    return shlex.join(words)


def address(request: Request) -> str:
    """Where this server was reached; the Host header was checked before any room saw it."""
    host = next((v for k, v in request.scope["headers"] if k == b"host"), b"127.0.0.1")
    return f"{request.scope['scheme']}://{host.decode('latin-1')}"
