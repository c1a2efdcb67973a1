"""Campaign files in the browser: upload or paste, the sample, download."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from app import clock
from app.accounts import access
from app.errors import Conflict, Malformed, NotFound
from app.exchange.commands import Beside, MalformedFile, import_sample, import_text, nothing_beside
from app.exchange.queries import Download, campaign_download, sealed_download
from app.journal import Actor
from app.texts import Text, text
from app.web import Form, page, read_form, redirect

router = APIRouter(include_in_schema=False)
AROUND = 16_384
"""Room in a body for what stands around the texts of a form."""


@dataclass(frozen=True, slots=True)
class FileLine:
    """One problem of a file: its line from 1, its key, and what would be right."""

    line: int
    field: str
    detail: Text


@dataclass(frozen=True, slots=True)
class Changed:
    """One place where the file and the draft differ."""

    path: str
    stored: str | None
    sent: str | None


@dataclass(frozen=True, slots=True)
class ImportPage:
    """The upload form; a refused file and the ids that came with it stand in it as text, with
    the file's problems by line. `ids_gone`: there were ids that the form cannot hold."""

    campaign_id: str | None
    source: str = ""
    ids: str = ""
    ids_gone: bool = False
    replacing: bool = False
    problems: tuple[FileLine, ...] = ()
    difference: tuple[Changed, ...] = ()
    refused: Text | None = None


@router.get("/campaigns/import")
def show_import(
    request: Request, campaign: Annotated[str | None, Query(max_length=64)] = None
) -> Response:
    """Where a campaign file is uploaded or pasted."""
    return _page(request, ImportPage(campaign, replacing=campaign is not None))


@router.post("/campaigns")
@router.post("/campaigns/import")
def import_file(
    request: Request,
    form: Annotated[Form, Depends(read_form)],
    actor: Annotated[Actor, Depends(access.person)],
) -> Response:
    """Read a file into a draft, whole or not at all; a refused one comes back to be put right."""
    source, ids = _sent(form, "file", "source"), _sent(form, "ids", "ids_text")
    typed = _as_typed(form, source, ids, request.app.state.settings.max_body_bytes)
    if not source.strip():
        said = text("Choose a file, or paste its text.")
        return _page(request, replace(typed, refused=said), 422)
    try:
        done = import_text(
            request.app.state.db,
            source,
            actor,
            clock.now(),
            replace=typed.replacing,
            beside=_beside(ids),
            only=typed.campaign_id,
        )
    except Malformed as refused:
        problems = _problems(refused)
        shown = replace(typed, problems=problems, refused=refused.detail)
        return _page(request, shown, 422)
    except Conflict as refused:
        if "difference" not in refused.extra:
            raise
        changed = _changed(refused.extra["difference"])
        return _page(request, replace(typed, difference=changed, refused=refused.detail), 409)
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
        found = campaign_download(session, campaign_id, version)
    return _kept(found, campaign_id)


@router.get("/campaigns/{campaign_id}/sealed")
def download_sealed(
    request: Request, campaign_id: str, version: Annotated[int, Query(ge=1)] = 1
) -> Response:
    """A sealed version as a file that proves itself."""
    with request.app.state.db.read() as session:
        found = sealed_download(session, campaign_id, version)
    return _kept(found, campaign_id)


def _page(request: Request, context: ImportPage, status: int = 200) -> Response:
    title = text("Upload a campaign file")
    return page(request, "exchange/import.html", context, title=title, status=status)


def _sent(form: Form, file: str, area: str) -> bytes:
    """A file that was chosen, else the text that was typed in its place."""
    return form.files.get(file) or form.values.get(area, "").replace("\r\n", "\n").encode()


def _as_typed(form: Form, source: bytes, ids: bytes, most: int) -> ImportPage:
    """The form as it was sent, to be shown again. Both texts go back in one body, where a browser
    ends each line with two characters: ids that would not fit have to be chosen again."""
    ends = source.count(b"\n") + ids.count(b"\n")
    fits = len(source) + len(ids) + ends + AROUND <= most
    kept = _shown(ids) if fits and _is_text(ids) else ""
    only = form.get("campaign") or None
    replacing = form.get("replace") != ""
    return ImportPage(only, _shown(source), kept, bool(ids.strip()) and not kept, replacing)


def _is_text(content: bytes) -> bool:
    try:
        return "\x00" not in content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False


def _beside(ids: bytes) -> Beside:
    """A file of ids that was uploaded too stands for whichever one the campaign file names."""
    return (lambda name: ids) if ids.strip() else nothing_beside


def _shown(source: bytes) -> str:
    return source.decode("utf-8", "replace").replace("\x00", "�")


def _problems(refusal: Malformed) -> tuple[FileLine, ...]:
    found = refusal.found if isinstance(refusal, MalformedFile) else ()
    return tuple(FileLine(one.line, one.field, one.message) for one in found)


def _changed(listed: object) -> tuple[Changed, ...]:
    rows: Sequence[Any] = listed if isinstance(listed, list) else ()
    return tuple(Changed(row["path"], _cut(row["stored"]), _cut(row["sent"])) for row in rows)


def _cut(value: object) -> str | None:
    """A value short enough to stand in a table."""
    if value is None:
        return None
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return said if len(said) <= 120 else f"{said[:119]}…"


def _kept(found: Download | None, campaign_id: str) -> Response:
    """A file as the answer, or that there is no such plan."""
    if found is None:
        raise NotFound(text("There is no such plan of the campaign {id}.", id=campaign_id))
    return Response(found.content, media_type=found.media_type, headers=found.headers)
