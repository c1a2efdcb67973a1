"""The other sources of one attempt: what code inside measured, and sending what it left."""

from __future__ import annotations

import time
from pathlib import Path

from punktum import reading
from punktum.delivery import Delivery
from punktum.events import Identity
from punktum.ledger import Ledger
from punktum.locks import is_held
from punktum.server import Server
from punktum.spool import identity_of, read_lines

LOOKED_AT_BYTES = 1 << 18


def sibling_files(folder: Path, identity: Identity) -> list[Path]:
    """Spool files of the same attempt written by other sources."""
    found = []
    for path in sorted(folder.glob(f"{identity.run}--{identity.attempt_id}--*.jsonl")):
        other = identity_of(path)
        if other is not None and other.source != identity.source:
            found.append(path)
    return found


def is_listened_to(folder: Path, identity: Identity) -> bool:
    """Whether code inside the job has attached, so that it hears of a stop by itself."""
    return bool(sibling_files(folder, identity))


def last_measured(folder: Path, identity: Identity) -> dict[str, object]:
    """Newest progress, total and metrics the other sources wrote, for the terminal event."""
    newest: dict[str, object] = {}
    metrics: dict[str, object] = {}
    for path in sibling_files(folder, identity):
        try:
            lines = list(read_lines(path, max(0, path.stat().st_size - LOOKED_AT_BYTES)))
        except OSError:
            continue
        for line in lines:
            event = line.event()
            newest.update({key: event[key] for key in ("progress", "total") if key in event})
            metrics.update(reading.record(event.get("metrics")))
    if metrics:
        newest["metrics"] = metrics
    return newest


def deliver_siblings(server: Server, folder: Path, identity: Identity, timeout_s: float) -> None:
    """Send what finished sources of this attempt left unsent, so that it comes before the end."""
    ends = time.monotonic() + timeout_s
    for path in sibling_files(folder, identity):
        if is_held(path):
            continue
        ledger = Ledger(path)
        delivery = Delivery(server, path, ledger=ledger)
        while time.monotonic() < ends:
            carried = delivery.send_next()
            if carried.idle or carried.held or carried.wait_s is not None:
                break
        ledger.save()
