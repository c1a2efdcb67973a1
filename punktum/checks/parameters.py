"""``parameters``: a file holds the parameters that were announced.

``file`` is JSON (``.json``), TOML (``.toml``), else lines of ``name = value`` or ``name: value``.
``keys`` are their names; a dot leads into a table. A parameter that is null or empty is missing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from punktum import reading
from punktum.checks.verdict import Announced, Subject, Verdict, inside, some

KIND: Final = "parameters"
LARGEST: Final = 16 << 20
"""Bytes of a file of parameters; a larger one is none."""


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when every key has a value."""
    name, wanted = reading.text(announced.get("file")) or "", reading.texts(announced.get("keys"))
    path = inside(subject, name)
    if path is None or not path.is_file():
        return Verdict(KIND, False, f"{name or 'file'} is not there")
    if not wanted:
        return Verdict(KIND, False, "no key was announced")
    try:
        values = read_parameters(path)
    except ValueError as error:
        return Verdict(KIND, False, f"{name}: {error}")
    missing = [key for key in wanted if _value(values, key) in (None, "")]
    evidence: dict[str, object] = {
        "values": {key: _shown(_value(values, key)) for key in wanted[:100] if key not in missing},
        "missing": missing[:100],
    }
    if missing:
        return Verdict(KIND, False, f"{len(missing)} missing: {some(missing)}", evidence)
    return Verdict(KIND, True, f"{len(wanted)} of {len(wanted)} parameters", evidence)


def read_parameters(path: Path) -> dict[str, object]:
    """The parameters of a file by name. Raises ValueError with what makes it unreadable."""
    if path.stat().st_size > LARGEST:
        raise ValueError(f"larger than {LARGEST >> 20} MiB, no file of parameters")
    written = path.read_text(encoding="utf-8-sig")
    ending = path.suffix.lower()
    if ending == ".json":
        try:
            found = json.loads(written)
        except RecursionError:
            raise ValueError("nested too deep") from None
        if not isinstance(found, dict):
            raise ValueError("no object of names and values")
        return reading.record(found)
    if ending == ".toml":
        try:
            import tomllib
        except ImportError:
            raise ValueError("reading TOML needs Python 3.11 or newer") from None
        return dict(tomllib.loads(written))
    return dict(_line(line) for line in written.splitlines() if _line(line)[0])


def _line(line: str) -> tuple[str, object]:
    """Name and value of a line; an empty name where it has none."""
    plain = line.split("#", 1)[0].strip()
    place = min((at for at in (plain.find("="), plain.find(":")) if at >= 0), default=-1)
    if place < 1:
        return "", None
    return plain[:place].strip().strip("\"'"), plain[place + 1 :].strip().strip("\"'")


def _value(values: dict[str, object], key: str) -> object:
    """The value of a key: as it stands, else down the tables that its dots name."""
    if key in values:
        return values[key]
    first, dot, rest = key.partition(".")
    inner = values.get(first)
    return _value(reading.record(inner), rest) if dot and isinstance(inner, dict) else None


def _shown(value: object) -> object:
    return value if isinstance(value, (bool, int, float)) else str(value)[:200]
