"""Two processes that train one model over gloo. Argument: what the job does once it was asked."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist

import punktum
from punktum.integrations import torch as group


def train(run: group.GroupRun, ignores: bool) -> None:
    """Average a gradient each step; rank 0's loss is not finite from step 6 on."""
    rank = dist.get_rank()
    for step in range(1, 2000):
        gradient = torch.ones(1)
        dist.all_reduce(gradient)
        run.metric("loss", float("nan") if rank == 0 and step >= 6 else 1 / step)
        if ignores:
            Path(f"step-{rank}").write_text(str(step))
            time.sleep(0.02)
            continue
        Path(f"step-{rank}").write_text(str(step))
        run.progress(step, 2000)


def main() -> None:
    """Join the group, train, and let a stop end it."""
    dist.init_process_group("gloo")
    ignores = sys.argv[1:] == ["ignores"]
    try:
        with group.run("control") as run:
            train(run, ignores)
    except punktum.StopRun as stop:
        said = f"{os.environ['RANK']} left: {stop.rule}"
        Path(f"left-{os.environ['RANK']}").write_text(said)
        dist.barrier()
    dist.destroy_process_group()


main()
