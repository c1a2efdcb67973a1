"""The project's own source as the architecture tests read it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "app"


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file: its dotted name, its room and the part it plays there."""

    path: Path
    name: str
    tree: ast.Module

    @property
    def room(self) -> str | None:
        """The package below `app`, or None for a file of the house itself."""
        parts = self.name.split(".")
        inside = len(parts) > 2 or (len(parts) == 2 and self.path.name == "__init__.py")
        return parts[1] if inside else None

    @property
    def part(self) -> str:
        """`rules`, `tables`, … or the file's own name."""
        parts = self.name.split(".")
        return parts[2] if len(parts) > 2 else parts[-1]


def modules(folder: Path = APP) -> list[Module]:
    """Every module below a folder."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(path, name, ast.parse(path.read_text("utf-8"))))
    return found


def imported(module: Module) -> set[str]:
    """Dotted names of modules that a module imports, at its top or inside functions."""
    names: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.update(_resolve(node.module, alias.name) for alias in node.names)
    return names


def _resolve(module: str, name: str) -> str:
    """`from app.runs import queries` imports the module, `from app.units import Money` a name."""
    as_path = ROOT.joinpath(*module.split("."))
    if (as_path / f"{name}.py").is_file() or (as_path / name / "__init__.py").is_file():
        return f"{module}.{name}"
    return module
