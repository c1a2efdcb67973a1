"""The handwritten digits, their fixed split, and a small network trained step by step.

Plain numpy on purpose: the gradient is worked out below, so a learning rate that is too high
really runs away, as it would in any framework.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the matrices are small: more threads only wait
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent
OUT = Path("out")
CLASSES = 10
LEAK = np.float32(0.01)

Numbers = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Digits:
    """Images as rows of 64 numbers from 0 to 1, their digits, and which rows are held out."""

    images: Numbers
    labels: Places
    held_out: Places

    @property
    def training(self) -> Places:
        """The rows that may be learned from."""
        return np.setdiff1d(np.arange(len(self.labels)), self.held_out)


def name_of(row: int) -> str:
    """The id of a row of scikit-learn's digits."""
    return f"digit-{row:04d}"


def read_digits() -> Digits:
    """The data from the package, split by the ids in `ids.txt`."""
    found = load_digits()
    names = (HERE / "ids.txt").read_text(encoding="utf-8").split()
    held_out = np.array([int(name.removeprefix("digit-")) for name in names])
    return Digits((found.data / 16).astype(np.float32), found.target.astype(np.int64), held_out)


class Network:
    """A linear classifier, or one with a hidden layer; learns by plain gradient steps."""

    def __init__(self, hidden: int, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        sizes = [64, hidden, CLASSES] if hidden else [64, CLASSES]
        self.weights = [
            (self.random.standard_normal((before, after)) * np.sqrt(2 / before)).astype(np.float32)
            for before, after in pairwise(sizes)
        ]
        self.biases = [np.zeros(after, np.float32) for after in sizes[1:]]

    def epoch(self, data: Digits, lr: float, batch: int = 16) -> Iterator[float]:
        """One pass over the training rows in a new order; yields the loss of each step."""
        rows = self.random.permutation(data.training)
        for start in range(0, len(rows), batch):
            chosen = rows[start : start + batch]
            yield self._learn(data.images[chosen], data.labels[chosen], np.float32(lr))

    def scores(self, images: Numbers) -> Numbers:
        """The score of each class for each image."""
        return self._layers(images)[-1]

    def accuracy(self, data: Digits) -> float:
        """The share of held-out images that are read right."""
        found = self.scores(data.images[data.held_out]).argmax(axis=1)
        return float((found == data.labels[data.held_out]).mean())

    def _layers(self, images: Numbers) -> list[Numbers]:
        layers = [images]
        for depth, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            raw = layers[-1] @ weight + bias
            is_last = depth == len(self.weights) - 1
            layers.append(raw if is_last else np.where(raw > 0, raw, LEAK * raw))
        return layers

    def _learn(self, images: Numbers, labels: Places, lr: np.float32) -> float:
        """One gradient step on the cross-entropy; the loss before it."""
        with np.errstate(all="ignore"):  # a run that diverges says so by its loss
            layers, rows = self._layers(images), np.arange(len(labels))
            shifted = layers[-1] - layers[-1].max(axis=1, keepdims=True)
            exponents = np.exp(shifted)
            sums = exponents.sum(axis=1, keepdims=True)
            loss = float(np.mean(np.log(sums[:, 0]) - shifted[rows, labels]))
            slope = exponents / sums
            slope[rows, labels] -= 1
            slope /= len(labels)
            for depth in reversed(range(len(self.weights))):
                by_weight, by_bias = layers[depth].T @ slope, slope.sum(axis=0)
                if depth:
                    slope = (slope @ self.weights[depth].T) * np.where(layers[depth] > 0, 1, LEAK)
                self.weights[depth] -= lr * by_weight
                self.biases[depth] -= lr * by_bias
        return loss

    def save(self, path: Path) -> None:
        """Write the parameters to a file that numpy reads without running any code."""
        path.parent.mkdir(parents=True, exist_ok=True)
        arrays = {f"weight_{n}": array for n, array in enumerate(self.weights)}
        arrays |= {f"bias_{n}": array for n, array in enumerate(self.biases)}
        np.savez(path, **arrays)

    def load(self, path: Path) -> None:
        """Take the parameters from a file."""
        with np.load(path, allow_pickle=False) as arrays:
            count = len(arrays.files) // 2
            self.weights = [arrays[f"weight_{n}"] for n in range(count)]
            self.biases = [arrays[f"bias_{n}"] for n in range(count)]
