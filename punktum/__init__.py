"""Punktum's client: report training runs from a rented box, and be told when to stop.

    import punktum

    with punktum.run("control", params={"lr": 0.01}) as run:
        for step in range(100):
            run.progress(step, 100)
            run.metric("loss", train_one_step())

Importing touches neither network nor disk; the parts are loaded when they are used.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if sys.hexversion < 0x030A0000:
    raise ImportError(f"punktum needs Python 3.10 or newer; this is {sys.version.split()[0]}")

if TYPE_CHECKING:
    from punktum.raised import NotRecording, StopRun
    from punktum.recording import Run, run

__version__ = "0.1.0"
__all__ = ["NotRecording", "Run", "StopRun", "__version__", "run"]


def __getattr__(name: str) -> object:
    if name in ("NotRecording", "Run", "StopRun", "run"):
        from punktum import recording

        value: object = getattr(recording, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'punktum' has no attribute {name!r}")
