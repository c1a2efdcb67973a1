"""What is wrong with one field of a plan, said so that a person can put it right."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from app.texts import Text, text

Path = tuple[str | int, ...]

LONGEST_SHOWN = 60
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """One refusal: where it is, what is wrong and would be right, and the value found there."""

    path: Path
    message: Text
    value: object = None

    @property
    def field(self) -> str:
        """The place in dotted form, as in `steps[2].p50`; empty for the document itself."""
        return dotted(self.path)

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.path else str(self.message)


@dataclass(slots=True)
class Reader:
    """Collects every problem of one reading; `currency` is None until it is known and valid."""

    currency: str | None = None
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, path: Path, message: Text, value: object = None) -> None:
        """Note a problem and go on reading."""
        self.problems.append(Problem(path, message, value))


def dotted(path: Path) -> str:
    """`("steps", 2, "p50")` as `steps[2].p50`; keys that need quotes get them."""
    parts: list[str] = []
    for part in path:
        if isinstance(part, int):
            parts.append(f"[{part}]")
        else:
            plain = len(part) <= LONGEST_SHOWN and BARE_KEY.fullmatch(part)
            key = part if plain else quoted(part)
            parts.append(f".{key}" if parts else key)
    return "".join(parts)


def quoted(value: str) -> str:
    """A text as a quoted TOML value, for keys and examples."""
    return f'"{visible(value)}"'


def visible(value: str) -> str:
    """A text cut when long, with control characters and surrogates made visible."""
    cut = value if len(value) <= LONGEST_SHOWN else value[: LONGEST_SHOWN - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)


def shown(value: object) -> str | Text:
    """A found value as it is named in a message."""
    match value:
        case str():
            return text("“{value}”", value=visible(value))
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if abs(value) < 10**LONGEST_SHOWN else text("a very large number")
        case float() | Decimal():
            return str(value)[:LONGEST_SHOWN]
        case Mapping():
            return text("a table")
        case list() | tuple():
            return text("a list")
        case None:
            return text("nothing")
        case _:
            return text("“{value}”", value=visible(str(value)))


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant, or None."""
    by_folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name[:80].casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def unknown_name(given: str, known: Iterable[str]) -> Text:
    """Refusal of a name that is not among the known ones, with the nearest of them."""
    names = tuple(known)
    name = visible(given)
    meant = nearest(given, names)
    if meant is not None:
        return text("“{given}” is not known here; did you mean “{meant}”?", given=name, meant=meant)
    if not names:
        return text("“{given}” is not known here; none is declared.", given=name)
    listed = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return text("“{given}” is not known here; known are {known}.", given=name, known=listed)
