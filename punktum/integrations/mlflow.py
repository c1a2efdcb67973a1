"""What MLflow finds by its entry point: tags that join its runs with the run of the wrapper."""

from __future__ import annotations

import os

TAGS = {
    "punktum.step": "PUNKTUM_STEP",
    "punktum.run": "PUNKTUM_RUN_ID",
    "punktum.attempt": "PUNKTUM_ATTEMPT_ID",
}


class RunContext:
    """A run context provider: each run made here says whose attempt it is."""

    def in_context(self) -> bool:
        """Whether this process was told of a step or a run."""
        return any(os.environ.get(name) for name in TAGS.values())

    def tags(self) -> dict[str, str]:
        """The tags, for what is known."""
        return {tag: os.environ[name] for tag, name in TAGS.items() if os.environ.get(name)}
