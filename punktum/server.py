"""The server as the client sees it: a kept connection, JSON in and out, nothing hangs for ever."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import punktum
from punktum import instants, reading
from punktum.settings import Settings, token_in

if TYPE_CHECKING:
    from http.client import HTTPConnection, HTTPResponse

LONGEST_ANSWER: Final = 8 << 20
TURNED_AWAY: Final = (401, 403)
NO_TOKEN: Final = "no token: set PUNKTUM_TOKEN_FILE or PUNKTUM_TOKEN"


class Unreachable(Exception):
    """No answer: refused, timed out, cut off. The text names the cause."""

    def __init__(self, cause: str, timed_out: bool = False) -> None:
        super().__init__(cause)
        self.timed_out = timed_out


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: HTTP status, the JSON object in it (empty when it holds none), headers used."""

    status: int
    body: dict[str, object] = field(default_factory=dict)
    retry_after_s: int | None = None
    server_date: str | None = None

    @property
    def problem(self) -> str:
        """Why it was refused and by which status, in one line."""
        for key in ("detail", "title"):
            said = reading.text(self.body.get(key))
            if said:
                return f"{said} ({self.status})"
        return f"the server answered {self.status}"


class Pieces:
    """A body that is never whole in memory, and its length."""

    def __init__(self, make: Callable[[], Iterator[bytes]]) -> None:
        self._make = make
        self.length = sum(len(piece) for piece in make())

    def __iter__(self) -> Iterator[bytes]:
        return self._make()


class Server:
    """One connection; not to be shared between threads."""

    def __init__(self, settings: Settings, timeout_s: float = 10.0) -> None:
        if settings.url is None:
            raise ValueError("no address")
        parts = urlsplit(settings.url)
        self.url = settings.url
        self._secure = parts.scheme == "https"
        self._host = parts.hostname or ""
        self._port = parts.port
        self._prefix = parts.path
        self._token = settings.token
        self._token_file = os.path.abspath(settings.token_file) if settings.token_file else None
        self._was_turned_away = False
        self._timeout_s = timeout_s
        self._connection: HTTPConnection | None = None

    def get(self, path: str) -> Reply:
        """GET a path below the address. Raises Unreachable."""
        return self._ask("GET", path, None)

    def post(self, path: str, value: object) -> Reply:
        """POST a value as JSON. Raises Unreachable."""
        return self.post_bytes(
            path, json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        )

    def post_bytes(self, path: str, body: bytes) -> Reply:
        """POST JSON that is written already. Raises Unreachable.

        Without a token nothing can be recorded, so nothing is sent: the answer is ours.
        """
        if self._token is None:
            return Reply(401, {"detail": NO_TOKEN})
        return self._ask("POST", path, body)

    def post_pieces(
        self, path: str, pieces: Callable[[], Iterator[bytes]], as_person: bool = False
    ) -> Reply:
        """POST JSON that is made piece by piece, the same each time. Raises Unreachable.

        ``as_person``: also without a token, as who sits at the server's own machine may do.
        """
        if self._token is None and not as_person:
            return Reply(401, {"detail": NO_TOKEN})
        return self._ask("POST", path, Pieces(pieces))

    @property
    def has_token(self) -> bool:
        """Whether there is a token to write with."""
        return self._token is not None

    def close(self) -> None:
        """Let the connection go."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _ask(self, method: str, path: str, body: bytes | Pieces | None) -> Reply:
        """A kept connection may have been closed by the other side: that is tried once more. After
        an answer that turned the token away its file is read again: it may have been mended."""
        if self._was_turned_away and self._token_file is not None:
            self._token = token_in(self._token_file) or self._token
        was_kept = self._connection is not None
        try:
            reply = self._ask_once(method, path, body)
        except Unreachable as error:
            if not was_kept or error.timed_out:
                raise
            reply = self._ask_once(method, path, body)
        self._was_turned_away = reply.status in TURNED_AWAY
        return reply

    def reads_again(self, status: int) -> str:
        """What to add where this status turned the token away that came from a file."""
        if status not in TURNED_AWAY or self._token_file is None:
            return ""
        return f"; {self._token_file} is read again before each try"

    def _ask_once(self, method: str, path: str, body: bytes | Pieces | None) -> Reply:
        from http.client import HTTPException

        try:
            if self._connection is None:
                self._connection = self._connect()
            sent = iter(body) if isinstance(body, Pieces) else body
            self._connection.request(method, self._prefix + path, sent, self._headers(body))
            response = self._connection.getresponse()
            raw = _read(response, self._timeout_s * 3)
            response.close()  # else the connection is not free for the next request
            reply = Reply(
                response.status,
                _json_object(raw),
                _seconds(response.headers.get("Retry-After")),
                response.headers.get("Date"),
            )
            if response.will_close:
                self.close()
        except (OSError, HTTPException, ValueError) as error:
            self.close()
            raise Unreachable(_cause(error), isinstance(error, TimeoutError)) from None
        return reply

    def _connect(self) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection

        kind = HTTPSConnection if self._secure else HTTPConnection
        return kind(self._host, self._port, timeout=self._timeout_s)

    def _headers(self, body: bytes | Pieces | None) -> dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": f"punktum/{punktum.__version__}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
            if isinstance(body, Pieces):
                headers["Content-Length"] = str(body.length)
            headers["Punktum-Sent-At"] = instants.now_text()  # so that our clock can be set right
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        return headers


def _read(response: HTTPResponse, most_s: float) -> bytes:
    """The whole body, but no endless one and no dripping one."""
    ends = time.monotonic() + most_s
    blocks, size = [], 0
    while block := response.read1(1 << 16):
        blocks.append(block)
        size += len(block)
        if size > LONGEST_ANSWER or time.monotonic() > ends:
            raise OSError("the answer does not end")
    return b"".join(blocks)


def _json_object(raw: bytes) -> dict[str, object]:
    try:
        return reading.record(json.loads(raw))
    except (ValueError, RecursionError):
        return {}


def _seconds(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None


def _cause(error: Exception) -> str:
    """What went wrong without anything that was sent: no header, no token."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return type(error).__name__
