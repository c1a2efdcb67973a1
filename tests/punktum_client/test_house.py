"""What the client is made of: the standard library, Python 3.10, and nothing done at import."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import punktum
from tests.punktum_client.box import Box

PACKAGE = Path(punktum.__file__).parent
FRAMEWORKS = {"keras", "lightning", "mlflow", "pytorch_lightning", "torch", "transformers"}
"""What an integration is made for; it is imported where that is there."""
FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_only_the_standard_library_is_imported(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 10))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add((node.module or "").split(".")[0])
    frameworks = FRAMEWORKS if path.parent.name == "integrations" else set()
    assert names <= set(sys.stdlib_module_names) | {"punktum"} | frameworks


def test_importing_loads_no_network_and_touches_no_disk(box: Box) -> None:
    code = (
        "import sys; import punktum, punktum.stop_rules\n"
        "found = {'socket', 'ssl', 'http', 'subprocess', 'asyncio'} & set(sys.modules)\n"
        "print(sorted(found))"
    )
    done = box.done(box.start(sys.executable, "-S", "-c", code))
    assert done.out == "[]\n"
    assert list(box.folder.iterdir()) == []


def test_network_modules_are_loaded_only_where_there_is_a_server(box: Box) -> None:
    code = (
        "import sys, punktum\n"
        "with punktum.run('control', params={}) as run: run.metric('loss', 1)\n"
        "print('http.client' in sys.modules, 'ssl' in sys.modules)"
    )
    assert box.done(box.start(sys.executable, "-S", "-c", code)).out == "False False\n"


def test_names_that_are_not_there_are_said() -> None:
    name = "walk"
    with pytest.raises(AttributeError, match="no attribute 'walk'"):
        getattr(punktum, name)
