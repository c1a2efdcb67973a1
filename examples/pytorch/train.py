"""A plain PyTorch training that can be stopped, resumed and checked: `python train.py [--resume]`.

It learns which of two noisy rings a point lies on. A checkpoint holds everything that the next
step depends on, so a resumed training goes on as if nothing had happened; `punktum restore-check`
proves it.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn

import punktum

POINTS, BATCH = 512, 32
STATES = ["parameters", "optimizer", "scheduler", "random", "data_position", "progress"]
CHECKED = int(os.environ.get("PUNKTUM_RESTORE_STEPS", "0"))
"""Steps of a restore check: as many before the checkpoint as after it. 0: no check."""


class Training:
    """Model, optimizer, schedule, data, and how many steps are done."""

    def __init__(self, lr: float, seed: int) -> None:
        torch.manual_seed(seed)
        self.model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, 0.999)
        self.seed, self.done = seed, 0
        self.points, self.rings = rings(seed)

    def batch(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The next batch. Its place follows from the number of steps: each pass over the data has
        an order of its own, drawn from the seed and the number of the pass."""
        number, place = divmod(self.done, POINTS // BATCH)
        order = torch.randperm(POINTS, generator=torch.Generator().manual_seed(self.seed + number))
        chosen = order[place * BATCH : (place + 1) * BATCH]
        return self.points[chosen], self.rings[chosen]

    def step(self) -> float:
        """One step; the loss."""
        points, belongs = self.batch()
        loss = nn.functional.binary_cross_entropy_with_logits(self.model(points)[:, 0], belongs)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        self.done += 1
        return loss.item()

    def accuracy(self) -> float:
        """The part of all points that is told right."""
        self.model.eval()
        with torch.no_grad():
            right = (self.model(self.points)[:, 0] > 0) == (self.rings > 0.5)
        self.model.train()
        return float(right.float().mean())

    def save(self, path: Path) -> float:
        """Write everything beside the old file, then put it in its place; the seconds it took."""
        began = time.perf_counter()
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        torch.save(self.state(), new)
        new.replace(path)
        return time.perf_counter() - began

    def state(self) -> dict[str, Any]:
        """All that the next step depends on. `done` is the position in the data as well."""
        return {
            "parameters": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": self.scheduler.state_dict(),
            "random": torch.get_rng_state(),
            "done": self.done,
        }

    def load(self, path: Path) -> None:
        """Go on where the file says."""
        found = torch.load(path, weights_only=True)
        self.model.load_state_dict(found["parameters"])
        self.optimizer.load_state_dict(found["optimizer"])
        self.scheduler.load_state_dict(found["scheduler"])
        torch.set_rng_state(found["random"])
        self.done = found["done"]


def rings(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Points on two noisy rings, and on which of them each lies."""
    source = torch.Generator().manual_seed(seed)
    belongs = (torch.arange(POINTS) % 2).float()
    angle = torch.rand(POINTS, generator=source) * 2 * math.pi
    radius = 1 + belongs + 0.1 * torch.randn(POINTS, generator=source)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], 1), belongs


def main() -> None:
    """Train, and leave with 1 when a stop was asked for."""
    asked = arguments()
    folder = Path(os.environ.get("PUNKTUM_RESTORE_FOLDER", asked.output))
    path = folder / "checkpoint.pt"
    training = Training(asked.lr, asked.seed)
    if asked.resume and path.exists():
        training.load(path)
    total = 2 * CHECKED or asked.steps
    try:
        with punktum.run(asked.step, output=asked.output, resumed_at=training.done) as run:
            for _ in run.track(range(training.done, total), total):
                run.metric("loss", training.step())
                if is_saved_at(training.done, asked.save_every):
                    took_s = training.save(path)
                    run.checkpoint(path, states=STATES, write_s=took_s)
            run.metric("accuracy", training.accuracy())
    except punktum.StopRun as stop:
        sys.exit(f"stopped after {training.done} steps: {stop}")
    print(f"{training.done} steps, accuracy {training.accuracy():.3f}")


def is_saved_at(done: int, every: int) -> bool:
    """Each so many steps; in a restore check once, for the steps after it are compared."""
    return done == CHECKED if CHECKED else done % every == 0


def arguments() -> argparse.Namespace:
    """The command line; what is named in the docs of `punktum run` is no configuration."""
    parser = argparse.ArgumentParser(description="Tell two rings apart.")
    parser.add_argument("--step", default="control", help="step of the plan")
    parser.add_argument("--lr", type=float, default=0.01, help="learning rate")
    parser.add_argument("--seed", type=int, default=0, help="seed of parameters, data and order")
    parser.add_argument("--steps", type=int, default=400, help="how many steps")
    parser.add_argument("--save-every", type=int, default=100, help="steps between checkpoints")
    parser.add_argument("--output", default="out", help="folder of the checkpoint and the spool")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    return parser.parse_args()


if __name__ == "__main__":
    main()
