"""What a resume finds: the newest checkpoint, what it does not hold, what the plan decided for an
interruption, and the steps that a resumed attempt did again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from app.plan.rules.model import OnInterruption
from app.runs.rules.events import STATES, Status, source_rank
from app.runs.rules.parts import Progress, Saved
from app.runs.rules.streams import Stream
from app.texts import Text, text

_OPEN_ENDS: Final = (Status.FAILED, Status.STOPPED, Status.LOST)
SOMETIMES: Final = ("scheduler", "scaler")
"""States that a loop has only where it uses such a thing."""


def progress_of(streams: Mapping[str, Stream]) -> Progress | None:
    """How far an attempt came: the word of the source that came furthest."""
    found = [streams[name].progress for name in sorted(streams, key=source_rank)]
    known = [progress for progress in found if progress is not None]
    return max(known, key=lambda progress: progress.done, default=None)


def saved_of(streams: Mapping[str, Stream]) -> Saved | None:
    """The newest checkpoint of an attempt, by the job's clock."""
    found = [stream.saved for stream in streams.values() if stream.saved is not None]
    return max(found, key=lambda saved: saved.at_us, default=None)


def redone(done_before: int | None, progress: Progress | None) -> int:
    """How many steps an attempt did that the attempts before it had done already.

    `done_before` is the furthest that those came. An attempt that names no progress redid nothing
    that is known.
    """
    if done_before is None or progress is None:
        return 0
    return max(0, min(done_before, progress.done) - progress.before)


def lacking(states: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The states that a checkpoint does not name: those that every resume needs, then those
    that only some loops have; both empty where it names none at all."""
    if not states:
        return (), ()
    absent = [name for name in STATES if name not in states]
    needed = tuple(name for name in absent if name not in SOMETIMES)
    return needed, tuple(name for name in absent if name in SOMETIMES)


def was_interrupted(status: str, rule: str | None, *, silent: bool) -> bool:
    """Whether work broke off that may go on: not where it completed, or a rule ended it."""
    if status == Status.RUNNING:
        return silent
    return status in _OPEN_ENDS and rule is None


def next_act(decided: OnInterruption | None, saved_at_step: int | None, *, is_saved: bool) -> Text:
    """What the plan decided for an interruption, in words, as far as the checkpoint allows it.

    `saved_at_step` is the progress that the newest checkpoint names.
    """
    if decided is None:
        return text("The plan does not say what follows an interruption.")
    if decided is OnInterruption.INFERENCE_ONLY:
        return text("By plan: only run inference again.")
    if decided is OnInterruption.RESTART:
        return text("By plan: start over.")
    if not is_saved:
        return text("By plan: resume learning. No checkpoint was reported, so it starts over.")
    if saved_at_step is None:
        return text("By plan: resume learning from the newest checkpoint.")
    return text("By plan: resume learning from the checkpoint at {n}.", n=saved_at_step)
