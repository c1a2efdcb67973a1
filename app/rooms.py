"""The rooms in their order along the life of a campaign, and the doors they open."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

from fastapi import APIRouter
from starlette.types import ASGIApp

ORDER: tuple[str, ...] = (
    "accounts", "campaigns", "offers", "plan", "orders", "runs", "deliverables",
    "decisions", "budget", "timeline", "closing", "exchange", "notices",
)  # fmt: skip
"""`rules`, `tables`, `queries` and `commands` import only from rooms that stand earlier."""


def present() -> tuple[str, ...]:
    """The rooms that are built."""
    here = Path(__file__).parent
    return tuple(room for room in ORDER if (here / room / "__init__.py").is_file())


def routers() -> list[APIRouter]:
    """Each room's pages and API; importing them also registers the rooms' projectors.

    `exchange` and `closing` own addresses below `/campaigns`, so fixed addresses come first.
    """
    found: list[APIRouter] = []
    for room in reversed(present()):
        for door in ("api", "pages"):
            if _has(room, door):
                found.append(importlib.import_module(f"app.{room}.{door}").router)
    return found


def doors() -> list[Callable[[ASGIApp], ASGIApp]]:
    """Ways past the routes of all rooms: machines post there, thousands a second."""
    found: list[Callable[[ASGIApp], ASGIApp]] = []
    for room in present():
        if _has(room, "api"):
            found.extend(getattr(importlib.import_module(f"app.{room}.api"), "doors", ()))
    return found


def register_projectors() -> None:
    """Import every room's commands, so that `rebuild` and `audit` know all projectors."""
    for room in present():
        if _has(room, "commands"):
            importlib.import_module(f"app.{room}.commands")


def _has(room: str, name: str) -> bool:
    folder = Path(__file__).parent / room
    return (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()
