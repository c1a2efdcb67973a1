"""A training that `punktum restore-check` saves early and goes on with in a new process.

    punktum restore-check --step restore-check --compare loss --steps 2 --tolerance 0 \\
        --save 'python restore_check.py' --resume 'python restore_check.py --resume'

One step is a pass over the training images. The first process makes four passes and saves after
two; the second one loads what was saved and makes the last two again. The losses must be the same.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
from digits import Network, read_digits

import punktum

HIDDEN, LR, SEED = 64, 0.1, 0
PARTS = ["parameters", "random", "data_position", "progress"]


def main() -> None:
    """Train from the start, or with `--resume` from what was saved."""
    passes = int(os.environ.get("PUNKTUM_RESTORE_STEPS", "2"))
    saved = Path(os.environ.get("PUNKTUM_RESTORE_FOLDER", ".")) / "network.npz"
    resumes = "--resume" in sys.argv[1:]
    network = _loaded(saved) if resumes else Network(HIDDEN, SEED)
    done, data = passes if resumes else 0, read_digits()
    with punktum.run("restore-check", resumed_at=done) as run:
        for number in run.track(range(done, 2 * passes)):
            run.metric("loss", float(np.mean(list(network.epoch(data, LR)))))
            if number + 1 == passes:
                _save(network, saved)
                run.checkpoint(saved, states=PARTS)


def _save(network: Network, path: Path) -> None:
    """Parameters, and where the random source stands: the order of the data comes from it."""
    network.save(path)
    state = json.dumps(network.random.bit_generator.state)
    path.with_suffix(".json").write_text(state, encoding="utf-8")


def _loaded(path: Path) -> Network:
    """What was saved, in a network that began with other numbers."""
    network = Network(HIDDEN, SEED + 1)
    network.load(path)
    state = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    network.random.bit_generator.state = state
    return network


if __name__ == "__main__":
    main()
