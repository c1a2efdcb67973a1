"""A tiny training that can be saved and resumed. Its data are shuffled by a random source.

Usage: trainer.py --steps N [--save-at N] [--folder DIR] [--resume] [--forget NAME] [--report WAY]
``--forget random`` leaves the random source out of the checkpoint, ``--forget all`` loads nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any


def main() -> int:
    """Train; the values go out by the way that was asked for."""
    parser = argparse.ArgumentParser()
    for name, kind, usual in (
        ("--steps", int, 0), ("--save-at", int, 0), ("--slow-save", float, 0.0),
        ("--folder", str, ""), ("--report", str, "lines"), ("--forget", str, ""),
    ):  # fmt: skip
        parser.add_argument(name, type=kind, default=usual)
    parser.add_argument("--resume", action="store_true")
    asked = parser.parse_args()
    folder = Path(asked.folder or os.environ["PUNKTUM_RESTORE_FOLDER"])
    source, weight, step = random.Random(7), 1.0, 0
    if asked.resume and asked.forget != "all":
        saved = json.loads((folder / "last.json").read_text())
        weight, step = saved["weight"], saved["step"]
        if asked.forget != "random":
            source.setstate((saved["random"][0], tuple(saved["random"][1]), saved["random"][2]))
    report = _reporter(asked.report)
    for _ in range(asked.steps or int(os.environ["PUNKTUM_RESTORE_STEPS"])):
        weight -= 0.1 * weight * source.random()
        step += 1
        report(step, weight * weight)
        if step == asked.save_at:
            time.sleep(asked.slow_save)
            state = {"weight": weight, "step": step, "random": source.getstate()}
            (folder / "last.json").write_text(json.dumps(state))
            report(step, None)
    return 0


def _reporter(way: str) -> Any:
    """One value for each step; None: a checkpoint was saved."""
    if way == "punktum":
        import punktum

        run = punktum.run("control", params={}).__enter__()

        def say(step: int, loss: float | None) -> None:
            if loss is None:
                folder = os.environ["PUNKTUM_RESTORE_FOLDER"]
                states = ["parameters", "random", "progress"]
                run.checkpoint(f"{folder}/last.json", states=states, write_s=1.25)
            else:
                run.progress(step)
                run.metrics({"loss": loss, "accuracy": 1 - loss})

        return say
    shapes = {
        "lines": lambda step, loss: f"step {step}: eval_loss=9 loss={loss!r}",
        "json": lambda step, loss: json.dumps({"step": step, "loss": loss}),
        "dict": lambda step, loss: str({"loss": loss, "epoch": step}),
    }

    def print_it(step: int, loss: float | None) -> None:
        if loss is None:
            return
        if way == "file":
            with open(os.environ["PUNKTUM_RESTORE_VALUES"], "a") as stream:
                stream.write(json.dumps({"loss": loss}) + "\n")
            print("loss=0.0")
        else:
            print(shapes[way](step, loss))
            print(f"loss={-loss}", file=sys.stderr)

    return print_it


if __name__ == "__main__":
    sys.exit(main())
