"""The two exceptions a job may see from us."""

from __future__ import annotations

from punktum.marks import StopRequest


class StopRun(Exception):
    """A stop was asked for: leave the loop. ``rule`` is None when a person asked."""

    def __init__(self, stop: StopRequest) -> None:
        super().__init__(f"{stop.rule}: {stop.text}" if stop.rule else stop.text)
        self.rule = stop.rule
        self.text = stop.text


class NotRecording(RuntimeError):
    """Only with ``strict=True``: the run would not be recorded, and why."""
