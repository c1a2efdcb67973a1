"""`/punktum.py`: the client as one file, for boxes without pip."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.accounts.access import job
from app.runs.rules.single_file import NAME, PACKAGE, SingleFile, single_file, version_in

router = APIRouter()


@router.head(f"/{NAME}")
@router.get(f"/{NAME}")
def download(request: Request) -> Response:
    """The file; a credential that is sent is judged, none is needed where the pages are."""
    job(request)
    made = the_file()
    tag = f'W/"{made.sha256}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if tag in [one.strip() for one in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{NAME}"'
    return Response(made.content, media_type="text/x-python", headers=headers)


@functools.cache
def the_file() -> SingleFile:
    """The file of the client that is installed beside this server; it is not imported for it."""
    found = importlib.util.find_spec(PACKAGE)
    assert found is not None
    assert found.origin is not None
    folder = Path(found.origin).parent
    sources = {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in folder.rglob("*.py")
    }
    return single_file(sources, version_in(sources))
