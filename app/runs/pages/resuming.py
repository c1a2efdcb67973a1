"""What a run's page says of going on after an interruption: checkpoint, restore check, the act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.deliverables.rules.words import size_said
from app.plan.rules.model import Step
from app.runs.pages.words import STATES, seconds_said
from app.runs.queries import CheckpointView, RestoreView, RunView
from app.runs.rules.endings import restore_said
from app.runs.rules.resuming import lacking, next_act, was_interrupted
from app.texts import Text, text

Fact = tuple[Text, object]
"""A label and its value; a text of the job's own is a `str`."""


@dataclass(frozen=True, slots=True)
class Resuming:
    """The card: what is to be done, what the checkpoint holds and lacks, what the check found.

    `act` is said only of a run that was interrupted.
    """

    act: Text | None
    checkpoint: tuple[Fact, ...]
    lacks: Text | None
    restore: RestoreView | None
    restored: tuple[Fact, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say."""
        return self.act is None and not self.checkpoint and self.restore is None


def resuming_of(run: RunView, step: Step | None) -> Resuming:
    """What is known of going on with a run."""
    saved = run.checkpoint
    act = None
    if was_interrupted(run.status, run.rule, silent=run.silent):
        decided = step.on_interruption if step is not None else None
        act = next_act(decided, saved.progress if saved else None, is_saved=saved is not None)
    return Resuming(
        act=act,
        checkpoint=tuple(_checkpoint(saved)) if saved else (),
        lacks=_lacks(saved.states) if saved else None,
        restore=run.restore,
        restored=tuple(_restored(run.restore)) if run.restore else (),
    )


def _checkpoint(saved: CheckpointView) -> Sequence[Fact]:
    found: list[Fact] = [(text("Saved"), saved.at)]
    if saved.path is not None:
        found.append((text("Path"), saved.path))
    if saved.progress is not None:
        found.append((text("Progress"), saved.progress))
    if saved.size is not None:
        found.append((text("Size"), size_said(saved.size)))
    if saved.write_s is not None:
        found.append((text("Writing took"), seconds_said(saved.write_s)))
    if saved.states:
        found.append((text("It holds"), tuple(STATES.get(one, one) for one in saved.states)))
    return found


def _lacks(states: Sequence[str]) -> Text | None:
    """What a resume from this checkpoint would not find, as far as it says what it holds."""
    if not states:
        return text("It does not say which states it holds.")
    needed, sometimes = lacking(states)
    if needed and sometimes:
        return text(
            "A resume would lack: {needed}; where the loop has them also {sometimes}.",
            needed=_named(needed),
            sometimes=_named(sometimes),
        )
    if needed:
        return text("A resume would lack: {needed}.", needed=_named(needed))
    if sometimes:
        return text(
            "A resume would lack, where the loop has them: {names}.", names=_named(sometimes)
        )
    return None


def _named(states: Sequence[str]) -> tuple[object, ...]:
    return tuple(STATES.get(one, one) for one in states)


def _restored(found: RestoreView) -> Sequence[Fact]:
    said: list[Fact] = [(text("Checked"), found.at)]
    if found.reason is not None:
        said.append((text("In words"), restore_said(found.reason)))
    if found.path is not None:
        said.append((text("Path"), found.path))
    for label, seconds in (
        (text("Saving took"), found.save_s),
        (text("Restoring took"), found.restore_s),
    ):
        if seconds is not None:
            said.append((label, seconds_said(seconds)))
    if found.size is not None:
        said.append((text("Size"), size_said(found.size)))
    if found.states:
        said.append((text("It holds"), _named(found.states)))
    if found.steps is not None:
        said.append((text("Steps compared"), found.steps))
    if found.compared is not None:
        said.append((text("Compared"), _compared(found)))
    return said


def _compared(found: RestoreView) -> object:
    if found.expected is None or found.found is None:
        return found.compared
    return text(
        "{metric}: {expected} expected, {found} found",
        metric=found.compared,
        expected=found.expected,
        found=found.found,
    )
