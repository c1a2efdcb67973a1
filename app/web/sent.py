"""Forms that were sent twice: a double click, or a page sent again while its answer is on the way.

Each rendering of a form carries a token of its own. The same token with the same content within
a minute is the same act: it is answered as the first time and does nothing again. What a room
itself takes for the same (an order's reference, say) holds for ever; this is for the rest.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.requests import Request

from app.texts import Text

LASTS_S = 60.0
MOST = 1024
_LOOK_S = 0.02


@dataclass(slots=True)
class Answered:
    """What a form was answered with; `to` is None while the answer is being made."""

    to: str | None
    said: Text | None
    until: float


class SentBefore(Exception):
    """This form was sent before; where its answer leads, and what was said there."""

    def __init__(self, to: str, said: Text | None) -> None:
        super().__init__(to)
        self.to = to
        self.said = said


class SentForms:
    """The forms of the last minute in one process, by a digest of what was sent."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Answered] = OrderedDict()

    async def begin(self, key: str) -> None:
        """Enter a form; raises `SentBefore` when it was answered already, also by waiting for
        the one on the way."""
        mine = Answered(None, None, time.monotonic() + LASTS_S)
        while (known := self._known.setdefault(key, mine)) is not mine:
            if known.until <= time.monotonic():
                self._known[key] = mine
            elif known.to is not None:
                raise SentBefore(known.to, known.said)
            else:
                await asyncio.sleep(_LOOK_S)
        while len(self._known) > MOST:
            self._known.popitem(last=False)

    def answer(self, key: str, to: str, said: Text | None) -> None:
        """The form did what it says; where it led."""
        self._known[key] = Answered(to, said, time.monotonic() + LASTS_S)

    def end(self, key: str) -> None:
        """The request is over; what was refused may be sent again as it is."""
        known = self._known.get(key)
        if known is not None and known.to is None:
            del self._known[key]


def sent_forms(request: Request) -> SentForms:
    """The forms that this server saw."""
    state = request.app.state
    if not hasattr(state, "sent_forms"):
        state.sent_forms = SentForms()
    found: SentForms = state.sent_forms
    return found


def digest(path: str, items: Iterable[tuple[str, str | bytes]]) -> str:
    """A name for what was sent to an address: equal for equal content only."""
    sha = hashlib.sha256(path.encode())
    for name, value in items:
        content = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        sha.update(f"\0{name}\0{len(content)}\0".encode("utf-8", "surrogatepass"))
        sha.update(content)
    return sha.hexdigest()
