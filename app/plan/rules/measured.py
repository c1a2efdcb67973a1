"""What runs have shown of a step's saving and restoring, in place of what was stated of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.plan.rules.model import Checkpoint, Step


@dataclass(frozen=True, slots=True)
class Measured:
    """Measured of a step's checkpoints: whole seconds rounded up, bytes; unknown is None."""

    write_s: int | None = None
    restore_s: int | None = None
    size_bytes: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was measured."""
        return self.write_s is None and self.restore_s is None and self.size_bytes is None


def with_measured(step: Step, measured: Measured) -> Step:
    """The step with each stated figure of its checkpoint replaced by the measured one."""
    if measured.is_empty:
        return step
    stated = step.checkpoint if step.checkpoint is not None else Checkpoint()
    known = replace(
        stated,
        write_s=stated.write_s if measured.write_s is None else measured.write_s,
        restore_s=stated.restore_s if measured.restore_s is None else measured.restore_s,
        size_bytes=stated.size_bytes if measured.size_bytes is None else measured.size_bytes,
    )
    return replace(step, checkpoint=known)
