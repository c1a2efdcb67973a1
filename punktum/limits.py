"""How large a spool file may grow. Beyond its limit beats are left out; what binds is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from punktum.events import ENDS, LASTING

VARIABLE: Final = "PUNKTUM_SPOOL_LIMIT"
DEFAULT_LIMIT: Final = 1 << 30
SPARSE_S: Final = 600.0
"""Beyond the limit one beat in so many seconds is kept as a sign of life."""
BINDING: Final = ("fired", "restore", "inputs", "note")
"""Fields that make a beat one that is always kept."""

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\Z", re.IGNORECASE)
_UNITS: Final = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def read_limit(environment: Mapping[str, str]) -> tuple[int, str | None]:
    """The limit in bytes by ``PUNKTUM_SPOOL_LIMIT`` (``500M``, ``2GiB``; the units count 1024), and
    what to say where that is no size: then the usual limit counts."""
    said = environment.get(VARIABLE, "").strip()
    if not said:
        return DEFAULT_LIMIT, None
    match = _SIZE.match(said)
    if match is None:
        usual = size_text(DEFAULT_LIMIT)
        return DEFAULT_LIMIT, f"{VARIABLE} {said!r} is no size such as 500M: {usual} is taken"
    return int(float(match[1]) * (1 << _UNITS[match[2].lower()])), None


def size_text(size: int) -> str:
    """Bytes for a person: ``512 B``, ``1.5 MiB``."""
    value, unit = float(size), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{size} B" if unit == "B" else f"{value:.1f} {unit}"


class Bound:
    """The limit of one spool file, and how many beats were left out for it.

    Not thread-safe by itself: the writer asks under its own lock. ``now`` is a monotonic time.
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self.limit = limit
        self.left_out = 0
        self._kept_at: float | None = None

    def fit(
        self, event: Mapping[str, object], size: int, now: float
    ) -> Mapping[str, object] | None:
        """The event as it is to be written to a file of ``size`` bytes; None: it is left out.

        The first beat beyond the limit says so. An end says how many were left out, and every
        promise of a next sign is as long as signs are rare.
        """
        if size < self.limit:
            return event
        kind, said = event.get("kind"), None
        if kind in LASTING or any(event.get(name) for name in BINDING):
            said = self.note if kind in ENDS and self.left_out else None
        elif self._kept_at is None:
            said, self._kept_at = self.beyond, now
        elif now - self._kept_at < SPARSE_S:
            self.left_out += 1
            return None
        else:
            said, self._kept_at = self.note, now
        longer = {"expect_next_s": int(2 * SPARSE_S)} if "expect_next_s" in event else {}
        return {**event, **longer, **({"note": said} if said and "note" not in event else {})}

    @property
    def beyond(self) -> str:
        """What happens from now on, in words."""
        return (
            f"the spool file has reached its limit of {size_text(self.limit)} ({VARIABLE}): beats "
            "are left out, starts, checkpoints, ends and what binds are kept"
        )

    @property
    def note(self) -> str:
        """How many were left out, in words."""
        beats = "1 beat" if self.left_out == 1 else f"{self.left_out} beats"
        return f"{beats} left out: the spool has reached its limit of {size_text(self.limit)}"
