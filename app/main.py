"""The application: settings and database in, one ASGI app out."""

from __future__ import annotations

import asyncio
import functools
import gc
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from app import clock, rooms
from app.db import Database
from app.errors import AppError, Malformed, NotAllowed, NotFound, Refusal
from app.journal.api import router as journal_router
from app.language import LANGUAGES
from app.settings import Settings
from app.texts import Text, text
from app.watch import keep_looking
from app.web.compression import Compression
from app.web.malformed import malformed
from app.web.openapi import Described
from app.web.page import page, sent_before
from app.web.sent import SentBefore
from app.web.templates import asset_file, environment
from app.web.walls import CLIENT_FILE, Walls

system = APIRouter(include_in_schema=False)


def create_app(settings: Settings, database: Database, secret: bytes) -> FastAPI:
    """Build the app around an open, migrated database. `secret` signs forms and cookies."""
    app = Described(
        title="Punktum",
        version=version("punktum"),
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        lifespan=_lifespan,
    )
    app.state.settings, app.state.db, app.state.secret = settings, database, secret
    app.include_router(system)
    app.include_router(journal_router)
    for router in rooms.routers():
        app.include_router(router)
    app.add_exception_handler(AppError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(SentBefore, sent_before)
    walled = functools.partial(
        Walls,
        hosts=_hosts(settings),
        max_body=settings.max_body_bytes,
        jobs_port=settings.jobs_port,
    )
    app.add_middleware(Compression)
    app.add_middleware(walled)
    app.doors = tuple((door.takes, walled(door)) for door in rooms.doors())
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Warm the templates, then keep start-up's objects out of the garbage collector's way."""
    environment()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)
    gc.enable()
    watching = asyncio.create_task(keep_looking(app.state.db, rooms.watchers()))
    yield
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    app.state.db.close()


def _hosts(settings: Settings) -> set[str]:
    named = {host.strip().lower() for host in settings.allowed_hosts.split(",") if host.strip()}
    return named | {"127.0.0.1", "localhost", "[::1]", settings.host.lower()}


@system.get("/")
def home() -> Response:
    """The list of campaigns is the front door."""
    return RedirectResponse("/campaigns", 307)


@system.get("/healthz")
def health(request: Request) -> Response:
    """Whether the server can read, and which database library it stands on."""
    verdict = request.app.state.db.verdict()
    body = {
        "status": "ok" if verdict.safe else "warning",
        "version": request.app.version,
        "database": {"name": verdict.name, "version": verdict.version, "safe": verdict.safe},
        "time": clock.now().isoformat(),
    }
    if not verdict.safe:
        body["warning"] = (
            "this SQLite can corrupt a database under concurrent checkpoints; use 3.51.3 or newer"
        )
    return JSONResponse(body)


@system.get("/static/{name:path}")
def static(name: str) -> Response:
    """A static file under its hashed name, good for ever."""
    file = asset_file(name)
    if file is None:
        raise NotFound(text("There is no such file."))
    return FileResponse(file, headers={"Cache-Control": "public, max-age=31536000, immutable"})


@system.get("/language/{code}")
def language(code: str, next: str = "/campaigns") -> Response:
    """Remember the language a person chose and go back to where they were."""
    if code not in LANGUAGES:
        raise NotFound(text("This language is not there."), allowed=list(LANGUAGES))
    ours = next if next.startswith("/") and not next.startswith(("//", "/\\")) else "/campaigns"
    response = RedirectResponse(ours, 303)
    response.set_cookie("language", code, max_age=400 * 86400, samesite="lax")
    return response


class Problem(JSONResponse):
    """A refusal as JSON. It may repeat a name as it came, so half a surrogate pair is replaced."""

    media_type = "application/problem+json"

    def render(self, content: object) -> bytes:
        """UTF-8, whatever the request held."""
        written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return written.encode("utf-8", "replace")


def _answer(request: Request, refusal: AppError) -> Response:
    """The problem as JSON for the API, as a readable page for people."""
    headers = {} if refusal.retry_after_s is None else {"Retry-After": str(refusal.retry_after_s)}
    path = request.scope["path"]
    if path.startswith("/api/") or path == CLIENT_FILE:
        return Problem(refusal.problem(), refusal.status, headers)
    request_id = request.scope["state"].get("request_id")
    shown = Refusal(
        refusal.status,
        refusal.title,
        refusal.detail,
        refusal.field,
        refusal.allowed or (),
        request_id,
    )
    return page(
        request,
        "errors/error.html",
        shown,
        title=refusal.title,
        status=refusal.status,
        headers=headers,
    )


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, AppError)
    return _answer(request, error)


async def _malformed(request: Request, error: Exception) -> Response:
    """A request that does not fit its address."""
    assert isinstance(error, RequestValidationError)
    return _answer(request, malformed(error.errors()))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return _answer(request, NotAllowed(text("This address does not take that method.")))
    if error.status_code == 404:
        return _answer(request, NotFound(text("There is nothing at this address.")))
    detail: Text = text("{reason}", reason=str(error.detail))
    return _answer(request, Malformed(detail))
