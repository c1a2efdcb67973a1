"""The data check before any training: the split, the images, how often each digit is there."""

from __future__ import annotations

import sys

import numpy as np
from digits import CLASSES, read_digits


def main() -> None:
    """Print what a person looks at; leave with 1 when something cannot be."""
    data = read_digits()
    held_out, training = data.held_out, data.training
    problems = [
        said
        for said, is_so in (
            ("an id is held out twice", len(set(held_out.tolist())) != len(held_out)),
            ("an image is not 8 by 8", data.images.shape[1] != 64),
            ("a brightness is not between 0 and 1", not _within(data.images)),
            ("the two parts do not make the whole", len(held_out) + len(training) != 1797),
        )
        if is_so
    ]
    print(f"{len(training)} images to learn from, {len(held_out)} held out")
    print("held out by digit:", np.bincount(data.labels[held_out], minlength=CLASSES).tolist())
    if problems:
        sys.exit("; ".join(problems))


def _within(images: np.ndarray) -> bool:
    return bool(images.min() >= 0 and images.max() <= 1)


if __name__ == "__main__":
    main()
