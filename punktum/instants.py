"""The job's own clock as text, what is left until an instant the server named, and when the
wrapper began."""

from __future__ import annotations

import calendar
import os
import re
import time

_INSTANT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)\Z"
)


def now_text() -> str:
    """Now by the job's clock, UTC with milliseconds: ``2026-12-01T08:00:00.000Z``."""
    return instant_text(time.time())


def instant_text(epoch_s: float) -> str:
    """Seconds since 1970 as an instant in UTC with milliseconds."""
    whole, milli = divmod(int(epoch_s * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{milli:03d}Z"


def epoch_s(text: str) -> float | None:
    """An instant with its offset as seconds since 1970; None when it cannot be read."""
    match = _INSTANT.match(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    zone = match[7]
    shift_s = 0
    if zone != "Z":
        digits = zone[1:].replace(":", "")
        shift_s = (int(digits[:2]) * 60 + int(digits[2:])) * 60 * (-1 if zone[0] == "-" else 1)
    return calendar.timegm((year, month, day, hour, minute, second)) - shift_s


def attempt_began() -> float | None:
    """When the wrapper began, by the monotonic clock that all processes of a machine share."""
    try:
        began = float(os.environ["PUNKTUM_BEGAN"])
    except (KeyError, ValueError):
        return None
    return began if began <= time.monotonic() else None
