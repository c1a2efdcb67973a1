"""What states and reasons of runs are called, wherever a sentence speaks of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.runs.rules.events import Status
from app.texts import Text, text

REASON_WORDS: Final[Mapping[str, Text]] = {
    "operator": text("by a person"),
    "window_end": text("end of the window"),
    "infra": text("infrastructure"),
    "code_error": text("error in the code"),
    "budget": text("budget"),
    "superseded": text("taken over by a later attempt"),
}
STATUS_WORDS: Final[Mapping[str, Text]] = {
    Status.PLANNED: text("planned"),
    Status.RUNNING: text("running"),
    Status.COMPLETED: text("completed"),
    Status.FAILED: text("failed"),
    Status.STOPPED: text("stopped"),
    Status.LOST: text("lost"),
}
_RULE = "rule:"


def reason_said(code: str) -> Text:
    """A reason code in words; a rule is called by its id, a job's own reason as it came."""
    if code.startswith(_RULE):
        return text("Rule {rule}", rule=code.removeprefix(_RULE))
    return REASON_WORDS.get(code) or text("{said}", said=code)


def status_said(status: str) -> Text:
    """Where a run stands, in a word within a sentence."""
    return STATUS_WORDS.get(status) or text("{said}", said=status)
