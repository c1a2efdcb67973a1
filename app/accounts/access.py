"""Who may do what. Without accounts, the person at this machine may do everything;
a job may write the record of one campaign."""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass
from datetime import datetime

from fastapi import Request
from sqlmodel import select

from app import clock
from app.accounts.tables import JobToken
from app.db import Database
from app.errors import Forbidden, NotSignedIn
from app.journal import Actor
from app.texts import text

PREFIX = "pk_"
_KEEP_S = 2.0  # another process's revocation is seen after this long
_NOTE_S = 60.0  # "last used" is exact to this long


@dataclass(frozen=True, slots=True)
class JobAccess:
    """What a job's token opens: writing to one campaign."""

    token_id: str
    campaign_id: str
    name: str
    expires_at: datetime
    revoked_at: datetime | None


class TokenBook:
    """The tokens seen lately by hash, so that a post needs no query of its own."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, JobAccess]] = {}
        self._opened: dict[bytes, tuple[float, JobAccess]] = {}
        self._noted: dict[str, float] = {}
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Drop everything after a token was made or revoked here."""
        with self._lock:
            self._known.clear()
            self._opened.clear()

    def lately(self, credential: bytes) -> JobAccess | None:
        """What this very header opened a moment ago; most posts come this way."""
        opened = self._opened.get(credential)
        if opened is None or time.monotonic() - opened[0] >= _KEEP_S:
            return None
        return opened[1]

    def opens(self, credential: bytes, access: JobAccess) -> None:
        """Remember for a moment what a header opened."""
        with self._lock:
            if len(self._opened) > 1000:
                self._opened.clear()
            self._opened[credential] = (time.monotonic(), access)

    def note_due(self, token_id: str) -> bool:
        """Whether the token's use is to be written down now: once in a while, not at each post."""
        now = time.monotonic()
        if now - self._noted.get(token_id, -_NOTE_S) < _NOTE_S:
            return False
        if len(self._noted) > 1000:
            self._noted.clear()
        self._noted[token_id] = now
        return True

    def find(self, database: Database, token: str) -> JobAccess | None:
        """The access of a token, or None for one that does not exist."""
        digest = hashlib.sha256(token.encode()).hexdigest()
        known = self._known.get(digest)
        if known is not None and time.monotonic() - known[0] < _KEEP_S:
            return known[1]
        with database.read() as session:
            row = session.exec(select(JobToken).where(JobToken.sha256 == digest)).first()
        if row is None:
            return None
        access = JobAccess(row.id, row.campaign_id, row.name, row.expires_at, row.revoked_at)
        with self._lock:
            if len(self._known) > 1000:
                self._known.clear()
            self._known[digest] = (time.monotonic(), access)
        return access


book = TokenBook()


def _credential(request: Request) -> bytes | None:
    """The Authorization header as it came; machines wait, so it is taken from the scope.

    An empty one is a credential that is none: who sends it is not taken for the person here.
    """
    for name, value in request.scope["headers"]:
        if name == b"authorization":
            said: bytes = value
            return said
    return None


def _token(credential: bytes) -> str | None:
    kind, _, token = credential.decode("latin-1").partition(" ")
    token = token.strip()
    return token if kind.lower() == "bearer" and token.startswith(PREFIX) else None


def person(request: Request) -> Actor:
    """The person behind a page or a script; a request with a token is judged by it alone."""
    if _credential(request) is not None:
        raise Forbidden(text("A job token writes the record of its campaign and nothing else."))
    return Actor("person", request.app.state.settings.person)


def job(request: Request) -> JobAccess | None:
    """The job behind a post, or None when a person posts without a token (`?campaign=`).

    Raises `NotSignedIn` for an unknown token and `Forbidden` for one that has ended.
    """
    credential = _credential(request)
    if credential is None:
        return None
    access = book.lately(credential)
    if access is None:
        access = _opened(request.app.state.db, credential)
        book.opens(credential, access)
    return access


def _opened(database: Database, credential: bytes) -> JobAccess:
    token = _token(credential)
    access = book.find(database, token) if token is not None else None
    if access is None:
        raise NotSignedIn(
            text("This token is not known here. Make a new one on the page “Connect a job”.")
        )
    if access.revoked_at is not None:
        raise Forbidden(text("This token was revoked. Make a new one on the page “Connect a job”."))
    if access.expires_at <= clock.now():
        raise Forbidden(text("This token has ended. Make a new one on the page “Connect a job”."))
    return access
