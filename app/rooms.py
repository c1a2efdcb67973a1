"""The rooms in their order along the life of a campaign, and the doors they open."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Protocol

from fastapi import APIRouter
from starlette.types import Receive, Scope, Send

from app.watch import Watcher

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


class Door(Protocol):
    """A way past the routes of all rooms, for what machines send thousands of times a second."""

    def takes(self, scope: Scope) -> bool:
        """Whether a request goes this way."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer it."""
        ...


def doors() -> list[Door]:
    """The doors of all rooms."""
    found: list[Door] = []
    for room in present():
        if _has(room, "api"):
            found.extend(getattr(importlib.import_module(f"app.{room}.api"), "doors", ()))
    return found


def watchers() -> tuple[Watcher, ...]:
    """What each room wants looked at when time alone may have changed something.

    A room that watches has `queries.attention` and `commands.watch`.
    """
    found: list[Watcher] = []
    for room in present():
        if _has(room, "commands") and _has(room, "queries"):
            queries = importlib.import_module(f"app.{room}.queries")
            commands = importlib.import_module(f"app.{room}.commands")
            if hasattr(queries, "attention") and hasattr(commands, "watch"):
                found.append(Watcher(queries.attention, commands.watch))
    return tuple(found)


def register_projectors() -> None:
    """Import every room's commands, so that `rebuild` and `audit` know all projectors."""
    for room in present():
        if _has(room, "commands"):
            importlib.import_module(f"app.{room}.commands")


def _has(room: str, name: str) -> bool:
    folder = Path(__file__).parent / room
    return (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()
