"""What ``punktum run`` was asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Wish:
    """A command and how it is to be recorded. Times in seconds."""

    step: str
    command: tuple[str, ...]
    run: str | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    not_config: tuple[str, ...] = ()
    config: str | None = None
    corpora: Mapping[str, str] = field(default_factory=dict)
    output: str | None = None
    beat_s: float = 30.0
    grace_s: float = 30.0
    on_end: str | None = None
    takeover: bool = False
    strict: bool = False
    forward_hup: bool = False
    links: Mapping[str, str] = field(default_factory=dict)
