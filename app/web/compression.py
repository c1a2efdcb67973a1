"""gzip for pages, files and lists; the job API's small answers go out as they are."""

from __future__ import annotations

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from app.web.walls import JOB_PATHS

SMALLEST = 1024
LEVEL = 5


class Compression:
    """Passes posts of jobs straight on and compresses the rest."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.compressed = GZipMiddleware(app, minimum_size=SMALLEST, compresslevel=LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope["path"].startswith(JOB_PATHS):
            await self.app(scope, receive, send)
        else:
            await self.compressed(scope, receive, send)
