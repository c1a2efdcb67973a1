"""The catalogue of lots for scripts: list, export, import."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel

from app import clock
from app.accounts.access import person
from app.db import WriteSession
from app.errors import AppError, Malformed, WrongType
from app.exchange.rules.positions import positions
from app.offers.commands import LOCK, import_offers
from app.offers.queries import catalogue
from app.offers.rules import (
    CSV,
    TOML,
    Act,
    FileProblem,
    Offer,
    Planned,
    kind_of,
    plan_import,
    read_offers,
    write_csv,
    write_toml,
)
from app.offers.rules.trouble import refusal_of
from app.texts import text
from app.units import amount_text

router = APIRouter(prefix="/api/v1", tags=["offers"])

LISTED = 200
KINDS = {"application/toml": TOML, "text/toml": TOML, "text/csv": CSV}
UNSAID = ("text/plain", "application/octet-stream")
_TEXT: dict[str, Any] = {"schema": {"type": "string"}}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/toml": _TEXT, "text/csv": _TEXT},
    }
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "Nothing changed, or it was asked what would."},
    415: {"description": "The body is sent as neither TOML nor CSV."},
    422: {
        "description": "Nothing was taken; `problems` lists line, field and what would be right."
    },
}


class OfferAnswer(BaseModel):
    """One lot on offer; `price` is for all its GPUs and its whole duration, null is unknown."""

    id: str
    provider: str
    gpu: str
    gpus: int
    memory_gb: int | None
    hours: int | None
    price: str | None
    currency: str | None
    source: str
    valid_on: str | None
    withdrawn: bool


class OffersAnswer(BaseModel):
    """The whole catalogue; `next` is null, it has one page."""

    items: list[OfferAnswer]
    next: None = None


class TakenAnswer(BaseModel):
    """What a file did, or with `preview` would do, by the ids of its offers."""

    added: list[str]
    changed: list[str]
    withdrawn: list[str]
    kept: list[str]


async def offers_file(request: Request) -> tuple[bytes, str]:
    """The body and its kind; raises `WrongType` where it says it is something else."""
    person(request)
    body = await request.body()
    said = request.headers.get("content-type", UNSAID[0]).partition(";")[0].strip().lower()
    if said not in KINDS and said not in UNSAID:
        why = text("Send the offers as {kinds}.", kinds=("application/toml", "text/csv"))
        raise WrongType(why, field="Content-Type", allowed=[*KINDS, *UNSAID])
    return body, KINDS.get(said) or kind_of(body)


@router.get("/offers")
def list_offers(
    request: Request,
    withdrawn: Annotated[
        bool, Query(description="Those that are not offered any more too.")
    ] = False,
) -> OffersAnswer:
    """Every offer in the catalogue's order."""
    person(request)
    with request.app.state.db.read() as session:
        offers = catalogue(session)
    return OffersAnswer(
        items=[_answer(offer) for offer in offers if withdrawn or not offer.withdrawn]
    )


@router.get(
    "/offers/file",
    response_class=Response,
    responses={200: {"content": {"application/toml": {}, "text/csv": {}}}},
)
def export_offers(request: Request, format: Literal["toml", "csv"] = "toml") -> Response:
    """The catalogue as a file that can be posted again, withdrawn offers too."""
    person(request)
    with request.app.state.db.read() as session:
        offers = catalogue(session)
    if format == CSV:
        return Response(write_csv(offers), media_type="text/csv; charset=utf-8")
    return Response(write_toml(offers), media_type="application/toml")


@router.post("/offers", status_code=201, responses=_RESPONSES, openapi_extra=_BODY)
def take_offers(
    request: Request,
    response: Response,
    source: Annotated[tuple[bytes, str], Depends(offers_file)],
    preview: Annotated[bool, Query(description="Say what it would do, and do nothing.")] = False,
) -> TakenAnswer:
    """Take the offers of a file, all or none: each that says something new becomes a version."""
    actor, now = person(request), clock.now()
    read = read_offers(*source, positions)
    if read.problems:
        raise refused(read.problems)
    rows = [(row.line, row.offer) for row in read.rows]

    def command(tx: WriteSession) -> tuple[Planned, ...] | AppError:
        return import_offers(tx, rows, actor=actor, now=now)

    if preview:
        with request.app.state.db.read() as session:
            planned = plan_import(rows, catalogue(session))
    else:
        planned = request.app.state.db.write(LOCK, command)
    if preview or all(one.act is Act.KEEP for one in planned):
        response.status_code = 200
    return _taken(planned)


def refused(problems: tuple[FileProblem, ...]) -> Malformed:
    """One refusal for all that is wrong with a file."""
    said, listed = refusal_of(problems, LISTED)
    return Malformed(said, field=problems[0].field or None, problems=listed)


def _taken(planned: Iterable[Planned]) -> TakenAnswer:
    ids: dict[Act, list[str]] = {act: [] for act in Act}
    for one in planned:
        ids[one.act].append(one.offer.id)
    return TakenAnswer(
        added=ids[Act.ADD],
        changed=ids[Act.CHANGE] + ids[Act.OFFER_AGAIN],
        withdrawn=ids[Act.WITHDRAW],
        kept=ids[Act.KEEP],
    )


def _answer(offer: Offer) -> OfferAnswer:
    price = None
    if offer.price_minor is not None and offer.currency is not None:
        price = amount_text(offer.price_minor, offer.currency)
    return OfferAnswer(
        id=offer.id,
        provider=offer.provider,
        gpu=offer.gpu,
        gpus=offer.gpus,
        memory_gb=offer.memory_gb,
        hours=offer.hours,
        price=price,
        currency=offer.currency,
        source=offer.source,
        valid_on=offer.valid_on.isoformat() if offer.valid_on else None,
        withdrawn=offer.withdrawn,
    )
