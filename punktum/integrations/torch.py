"""Several processes of one job (torchrun): rank 0 reports, and all of them stop at the same step.

    from punktum.integrations import torch as punktum_torch

    with punktum_torch.run("control") as run:      # on every rank
        for step in range(1, steps + 1):
            loss = train_one_step()
            run.metric("loss", loss)               # rank 0's counts
            run.progress(step, steps)              # every rank: a step boundary

A process that left alone would leave the others waiting in their next exchange for ever.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Literal

import torch
import torch.distributed as dist

from punktum import talk
from punktum.marks import StopRequest
from punktum.recording import Run


def is_group() -> bool:
    """Whether this process is one of several that torch.distributed has joined."""
    return bool(dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1)


class Agreement:
    """Whether rank 0 was asked to stop, as all ranks learn it at the same call.

    Each call is an exchange of one number over a group of its own on the CPU, so that no GPU
    waits for it; with ``every`` n only each nth call is one. All ranks make all calls.
    """

    def __init__(self, every: int = 1) -> None:
        self._every = max(1, every)
        self._calls = 0
        self._group: Any = None
        self._broken = False

    def ask(self, stop: StopRequest | None) -> StopRequest | None:
        """The stop that rank 0 was asked for; ``stop`` is what this rank knows."""
        if self._broken:
            return None
        if not is_group():
            return stop
        self._calls += 1
        if self._calls % self._every:
            return None
        try:
            return self._exchange(stop)
        except RuntimeError as error:
            self._broken = True
            talk.say(f"no agreement on a stop any more: {error}. Training goes on")
            return None

    def _exchange(self, stop: StopRequest | None) -> StopRequest | None:
        if self._group is None:
            self._group = dist.new_group(backend="gloo")
        asked = torch.tensor([0 if stop is None else 1], dtype=torch.int32)
        dist.broadcast(asked, src=0, group=self._group)
        if not int(asked[0]):
            return None
        told: list[Any] = [stop]
        dist.broadcast_object_list(told, src=0, group=self._group, device=torch.device("cpu"))
        found = told[0]
        return found if isinstance(found, StopRequest) else None


class GroupRun(Run):
    """``punktum.run`` for every rank of a group: the same arguments, and ``agree_every``.

    ``progress`` is the step boundary at which the ranks agree: call it on every rank. There every
    rank raises StopRun, or has ``stop_requested`` set with ``raise_on_stop`` False; nothing else
    raises. In a process that is alone it is ``punktum.run`` but for that.
    """

    def __init__(
        self, step: str, *, agree_every: int = 1, raise_on_stop: bool = True, **options: Any
    ) -> None:
        super().__init__(step, raise_on_stop=False, **options)
        self._agreement = Agreement(agree_every)
        self._agreed: StopRequest | None = None
        self._raises = raise_on_stop

    def __enter__(self) -> GroupRun:
        if is_group():
            os.environ.setdefault("RANK", str(dist.get_rank()))
        super().__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        self._agreed = self._agreed or super().stop_requested
        return super().__exit__(kind, error, trace)

    @property
    def stop_requested(self) -> StopRequest | None:
        """The stop that all ranks agreed on."""
        return self._agreed

    def progress(self, step: int, total: int | None = None) -> None:
        """Say how far the job is, and agree on a stop. Raises StopRun on every rank at once."""
        super().progress(step, total)
        if self._agreed is None:
            self._agreed = self._agreement.ask(super().stop_requested)
        if self._raises:
            self.raise_if_stopped()


run = GroupRun
"""``run`` by the name people type."""
