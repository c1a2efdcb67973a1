"""Predictions of control and variants for the held-out images, and the model that ships.

Writes `out/predictions/predictions.csv` and the folder `out/model` with the network, the file
that loads it again, and what it must then say.
"""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

from digits import HERE, OUT, Digits, Network, Places, name_of, read_digits

import punktum

CONTROL = "control"
STEPS = (CONTROL, "variant-a", "variant-b")
GAIN = 0.01
"""What the campaign's decision rule asks of a variant beyond the control."""


def main() -> None:
    """Load what the runs wrote, predict, choose by the rule, write."""
    with punktum.run("evaluation", output=OUT) as run:
        data = read_digits()
        found: dict[str, Places] = {}
        for step in STEPS:
            path = OUT / "models" / f"{step}.npz"
            if path.is_file():
                found[step] = _predict(path, data)
            run.progress(len(found), len(STEPS))
        right = {step: _share_right(guessed, data) for step, guessed in found.items()}
        run.metrics({f"accuracy_{step}": share for step, share in right.items()})
        _write_predictions(OUT / "predictions", data, found)
        shipped = _chosen(right)
        _write_model(OUT / "model", shipped, data, found[shipped])
    shares = ", ".join(f"{step} {share:.4f}" for step, share in right.items())
    print(f"evaluation: {shares}; {shipped} ships")


def _predict(path: Path, data: Digits) -> Places:
    network = Network(0, 0)
    network.load(path)
    guessed: Places = network.scores(data.images[data.held_out]).argmax(axis=1)
    return guessed


def _share_right(guessed: Places, data: Digits) -> float:
    return float((guessed == data.labels[data.held_out]).mean())


def _chosen(right: dict[str, float]) -> str:
    """The best variant that passes, else the control; equality passes."""
    needed = right[CONTROL] + GAIN - 1e-9
    passing = [step for step in right if step != CONTROL and right[step] >= needed]
    return max(passing, key=lambda step: right[step], default=CONTROL)


def _write_predictions(folder: Path, data: Digits, found: dict[str, Places]) -> None:
    rows = [
        [name_of(int(row)), int(data.labels[row]), *(int(one[n]) for one in found.values())]
        for n, row in enumerate(data.held_out)
    ]
    _write_table(folder / "predictions.csv", ["id", "digit", *found], rows)


def _write_model(folder: Path, step: str, data: Digits, guessed: Places) -> None:
    """The network, how to load it, and the predictions that a new process must find again."""
    rows = [[name_of(int(row)), int(guessed[n])] for n, row in enumerate(data.held_out)]
    _write_table(folder / "expected.csv", ["id", "prediction"], rows)
    shutil.copyfile(OUT / "models" / f"{step}.npz", folder / "model.npz")
    shutil.copyfile(HERE / "reload.py", folder / "reload.py")
    said = {"step": step, "input": "64 numbers from 0 to 1, row by row", "output": "digit 0 to 9"}
    (folder / "model.json").write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")


def _write_table(path: Path, head: list[str], rows: list[list[str | int]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
