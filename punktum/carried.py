"""What came of one sending, and a line that the server refused."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Carried:
    """What one call of ``Delivery.send_next`` did. ``wait_s`` None: go on at once.

    ``not_allowed``: the server is there and takes nothing for now; ``beside`` is then the id that
    is free, where another attempt of the run still reports.
    """

    sent: int = 0
    idle: bool = False
    held: bool = False
    wait_s: float | None = None
    why: str = ""
    not_allowed: bool = False
    beside: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line the server refused."""

    kind: str
    seq: int
    status: int
    problem: dict[str, object]
