"""Saves a training early and goes on in a new process: both ways must end in the same numbers.

Four passes at once are compared with two passes, a checkpoint, and two passes by a process that
knows nothing but that file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from digits import OUT, Network, Numbers, read_digits

import punktum

CHECKPOINT = OUT / "checkpoints" / "restore-check.npz"
HIDDEN, LR, SEED = 64, 0.1, 0
PARTS = ["parameters", "random", "data_position", "progress"]


def main() -> None:
    """Compare, and leave with 1 when the numbers differ."""
    if sys.argv[1:] == ["--go-on"]:
        _go_on()
        return
    with punktum.run("restore-check", output=OUT) as run:
        at_once = _passes(Network(HIDDEN, SEED), 4)
        run.progress(1, 3)
        half = Network(HIDDEN, SEED)
        _passes(half, 2)
        _save(half, CHECKPOINT)
        run.checkpoint(CHECKPOINT, states=PARTS)
        run.progress(2, 3)
        if _in_new_process() != _digest(at_once):
            sys.exit("restore check: the continued training ends in other numbers")
        run.progress(3, 3)
    print("restore check: a new process went on from the checkpoint to the same numbers")


def _passes(network: Network, count: int) -> Network:
    data = read_digits()
    for _ in range(count):
        for _loss in network.epoch(data, LR):
            pass
    return network


def _save(network: Network, path: Path) -> None:
    """Parameters, and where the random source stands: the order of the data comes from it."""
    network.save(path)
    state = json.dumps(network.random.bit_generator.state)
    path.with_suffix(".json").write_text(state, encoding="utf-8")


def _go_on() -> None:
    """In the new process: load, train the other half, print what came out."""
    network = Network(HIDDEN, SEED + 1)
    network.load(CHECKPOINT)
    state = json.loads(CHECKPOINT.with_suffix(".json").read_text(encoding="utf-8"))
    network.random.bit_generator.state = state
    print(_digest(_passes(network, 2)))


def _in_new_process() -> str:
    """What the new process printed; it is no run of its own, so it hears nothing of this one."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PUNKTUM_")}
    command = [sys.executable, str(Path(__file__).resolve()), "--go-on"]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def _digest(network: Network) -> str:
    """The parameters as text, exactly."""
    arrays: list[Numbers] = [*network.weights, *network.biases]
    return "".join(np.ascontiguousarray(array).tobytes().hex() for array in arrays)


if __name__ == "__main__":
    main()
