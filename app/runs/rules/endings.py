"""Why an attempt ended, in the reader's language, where our own code wrote the words.

An end's reason code, signal and exit code say most of it; the words that the wrapper, the client
or the server add are known, and any others are a job's or a person's own, shown as they came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from app.texts import Text, text

_SIGNAL = re.compile(r"signal (\d{1,9})\Z")
_EXIT = re.compile(r"exit (-?\d{1,11})(?:: (.+))?\Z")
_KNOWN: Final[Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], Text]]]] = (
    (
        re.compile(r"signal \d{1,9}, out of memory \(the kernel counted (\d{1,9})\)\Z"),
        lambda found: text("out of memory, the kernel counted {n}", n=int(found[1])),
    ),
    (re.compile(r"interrupted, clean\Z"), lambda _: text("interrupted, ended cleanly")),
    (re.compile(r"interrupted, exit -?\d{1,11}\Z"), lambda _: text("interrupted")),
    (
        re.compile(r"not started(?: \(--strict\))?: (.+)\Z"),
        lambda found: text("not started: {said}", said=found[1]),
    ),
    (
        re.compile(r"the tracker was told: ([A-Z]+)\Z"),
        lambda found: text("the tracker was told: {said}", said=found[1]),
    ),
)


def ending_said(
    written: str | None, *, exit_code: int | None = None, signal: int | None = None
) -> Text | None:
    """The words of an end; None where there are none, or they only repeat the code that is given:
    that stands beside them."""
    if not written:
        return None
    signalled = _SIGNAL.match(written)
    if signalled is not None:
        n = int(signalled[1])
        return None if n == signal else text("signal {n}", n=n)
    left = _EXIT.match(written)
    if left is not None:
        code, said = int(left[1]), left[2]
        if code == exit_code:
            return text("{said}", said=said) if said else None
        if said:
            return text("exit code {n}: {said}", n=code, said=said)
        return text("exit code {n}", n=code)
    for pattern, say in _KNOWN:
        found = pattern.match(written)
        if found is not None:
            return say(found)
    return text("{said}", said=written)


_DIFFERS = re.compile(
    r"(.+) differs at step (\d{1,9}) after the checkpoint: (\S+) expected, (\S+) found"
    r"(; these are the values of the first steps: nothing was loaded)?\Z"
)
_FEW = re.compile(r"(--save|--resume) reported (\d{1,9}) values? of (.+), (\d{1,9}) are needed\Z")
_MANY = re.compile(
    r"--resume reported (\d{1,9}) values of (.+), (\d{1,9}) are expected: "
    r"it does not go on from the checkpoint\Z"
)


def restore_said(written: str) -> Text:
    """Why a restore check failed; what our own comparison did not write stays as it came."""
    differs, few, many = (one.match(written) for one in (_DIFFERS, _FEW, _MANY))
    if differs is not None:
        metric, step, expected, found, anew = differs.groups()
        values = {"metric": metric, "n": int(step), "expected": expected, "found": found}
        said = text(
            "{metric} differs at step {n} after the checkpoint: {expected} expected, {found} found",
            **values,
        )
        if anew is None:
            return said
        return text("{said}; these are the values of the first steps: nothing was loaded",
                    said=said)  # fmt: skip
    if few is not None:
        return text(
            "{option} reported {there} of {needed} values of {metric}",
            option=few[1], there=int(few[2]), metric=few[3], needed=int(few[4]),
        )  # fmt: skip
    if many is not None:
        return text(
            "{option} reported {there} values of {metric} in place of {needed}: it does not go on "
            "from the checkpoint",
            option="--resume", there=int(many[1]), metric=many[2], needed=int(many[3]),
        )  # fmt: skip
    return text("{said}", said=written)
