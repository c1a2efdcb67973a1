"""A Trainer on a handful of random parameters. Arguments: what goes wrong, and at which step."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Any

import torch
from transformers import Trainer, TrainerCallback, TrainingArguments

from punktum.integrations.transformers import PunktumCallback

STEPS = 12


class Tiny(torch.nn.Module):
    """Learns the mean of its inputs; its loss becomes NaN at ``bad``."""

    def __init__(self, bad: int) -> None:
        super().__init__()
        self.line = torch.nn.Linear(4, 1)
        self.bad = bad
        self.calls = 0

    def forward(self, x: Any, labels: Any = None) -> dict[str, Any]:
        """One batch; the number of training batches is counted."""
        found = self.line(x)
        loss = torch.nn.functional.mse_loss(found[:, 0], labels)
        if self.training:
            self.calls += 1
            if self.calls >= self.bad > 0:
                loss = loss * float("nan")
        return {"loss": loss, "logits": found}


class At(TrainerCallback):
    """Does something at a step."""

    def __init__(self, step: int, act: str) -> None:
        self.step, self.act = step, act

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Die, or raise."""
        print("step", state.global_step, flush=True)
        first = not os.path.exists("killed")
        if state.global_step == self.step and self.act == "kill" and first:
            open("killed", "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        if state.global_step == self.step and self.act == "raise":
            raise RuntimeError("the data loader broke")


def main() -> None:
    """Train, evaluate, say how far it came."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--act", default="")
    parser.add_argument("--at", type=int, default=-1)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args()
    torch.manual_seed(1)
    data = [{"x": torch.rand(4), "labels": torch.rand(1)[0]} for _ in range(STEPS * 2)]
    args = TrainingArguments(
        output_dir="out",
        max_steps=STEPS,
        per_device_train_batch_size=2,
        learning_rate=given.lr,
        logging_steps=1,
        save_steps=4,
        eval_steps=6,
        eval_strategy="steps",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(
        model=Tiny(given.at if given.act == "nan" else -1),
        args=args,
        train_dataset=data,
        eval_dataset=data[:4],
        callbacks=[PunktumCallback("control", beat_s=0.2), At(given.at, given.act)],
    )
    trainer.train(resume_from_checkpoint=True if given.resume else None)
    # In one piece: another process of the group may write at the same moment.
    sys.stdout.write(f"trained {trainer.state.global_step}\n")
    if given.act != "nan":
        print(trainer.evaluate())


main()
