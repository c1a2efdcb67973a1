"""What every request passes before a room sees it, as plain ASGI.

Host, origin and size are judged on the scope, never on a rebuilt URL; each answer carries a
request id and the security headers; one log line says what happened, never a token or a body.
"""

from __future__ import annotations

import itertools
import json
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any
from urllib.parse import unquote

from app.errors import AppError, Broken, Forbidden, Malformed, NotFound, NotSignedIn, TooLarge
from app.texts import text

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

log = logging.getLogger("punktum.request")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
TRACKER_PATH = "/mlflow/"
"""Where stock clients of MLflow log runs, with a job's token; they read refusals their own way."""
JOB_PATHS = (
    "/api/v1/runs/", "/api/v1/events", "/api/v1/sheet", "/api/v1/deliverables/", TRACKER_PATH,
)  # fmt: skip
CLIENT_FILE = "/punktum.py"
"""The client as one file: jobs fetch it with their token, people without one."""
SPOOLS = re.compile(r"/campaigns/[^/]+/connect/spool\Z")
"""Where a person hands in the spool of a box, which is larger than what else is posted."""
MOST_OF_A_SPOOL = 64 << 20
EVIDENCE = re.compile(r"/api/v1/deliverables/[^/]+/submissions\Z")
"""Where a client sends the manifest of a folder, a line for each of its files."""
MOST_OF_EVIDENCE = 32 << 20
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "manifest-src 'self'"
)
_HEADERS = (
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)

_PROCESS = secrets.token_hex(4)
_requests = itertools.count(1)
"""Request ids: this process's own prefix and a count; asking for chance each time is slow."""
_FOR_JOBS = ((b"x-content-type-options", b"nosniff"),)
"""Answers of the job API are JSON that no browser shows: they carry no policy for pages."""


class Walls:
    """Host check, origin check, body limit, request id, headers and the log line.

    On `jobs_port` only the job API answers, and only to a token: that port may be reached from
    rented machines through a tunnel, so it must not be a door to the pages.
    """

    def __init__(
        self, app: App, *, hosts: Iterable[str], max_body: int, jobs_port: int | None = None
    ) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)
        self.max_body = max_body
        self.jobs_port = jobs_port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Judge, pass on, and answer in the one error shape where something is refused."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = f"{_PROCESS}{next(_requests):06x}"
        scope.setdefault("state", {})["request_id"] = request_id
        is_job = scope["path"].startswith(JOB_PATHS)
        started = time.perf_counter()
        seen = {"status": 0}

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen["status"] = message["status"]
                if message["status"] != 304:
                    more = _FOR_JOBS if is_job else _HEADERS
                    message["headers"] = _with_headers(message["headers"], more, request_id)
            await send(message)

        try:
            self._judge(scope)
            await self.app(scope, _limited(receive, self._most(scope["path"])), answer)
        except AppError as refusal:
            await refuse(refusal, answer, scope["path"])
        except Exception:
            log.exception("failed", extra={"request_id": request_id})
            if seen["status"]:
                raise
            detail = text("This failed on the server. The log names it by {id}.", id=request_id)
            await refuse(Broken(detail), answer, scope["path"])
        finally:
            # Jobs beat all day: what went well is only for those who look for it.
            level = logging.DEBUG if is_job and seen["status"] < 400 else logging.INFO
            if log.isEnabledFor(level):
                took_ms = round((time.perf_counter() - started) * 1000, 1)
                facts = {"method": scope["method"], "path": scope["path"], "status": seen["status"]}
                known = {"request_id": request_id, "took_ms": took_ms, **facts}
                log.log(level, "request", extra=known)

    def _judge(self, scope: Scope) -> None:
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if _name(host) not in self.hosts:
            raise Malformed(
                text("This server is not known by the name in the Host header."), field="Host"
            )
        asked = scope["path"]
        if scope["query_string"]:
            asked += unquote(scope["query_string"].decode("latin-1"))
        if _CONTROL.search(asked):
            raise Malformed(text("An address holds no control characters."))
        if self.jobs_port is not None and scope.get("server", ("", 0))[1] == self.jobs_port:
            _judge_job(scope["path"], headers)
        for_jobs = scope["path"].startswith(("/api/", TRACKER_PATH))
        for_people = not for_jobs and scope["path"] != CLIENT_FILE
        if b"authorization" in headers and for_people:
            raise Forbidden(text("A job token writes the record of its campaign and nothing else."))
        length, most = headers.get(b"content-length", b"0"), self._most(scope["path"])
        if not length.isdigit() or int(length) > most:
            raise TooLarge(text("The body is over the limit of {n} bytes.", n=most))
        if scope["method"] in SAFE:
            return
        origin = headers.get(b"origin")
        own = f"{scope['scheme']}://{host}".encode("latin-1")
        foreign = origin is not None and origin.lower() != own
        if foreign or headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site"):
            raise Forbidden(text("Requests from another site's page are not taken."))

    def _most(self, path: str) -> int:
        """How many bytes a body may have at this address."""
        if SPOOLS.match(path):
            return max(self.max_body, MOST_OF_A_SPOOL)
        return max(self.max_body, MOST_OF_EVIDENCE) if EVIDENCE.match(path) else self.max_body


def _judge_job(path: str, headers: Mapping[bytes, bytes]) -> None:
    """On the jobs' port: its few addresses, each with a token."""
    if not path.startswith(JOB_PATHS) and path != CLIENT_FILE:
        raise NotFound(text("There is nothing at this address."))
    if not headers.get(b"authorization", b"").strip():
        raise NotSignedIn(text("This port takes posts of jobs with their token only."))


def _name(host: str) -> str:
    """The host's name without its port; an IPv6 address keeps its brackets."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.rpartition(":")[0] if ":" in host else host


def _with_headers(
    headers: Iterable[tuple[bytes, bytes]], more: Iterable[tuple[bytes, bytes]], request_id: str
) -> list[tuple[bytes, bytes]]:
    kept = list(headers)
    present = {name for name, _ in kept}
    kept += [pair for pair in more if pair[0] not in present]
    kept.append((b"x-request-id", request_id.encode()))
    return kept


def _limited(receive: Receive, most: int) -> Receive:
    """Count a body that comes in chunks; past the limit the request ends with 413."""
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > most:
                raise TooLarge(text("The body is over the limit of {n} bytes.", n=most))
        return message

    return counted


async def refuse(refusal: AppError, send: Send, path: str = "") -> None:
    """Answer with the one JSON shape from outside of any route."""
    problem = refusal.problem()
    if path.startswith(TRACKER_PATH):
        problem |= {"error_code": str(refusal.status), "message": str(refusal.detail)}
    body = json.dumps(problem).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
    ]
    if refusal.retry_after_s is not None:
        headers.append((b"retry-after", str(refusal.retry_after_s).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
