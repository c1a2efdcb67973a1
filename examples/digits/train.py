"""One training job: `python train.py STEP [--hidden 64] [--lr 0.1] [--epochs 60] [--seed 0]`.

It reports loss, accuracy on the held-out images, progress and checkpoints, and ends when a stop
rule asks it to. The model is written to `out/models/STEP.npz`.
"""

from __future__ import annotations

import argparse
import sys
import time

from digits import OUT, Network, read_digits

import punktum

SAVED_EVERY = 20


def main() -> None:
    """Train, and leave with 1 when a rule stopped it."""
    asked = _arguments()
    try:
        with punktum.run(asked.step, output=OUT) as run:
            _train(asked, run)
    except punktum.StopRun as stop:
        sys.exit(f"{asked.step}: stopped, {stop}")


def _train(asked: argparse.Namespace, run: punktum.Run) -> None:
    data, network = read_digits(), Network(asked.hidden, asked.seed)
    steps = -(-len(data.training) // 16)
    total = asked.epochs * steps
    accuracy = 0.0
    for epoch in range(asked.epochs):
        for number, loss in enumerate(network.epoch(data, asked.lr), 1):
            run.progress(epoch * steps + number, total)
            run.metric("loss", loss)
        accuracy = network.accuracy(data)
        run.metric("accuracy", accuracy)
        if (epoch + 1) % SAVED_EVERY == 0:
            _save(network, asked.step, run)
    network.save(OUT / "models" / f"{asked.step}.npz")
    print(f"{asked.step}: {accuracy:.4f} of the held-out images are read right")


def _save(network: Network, step: str, run: punktum.Run) -> None:
    """A checkpoint; without momentum there is no optimizer state to keep."""
    path, began = OUT / "checkpoints" / f"{step}.npz", time.perf_counter()
    network.save(path)
    took_s = round(time.perf_counter() - began, 4)
    run.checkpoint(path, states=["parameters", "progress"], write_s=took_s)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train on the handwritten digits.")
    parser.add_argument("step", help="step of the plan: pilot, control, variant-a or variant-b")
    parser.add_argument("--hidden", type=int, default=0, help="units in the hidden layer (0: none)")
    parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
    parser.add_argument("--epochs", type=int, default=60, help="passes over the training images")
    parser.add_argument("--seed", type=int, default=0, help="seed of weights and order")
    return parser.parse_args()


if __name__ == "__main__":
    main()
