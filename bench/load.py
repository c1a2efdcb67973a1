"""A small load generator: kept connections on loopback, each sends when it was answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Load:
    """What a load showed: answers per second, latencies in milliseconds, failed = not 2xx."""

    per_second: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    failed: int
    answers: int


def request(
    method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> bytes:
    """The bytes of one HTTP/1.1 request to 127.0.0.1."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def percentile(values: list[float], share: float) -> float:
    """The value that `share` of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def measure(
    port: int,
    clients: int,
    seconds: float,
    make: Callable[[int, int], bytes],
    *,
    pace_s: float = 0.0,
) -> Load:
    """Let `clients` post for `seconds`; `make(client, number)` gives each request's bytes.

    With `pace_s` each client begins its requests that far apart instead of as fast as it can.
    """
    return asyncio.run(_measure(port, clients, seconds, make, pace_s))


async def _measure(
    port: int, clients: int, seconds: float, make: Callable[[int, int], bytes], pace_s: float
) -> Load:
    took: list[float] = []
    failed = 0
    until = time.perf_counter() + seconds

    async def one(client: int) -> None:
        nonlocal failed
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        number = 0
        due = time.perf_counter() + pace_s * client / max(clients, 1)
        try:
            while time.perf_counter() < until:
                if pace_s:
                    await asyncio.sleep(max(0.0, due - time.perf_counter()))
                    due += pace_s
                started = time.perf_counter()
                writer.write(make(client, number))
                status = await _answer(reader)
                took.append((time.perf_counter() - started) * 1000)
                failed += not 200 <= status < 300
                number += 1
        finally:
            writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(one(client) for client in range(clients)))
    lasted = time.perf_counter() - began
    return Load(
        len(took) / lasted,
        percentile(took, 0.5),
        percentile(took, 0.95),
        percentile(took, 0.99),
        failed,
        len(took),
    )


async def _answer(reader: asyncio.StreamReader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head[9:12])
    at = head.lower().find(b"content-length:")
    if at >= 0:
        length = int(head[at + 15 : head.index(b"\r\n", at)])
        if length:
            await reader.readexactly(length)
    return status
