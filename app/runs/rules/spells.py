"""Spells in which an attempt was silent or stood still, from what the watcher noticed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from app.runs.rules.liveness import SILENT, STALLED
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class Noticed:
    """One change of an attempt's liveness: what it became, and since when."""

    became: str
    since_at: datetime


@dataclass(frozen=True, slots=True)
class Spell:
    """A time without a sign, or without progress; `until_at` is None while it goes on."""

    kind: str
    from_at: datetime
    until_at: datetime | None

    @property
    def said(self) -> Text:
        """`was silent from 02:10 until 03:40`."""
        span = {"start": self.from_at, "end": self.until_at}
        if self.kind == STALLED:
            return text("stood still from {start} until {end}", **span)
        return text("was silent from {start} until {end}", **span)


def spells(noticed: Iterable[Noticed]) -> tuple[Spell, ...]:
    """The spells in their order; each ends with the next change."""
    found: list[Spell] = []
    going: Noticed | None = None
    for one in noticed:
        if going is not None and going.became in (SILENT, STALLED):
            found.append(Spell(going.became, going.since_at, max(going.since_at, one.since_at)))
        going = one
    if going is not None and going.became in (SILENT, STALLED):
        found.append(Spell(going.became, going.since_at, None))
    return tuple(found)
