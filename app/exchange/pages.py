"""Campaign files in the browser: upload or paste, the sample, download."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.errors import Conflict, Malformed, NotFound
from app.exchange.commands import Beside, import_sample, import_text, nothing_beside
from app.exchange.queries import download_headers, file_of
from app.journal import Actor
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class FileLine:
    """One problem of a file: its line from 1, its key, and what would be right."""

    line: int
    field: str
    detail: str


@dataclass(frozen=True, slots=True)
class Changed:
    """One place where the file and the draft differ."""

    path: str
    stored: str | None
    sent: str | None


@dataclass(frozen=True, slots=True)
class ImportPage:
    """The upload form; a refused file stands in it as text, with its problems by line."""

    campaign_id: str | None
    source: str
    problems: tuple[FileLine, ...]
    difference: tuple[Changed, ...]
    refused: Text | None


@router.get("/campaigns/import")
def show_import(
    request: Request, campaign: Annotated[str | None, Query(max_length=64)] = None
) -> Response:
    """Where a campaign file is uploaded or pasted."""
    return _page(request, ImportPage(campaign, "", (), (), None))


@router.post("/campaigns")
@router.post("/campaigns/import")
def import_file(
    request: Request,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Read a file into a draft, whole or not at all; a refused one comes back to be put right."""
    uploaded = form.files.get("file") or b""
    source = uploaded or form.values.get("source", "").replace("\r\n", "\n").encode()
    replacing = form.get("replace") != ""
    only = form.get("campaign") or None
    if not source.strip():
        said = text("Choose a file, or paste its text.")
        return _page(request, ImportPage(only, "", (), (), said), 422)
    try:
        done = import_text(
            request.app.state.db,
            source,
            actor,
            clock.now(),
            replace=replacing,
            beside=_beside(form.files.get("ids") or b""),
            only=only,
        )
    except Malformed as refused:
        problems = _problems(refused.extra.get("problems"))
        shown = ImportPage(only, _shown(source), problems, (), refused.detail)
        return _page(request, shown, 422)
    except Conflict as refused:
        if "difference" not in refused.extra:
            raise
        changed = _changed(refused.extra["difference"])
        return _page(request, ImportPage(only, _shown(source), (), changed, refused.detail), 409)
    said = text("The file is read into the draft.") if done.changed else text("Nothing changed.")
    if done.warnings:
        said = text("{said} {warning}", said=said, warning=done.warnings[0])
    return redirect(request, f"/campaigns/{done.campaign_id}/plan/draft", said)


@router.post("/campaigns/sample")
def load_sample(
    request: Request,
    _form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Load the sample; one that was changed since stays as it is."""
    try:
        done = import_sample(request.app.state.db, actor, clock.now())
    except Conflict:
        said = text("The sample is here already and was changed; it stays as it is.")
        return redirect(request, "/campaigns", said)
    return redirect(request, f"/campaigns/{done.campaign_id}", text("The sample is loaded."))


@router.get("/campaigns/{campaign_id}/file")
def download(
    request: Request,
    campaign_id: str,
    version: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """The campaign file: of the newest sealed version, else of the draft; `version=0` the draft."""
    with request.app.state.db.read() as session:
        content = file_of(session, campaign_id, version)
    if content is None:
        raise NotFound(text("There is no such plan of the campaign {id}.", id=campaign_id))
    headers = download_headers(campaign_id, version)
    return Response(content, media_type="application/toml", headers=headers)


def _page(request: Request, context: ImportPage, status: int = 200) -> Response:
    title = text("Upload a campaign file")
    return page(request, "exchange/import.html", context, title=title, status=status)


def _beside(ids: bytes) -> Beside:
    """A file of ids that was uploaded too stands for whichever one the campaign file names."""
    return (lambda name: ids) if ids.strip() else nothing_beside


def _shown(source: bytes) -> str:
    return source.decode("utf-8", "replace").replace("\x00", "�")


def _problems(listed: object) -> tuple[FileLine, ...]:
    rows: Sequence[Any] = listed if isinstance(listed, list) else ()
    return tuple(FileLine(row["line"], row["field"], row["detail"]) for row in rows)


def _changed(listed: object) -> tuple[Changed, ...]:
    rows: Sequence[Any] = listed if isinstance(listed, list) else ()
    return tuple(Changed(row["path"], _cut(row["stored"]), _cut(row["sent"])) for row in rows)


def _cut(value: object) -> str | None:
    """A value short enough to stand in a table."""
    if value is None:
        return None
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return said if len(said) <= 120 else f"{said[:119]}…"
