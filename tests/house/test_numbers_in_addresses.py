"""A number in an address that no database can hold is not found or malformed, never a failure."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import APIRouter
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from app import rooms
from app.db import Database
from tests.plan.drafts import sample, saved, sealed

NUMBERS = ("9" * 25, "-" + "9" * 25, str(2**63), "2147483648", "0", "-1")
CAMPAIGN = "invoice-adapter"


def _numbers(dependant: Dependant) -> Iterator[tuple[str, str]]:
    """The whole numbers that a route takes: whether in its path or its query, and their names."""
    for place, params in (("path", dependant.path_params), ("query", dependant.query_params)):
        for param in params:
            if "int" in str(param.field_info.annotation):
                yield place, param.alias
    for inner in dependant.dependencies:
        yield from _numbers(inner)


def _routes(router: APIRouter) -> Iterator[APIRoute]:
    """The routes of a room, also of the routers that it is made of."""
    for route in router.routes:
        inner = getattr(route, "original_router", None)
        if isinstance(inner, APIRouter):
            yield from _routes(inner)
        elif isinstance(route, APIRoute):
            yield route


def _addresses() -> Iterator[str]:
    """Every address that is read and takes a number, with NUMBER where it stands."""
    for route in (route for router in rooms.routers() for route in _routes(router)):
        if "GET" not in (route.methods or ()):
            continue
        for place, name in _numbers(route.dependant):
            path = route.path.replace("{campaign_id}", CAMPAIGN)
            if place == "path":
                yield path.replace(f"{{{name}}}", "NUMBER")
            else:
                yield f"{path}?{name}=NUMBER"


ADDRESSES = sorted(set(_addresses()))


def test_there_are_such_addresses() -> None:
    assert f"/api/v1/campaigns/{CAMPAIGN}/plan?version=NUMBER" in ADDRESSES
    assert f"/campaigns/{CAMPAIGN}/plan/versions/NUMBER" in ADDRESSES


@pytest.mark.parametrize("number", NUMBERS)
def test_no_number_makes_the_server_fail(
    database: Database, client: TestClient, number: str
) -> None:
    saved(database, sample())
    sealed(database, CAMPAIGN)
    for address in ADDRESSES:
        answer = client.get(address.replace("NUMBER", number))
        assert answer.status_code < 500, (address, number)
