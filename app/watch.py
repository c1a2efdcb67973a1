"""The one loop that looks when nobody asks: what time alone changes is found here.

Each room may register what it watches for. The loop asks in a read session and acts through the
writer, so that several processes can watch one database: whoever acts looks again inside the
transaction. It writes no end of anything.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlmodel import Session

from app import clock
from app.db import Database, WriteSession
from app.errors import Busy

EVERY_S: Final = 2.0
"""A look costs two statements on an index; silence is promised to the minute, not the second."""
log = logging.getLogger("punktum.watch")


@dataclass(frozen=True, slots=True)
class Watcher:
    """What a room watches for: campaigns that need a look, and the command that looks."""

    attention: Callable[[Session, datetime], Mapping[str, Any]]
    act: Callable[[WriteSession, str, Any, datetime], None]


def look(database: Database, watchers: tuple[Watcher, ...], now: datetime) -> int:
    """Look once; the number of campaigns that were acted on."""
    acted = 0
    for watcher in watchers:
        with database.read() as session:
            found = watcher.attention(session, now)
        for campaign_id, what in found.items():
            database.write(campaign_id, _command(watcher, campaign_id, what, now))
            acted += 1
    return acted


async def keep_looking(database: Database, watchers: tuple[Watcher, ...]) -> None:
    """Look again and again until cancelled; a look that fails is told and the next one tried."""
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            await asyncio.to_thread(look, database, watchers, clock.now())
        except Busy:
            continue
        except Exception:
            log.exception("failed to look")


def _command(
    watcher: Watcher, campaign_id: str, what: Any, now: datetime
) -> Callable[[WriteSession], None]:
    return lambda tx: watcher.act(tx, campaign_id, what, now)
