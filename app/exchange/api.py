"""Campaign files in and out as JSON's neighbour: TOML in the body, problems with their lines."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from app import clock
from app.accounts import access
from app.errors import NotFound, WrongType
from app.exchange.commands import Imported, import_text
from app.exchange.queries import Download, campaign_download, sealed_download
from app.journal import Actor
from app.texts import text

router = APIRouter(prefix="/api/v1", tags=["campaign file"])

TOML = "application/toml"
TAKEN = (TOML, "text/toml", "text/plain", "application/octet-stream")
_BODY = {"requestBody": {"required": True, "content": {TOML: {"schema": {"type": "string"}}}}}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    409: {
        "description": "The draft of this id says something else; `difference` lists the places."
    },
    415: {"description": "The body is not sent as a campaign file."},
    422: {
        "description": "The file is wrong; `problems` lists line, field and what would be right."
    },
}


class ImportedCampaign(BaseModel):
    """The campaign that a file was read into, and what is missing without being wrong."""

    id: str
    warnings: list[str] = []


async def campaign_file(request: Request) -> bytes:
    """The body as a campaign file; raises `WrongType` where it says it is something else."""
    kind = request.headers.get("content-type", TOML).partition(";")[0].strip().lower()
    if kind not in TAKEN:
        said = text(
            "Send the campaign file as {kind}, for example with curl --data-binary.", kind=TOML
        )
        raise WrongType(said, field="Content-Type", allowed=TAKEN)
    return await request.body()


Source = Annotated[bytes, Depends(campaign_file)]
Person = Annotated[Actor, Depends(access.person)]


@router.post(
    "/campaigns",
    status_code=201,
    response_model=ImportedCampaign,
    responses={200: {"description": "The draft says the same already."}, **_PROBLEMS},
    openapi_extra=_BODY,
)
def import_campaign(request: Request, source: Source, actor: Person) -> Response:
    """Read a campaign file into a new draft; the same file again changes nothing."""
    return _imported(import_text(request.app.state.db, source, actor, clock.now()))


@router.put(
    "/campaigns",
    status_code=200,
    response_model=ImportedCampaign,
    responses={201: {"description": "There was no campaign of this id."}, **_PROBLEMS},
    openapi_extra=_BODY,
)
def replace_campaign(request: Request, source: Source, actor: Person) -> Response:
    """Read a campaign file and let it take the place of the draft of that id."""
    done = import_text(request.app.state.db, source, actor, clock.now(), replace=True)
    return _imported(done)


@router.put(
    "/campaigns/{campaign_id}",
    status_code=200,
    response_model=ImportedCampaign,
    responses={201: {"description": "There was no campaign of this id."}, **_PROBLEMS},
    openapi_extra=_BODY,
)
def replace_this_campaign(
    request: Request, campaign_id: str, source: Source, actor: Person
) -> Response:
    """As above, for a file that must be of this campaign."""
    done = import_text(
        request.app.state.db, source, actor, clock.now(), replace=True, only=campaign_id
    )
    return _imported(done)


@router.get(
    "/campaigns/{campaign_id}/file",
    response_class=Response,
    responses={200: {"content": {TOML: {}}, "description": "The campaign file."}},
)
def export_campaign(
    request: Request,
    campaign_id: str,
    actor: Person,
    version: Annotated[int | None, Query(ge=0, description="0 is the draft.")] = None,
) -> Response:
    """The campaign file of the newest sealed version, else of the draft."""
    with request.app.state.db.read() as session:
        found = campaign_download(session, campaign_id, version)
    return _kept(found, campaign_id)


@router.get(
    "/campaigns/{campaign_id}/sealed",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}, "description": "The sealed version."}},
)
def export_sealed(
    request: Request,
    campaign_id: str,
    _person: Person,
    version: Annotated[int, Query(ge=1)] = 1,
) -> Response:
    """A sealed version with schedule, offers and hash: `punktum-server plan verify` proves it."""
    with request.app.state.db.read() as session:
        found = sealed_download(session, campaign_id, version)
    return _kept(found, campaign_id)


def _imported(done: Imported) -> Response:
    body = ImportedCampaign(id=done.campaign_id, warnings=[str(one) for one in done.warnings])
    headers = {"Location": f"/campaigns/{done.campaign_id}"} if done.created else {}
    return JSONResponse(body.model_dump(), 201 if done.created else 200, headers)


def _kept(found: Download | None, campaign_id: str) -> Response:
    """A file as the answer, or that there is no such plan."""
    if found is None:
        raise NotFound(text("There is no such plan of the campaign {id}.", id=campaign_id))
    return Response(found.content, media_type=found.media_type, headers=found.headers)
