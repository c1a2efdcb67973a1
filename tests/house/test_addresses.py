"""No fixed address stands where the name of somebody's run, step or deliverable could stand."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import APIRouter
from fastapi.routing import APIRoute

from app import rooms
from app.plan.commands import RESERVED

CAMPAIGN = "campaign_id"
OURS = frozenset({"slug", "act"})
"""Parameters that take only words of ours; every other one may be anything that a person names."""
NUMBERS = frozenset({"number"})
"""Parameters that take whole numbers, which no word of ours is."""


def _routes(router: APIRouter, prefix: str = "") -> Iterator[tuple[str, APIRoute]]:
    """Full addresses and their routes, also of the routers that a router is made of."""
    for route in router.routes:
        inner = getattr(route, "original_router", None)
        if isinstance(inner, APIRouter):
            context = getattr(route, "include_context", None)
            yield from _routes(inner, f"{prefix}{getattr(context, 'prefix', '')}")
        elif isinstance(route, APIRoute):
            yield f"{prefix}{route.path}", route


def _addresses() -> dict[tuple[str, ...], set[str]]:
    """The parts of every address of the server → the methods it takes."""
    found: dict[tuple[str, ...], set[str]] = {}
    for router in rooms.routers():
        for path, route in _routes(router):
            found.setdefault(tuple(path.split("/")[1:]), set()).update(route.methods or ())
    return found


def _name(part: str) -> str | None:
    """The parameter's name where the part is one."""
    return part[1:].partition(":")[0].rstrip("}") if part.startswith("{") else None


def _shape(parts: tuple[str, ...]) -> tuple[str, ...]:
    """An address whose parameters are alike, whatever they are called."""
    return tuple("{}" if _name(part) else part for part in parts)


def _taken(name_is_free: set[str] | None, addresses: dict[tuple[str, ...], set[str]]) -> set[str]:
    """Fixed words that stand where one of these parameters (None: any but OURS) may stand."""
    places = set()
    for parts in addresses:
        for place, part in enumerate(parts):
            name = _name(part)
            if name is not None and (
                name in name_is_free if name_is_free else name not in OURS | NUMBERS
            ):
                places.add(_shape(parts[:place]))
    return {
        "/".join(parts[: place + 1])
        for parts in addresses
        for place, part in enumerate(parts)
        if _name(part) is None and _shape(parts[:place]) in places
    }


def test_every_kind_of_name_is_looked_at() -> None:
    names = {name for parts in _addresses() for part in parts if (name := _name(part))}
    assert {CAMPAIGN, "run_id", "step_id", "deliverable", "number", *OURS} <= names
    assert ("campaigns", "{campaign_id}", "runs", "{run_id}") in _addresses()
    assert ("api", "v1", "runs", "{run_id}", "start") in _addresses()


def test_a_number_is_never_a_word() -> None:
    taking = [
        (path, param.field_info.annotation)
        for router in rooms.routers()
        for path, route in _routes(router)
        for param in route.dependant.path_params
        if param.alias in NUMBERS
    ]
    assert taking
    assert [path for path, annotation in taking if annotation is not int] == []


def test_no_fixed_address_stands_where_a_name_could() -> None:
    below = {parts: methods for parts, methods in _addresses().items() if len(parts) > 2}
    assert _taken(None, below) == set()


def test_what_stands_beside_the_campaigns_is_no_campaigns_name() -> None:
    read = {parts: methods for parts, methods in _addresses().items() if "GET" in methods}
    beside = {word.split("/")[-1] for word in _taken({CAMPAIGN}, read)}
    assert beside == RESERVED


def test_a_fixed_address_among_names_is_found() -> None:
    below = {
        ("campaigns", "{campaign_id}", "runs", "{run_id}", "{act}"): {"POST"},
        ("campaigns", "{campaign_id}", "runs", "time", "start"): {"POST"},
        ("campaigns", "{id}", "runs"): {"GET"},
    }
    assert _taken(None, below) == {"campaigns/{campaign_id}/runs/time"}
