"""Pages that ask again: a version as tag, 304 before any rendering, one shared render at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime

from fastapi import Request
from starlette.responses import Response

from app.web.page import reader_of

_KEEP_S = 0.25
_MOST = 512


def version_tag(request: Request, *parts: object, now: datetime) -> str:
    """What a live part of a page depends on: its facts, the minute, the language, the build."""
    minute = int(now.timestamp()) // 60
    facts = (*parts, minute, reader_of(request).language, request.app.version)
    return "-".join(str(part) for part in facts)


def unchanged(request: Request, tag: str) -> Response | None:
    """304 with date, tag and vary when the asker has this version already."""
    if request.headers.get("hx-ptag") != tag:
        return None
    return Response(
        status_code=304, headers={"HX-PTag": tag, "Vary": "Accept-Language, Cookie, HX-PTag"}
    )


class SharedRenders:
    """The last render of each live part: used by all who ask for it, at most 250 ms behind."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, str, bytes]] = {}
        self._lock = threading.Lock()

    def get(self, key: str, tag: str, render: Callable[[], bytes]) -> tuple[str, bytes]:
        """The body for a tag, or one rendered less than 250 ms ago with the tag it had then."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and (kept[1] == tag or time.monotonic() - kept[0] < _KEEP_S):
                return kept[1], kept[2]
            body = render()
            if len(self._kept) >= _MOST:
                self._kept.clear()
            self._kept[key] = (time.monotonic(), tag, body)
            return tag, body


shared = SharedRenders()
