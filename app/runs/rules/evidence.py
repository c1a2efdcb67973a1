"""Views of what a job reports beside progress and metrics: checkpoints, restore checks, inputs."""

from __future__ import annotations

from collections.abc import Mapping

from app.runs.rules.events import source_rank
from app.runs.rules.parts import Inputs, Restored, Saved
from app.runs.rules.streams import Stream
from app.runs.rules.times import at_of
from app.runs.rules.views import CheckpointView, InputView, RestoreView


def checkpoint_view(saved: Saved) -> CheckpointView:
    """A checkpoint as pages see it."""
    return CheckpointView(
        at_of(saved.at_us), saved.path, saved.size, saved.states, saved.progress, saved.write_s
    )


def restore_view(found: Restored) -> RestoreView:
    """The result of a restore check as pages see it."""
    return RestoreView(
        at_of(found.at_us), found.passed, found.reason, found.save_s, found.restore_s, found.size,
        found.states, found.compared, found.steps, found.expected, found.found, found.path,
    )  # fmt: skip


def inputs_view(streams: Mapping[str, Stream]) -> tuple[InputView, ...]:
    """What the current attempt says of its inputs; the word of the higher source counts."""
    known: dict[str, Inputs] = {}
    for source in sorted(streams, key=source_rank, reverse=True):
        known.update(streams[source].inputs)
    return tuple(InputView(name, *known[name]) for name in sorted(known))
