"""Loads `model.npz` in this folder and reads the held-out images again.

Runs alone, beside the model, in a process that knows nothing else: it needs numpy and
scikit-learn (for the images). Leaves with 1 when a prediction is not the one expected.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Predict every id of `expected.csv` and compare."""
    images = (load_digits().data / 16).astype(np.float32)
    with (HERE / "expected.csv").open(encoding="utf-8") as stream:
        expected = {row["id"]: int(row["prediction"]) for row in csv.DictReader(stream)}
    layer = images[[int(name.removeprefix("digit-")) for name in expected]]
    with np.load(HERE / "model.npz", allow_pickle=False) as arrays:
        count = len(arrays.files) // 2
        for n in range(count):
            raw = layer @ arrays[f"weight_{n}"] + arrays[f"bias_{n}"]
            layer = raw if n == count - 1 else np.where(raw > 0, raw, np.float32(0.01) * raw)
    found = layer.argmax(axis=1)
    wrong = [name for name, guess in zip(expected, found, strict=True) if guess != expected[name]]
    if wrong:
        sys.exit(f"{len(wrong)} of {len(expected)} predictions differ, the first is {wrong[0]}")
    print(f"{len(expected)} of {len(expected)} predictions are the same")


if __name__ == "__main__":
    main()
