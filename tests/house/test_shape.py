"""Small rooms: the length of files and functions, docstrings, words that are not used here."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from app.rooms import ORDER
from tests.house.source import APP, ROOT, Module, modules

LONGEST_FILE = 300
LONGEST_FUNCTION = 40
BANNED = {"utils", "helpers", "core", "services", "managers", "misc", "common"}
OURS = [*modules(), *modules(ROOT / "punktum"), *modules(ROOT / "bench")]


@pytest.mark.parametrize("module", OURS, ids=lambda module: module.name)
def test_files_are_short(module: Module) -> None:
    assert len(module.path.read_text("utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("module", OURS, ids=lambda module: module.name)
def test_functions_are_short(module: Module) -> None:
    long = {
        node.name: length
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    }
    assert long == {}


@pytest.mark.parametrize("module", OURS, ids=lambda module: module.name)
def test_modules_and_public_functions_say_what_they_are_for(module: Module) -> None:
    silent = [] if ast.get_docstring(module.tree) else ["the module"]
    for node in module.tree.body:
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
        ):
            silent.append(node.name)
    assert silent == []


def test_no_room_is_a_drawer() -> None:
    named = {part for module in OURS for part in module.name.split(".")}
    assert named & BANNED == set()


def test_one_word_one_room() -> None:
    """Templates and tests of a room lie in folders of the room's own name."""
    house = {"macros", "errors", "demo"}
    folders = {path.name for path in (ROOT / "templates").iterdir() if path.is_dir()}
    assert folders - house - set(ORDER) == set()
    rooms = {path.name for path in APP.iterdir() if path.is_dir() and path.name in ORDER}
    tests = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    assert rooms - tests == set()


def test_no_path_of_a_machine_and_no_registry_is_written_down() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    here = "|".join(re.escape(f"{folder}/") for folder in (ROOT.parent, Path.home()))
    registries = r"files\.pythonhosted|registry\.npmjs|deb\.debian"
    pattern = re.compile(rf"{here}|{registries}")
    found = []
    for name in listed.splitlines():
        path = ROOT / name
        if path == ROOT / "tests/house/test_shape.py" or not path.is_file():
            continue
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{name}: {match.group()}" for match in pattern.finditer(text)]
    assert found == []


def test_no_price_for_an_hour_exists_anywhere() -> None:
    pattern = re.compile(r"per[ _-]hour|hourly|/ ?h\b(?=.*(USD|EUR))|pro Stunde|mỗi giờ", re.I)
    found = []
    for folder in ("app", "templates", "punktum"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".html", ".po", ".toml"}:
                text = path.read_text("utf-8")
                found += [f"{path.name}: {match.group()}" for match in pattern.finditer(text)]
    assert found == []
