"""The import rules of the house: what each of a room's files may know."""

from __future__ import annotations

import sys

import pytest

from app.rooms import ORDER
from tests.house.source import APP, ROOT, Module, imported, modules

SHARED_PURE = {"app.units", "app.texts"}
CLIENT_PURE = {
    "punktum.stop_rules",
    "punktum.evaluating",
    "punktum.values",
    "punktum.links",
    "punktum.configuration",
    "punktum.manifest",
}
CLIENT_REPLAY = {f"punktum.{name}" for name in ("mending", "replay", "server", "settings", "spool")}
"""A spool that a person hands in goes through the client's own replay, in one module."""
LIBRARIES = {
    "rules": set(),
    "tables": {"sqlmodel", "sqlalchemy"},
    "queries": {"sqlmodel", "sqlalchemy"},
    "commands": {"sqlmodel", "sqlalchemy"},
    "pages": {"fastapi", "starlette", "sqlmodel", "pydantic", "markupsafe"},
    "api": {"fastapi", "starlette", "sqlmodel", "pydantic"},
}
HOUSE = {
    "rules": SHARED_PURE,
    "tables": SHARED_PURE | {"app.db"},
    "queries": SHARED_PURE | {"app.journal", "app.web"},
    "commands": SHARED_PURE | {"app.journal", "app.errors", "app.db"},
    "pages": SHARED_PURE
    | {"app.web", "app.db", "app.clock", "app.errors", "app.language", "app.journal"},
    "api": SHARED_PURE | {"app.db", "app.clock", "app.errors", "app.journal", "app.web"},
}
LEAVES = {"pages", "api"}


def _room_parts() -> list[Module]:
    return [module for module in modules() if module.room in ORDER and module.part in HOUSE]


def _allowed(module: Module, name: str) -> bool:
    top = name.split(".")[0]
    part = module.part
    if top in sys.stdlib_module_names:
        return True
    if top == "punktum":
        pure = CLIENT_PURE | (CLIENT_REPLAY if module.name == "app.runs.pages.handing" else set())
        return any(name == one or name.startswith(f"{one}.") for one in pure)
    if top != "app":
        return top in LIBRARIES[part]
    if any(name == house or name.startswith(f"{house}.") for house in HOUSE[part]):
        return True
    return _may_enter(module, name)


def _may_enter(module: Module, name: str) -> bool:
    """Whether a part of one room may import a part of a room, by the order of the rooms."""
    pieces = name.split(".")
    if len(pieces) < 3 or pieces[1] not in ORDER:
        return False
    room, part = pieces[1], pieces[2]
    if room == module.room and part not in LEAVES:
        return True
    if room == module.room or part in LEAVES:
        return room == module.room and part == module.part
    if module.part in LEAVES:
        return part in {"rules", "queries", "commands", "access"}
    earlier = ORDER.index(room) < ORDER.index(module.room or "")
    return {
        "rules": part == "rules" and earlier,
        "tables": False,
        "queries": part == "tables" or (part in {"rules", "queries"} and earlier),
        "commands": part in {"tables", "queries"}
        or (part in {"rules", "commands", "access"} and earlier),
    }[module.part]


@pytest.mark.parametrize("module", _room_parts(), ids=lambda module: module.name)
def test_a_room_file_imports_only_what_it_may(module: Module) -> None:
    assert sorted(name for name in imported(module) if not _allowed(module, name)) == []


def test_every_file_of_a_room_has_one_of_the_six_names() -> None:
    extra = {"accounts": {"access"}}
    strange = [
        module.name
        for module in modules()
        if module.room in ORDER
        and module.path.name != "__init__.py"
        and module.part not in HOUSE
        and module.part not in extra.get(module.room or "", set())
    ]
    assert strange == []


def test_the_packages_of_the_app_are_rooms_or_the_house() -> None:
    house = {"db", "journal", "web", "language", "units", "locale", "demo", "command_line"}
    packages = {path.name for path in APP.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert packages - house - set(ORDER) == set()


def test_only_the_clock_reads_the_wall_clock() -> None:
    readers = []
    for module in modules():
        text = module.path.read_text("utf-8")
        if module.name != "app.clock" and (
            "datetime.now(" in text or "utcnow" in text or "time.time()" in text
        ):
            readers.append(module.name)
    assert readers == []


INTEGRATIONS = "punktum.integrations"
FRAMEWORKS = {"torch", "transformers", "lightning", "pytorch_lightning", "keras"}


def test_the_client_imports_the_standard_library_only() -> None:
    strange = {
        (module.name, name)
        for module in modules(ROOT / "punktum")
        for name in imported(module)
        if name.split(".")[0] not in sys.stdlib_module_names | {"punktum"}
        and not (module.name.startswith(INTEGRATIONS) and name.split(".")[0] in FRAMEWORKS)
    }
    assert strange == set()


def test_nothing_of_the_client_imports_what_needs_a_framework() -> None:
    importers = {
        module.name
        for module in modules(ROOT / "punktum")
        for name in imported(module)
        if name.startswith(INTEGRATIONS) and not module.name.startswith(INTEGRATIONS)
    }
    assert importers == set()


def test_sql_lives_in_queries_commands_and_the_house() -> None:
    may = {"queries", "commands", "tables"}
    strange = [
        module.name
        for module in modules()
        if module.room in ORDER
        and module.part not in may
        and any(name.split(".")[0] == "sqlalchemy" for name in imported(module))
    ]
    assert strange == []
