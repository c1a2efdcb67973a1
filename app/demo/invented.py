"""The invented runs of the sample as their jobs would have told them: ids, configurations, curves.

Nothing here was measured. The curves are smooth functions of the progress with a small wave, so
that the sample says the same whenever it is laid.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from punktum.configuration import config_sha256

BOX = "gpu-box-1"
STEPS_AN_HOUR = 1200
STATES = (
    "parameters", "optimizer", "scheduler", "scaler", "random", "data_position", "progress",
)  # fmt: skip
CHECKPOINT_BYTES = 184_549_376
RESTORED: Mapping[str, object] = {
    "passed": True,
    "save_s": 118.0,
    "restore_s": 291.0,
    "size": CHECKPOINT_BYTES,
    "states": list(STATES),
    "compared": "loss",
    "steps": 20,
    "expected": "0.8412",
    "found": "0.8412",
    "path": "checkpoints/restore-01/step-200",
}


def digest(said: str) -> str:
    """64 hex characters that stand for something, the same each time."""
    return hashlib.sha256(f"punktum sample {said}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Invented:
    """One run of the sample. Hours count from the start of the lot.

    `ends` is None for the run that goes on; `breaks` is the hour at which its loss stops being a
    number. `top` is the F1 that its curve comes near to, `restored` what a restore check found.
    """

    id: str
    step: str
    begins: float
    ends: float | None
    params: Mapping[str, str]
    total_hours: float
    top: float
    corpus: str
    parent: str | None = None
    breaks: float | None = None
    saves: bool = True
    restored: Mapping[str, object] | None = None

    @property
    def attempt_id(self) -> str:
        """The id of its only attempt."""
        return digest(f"attempt of {self.id}")[:32]

    @property
    def total(self) -> int:
        """How many training steps it means to make."""
        return round(self.total_hours * STEPS_AN_HOUR)

    def start(self) -> dict[str, object]:
        """What its start says."""
        config = {"params": dict(self.params), "corpora": {"eval": self.corpus}}
        said: dict[str, object] = {
            "step": self.step,
            "config": config,
            "config_sha256": config_sha256(config),
            "host": BOX,
            "machine_id": digest(BOX),
            "lot": "lot-1",
            "gpus": [0],
            "client": "punktum/0.1.0 python/3.11.9",
        }
        return said if self.parent is None else {**said, "parent": self.parent}

    def progress(self, elapsed_s: int) -> int:
        """Training steps after so many seconds; the last one comes with the end."""
        return min(self.total - 1, elapsed_s * STEPS_AN_HOUR // 3600)

    def metrics(self, elapsed_s: int) -> dict[str, float | str]:
        """What it measures after so many seconds."""
        done = self.progress(elapsed_s) / self.total
        wave = math.sin(elapsed_s / 700)
        seen: dict[str, float | str] = {
            "loss": round(0.21 + 1.4 * math.exp(-6 * done) + 0.008 * wave, 4),
            "grad_norm": round(0.9 + 1.6 * math.exp(-5 * done) + 0.06 * wave, 3),
        }
        if elapsed_s >= 3600:
            seen["eval_f1"] = self.f1(done)
        left_s = None if self.breaks is None else (self.breaks - self.begins) * 3600 - elapsed_s
        if left_s is not None and left_s < 2400:
            seen["grad_norm"] = round(3.1 * math.exp((2400 - left_s) / 500), 2)
            seen["loss"] = round(float(seen["loss"]) + 0.02 * float(seen["grad_norm"]), 4)
        return seen

    def f1(self, done: float) -> float:
        """F1 on the fixed corpus at a share of the work."""
        return round(self.top - 0.24 * math.exp(-5 * done), 4)


def runs(corpus: str) -> tuple[Invented, ...]:
    """The sample's runs in their order; `corpus` is the hash of the evaluation corpus."""
    base = {"seed": "7", "epochs": "3", "max_length": "4096", "batch": "16"}
    rank_16 = {**base, "adapter": "lora", "rank": "16"}
    return (
        Invented("pilot-01", "pilot", 5.15, 9.35, {**rank_16, "lr": "0.0004", "limit": "0.3"},
                 4.2, 0.741, corpus),
        Invented("restore-01", "restore-check", 9.4, 10.2, {**rank_16, "lr": "0.0004"},
                 0.8, 0.7, corpus, restored=RESTORED),
        Invented("control-01", "control", 10.75, 21.45, {**base, "adapter": "none", "lr": "0.0002"},
                 10.7, 0.7856, corpus),
        Invented("a-01", "variant-a", 21.5, 25.3, {**rank_16, "lr": "0.0008"},
                 10.5, 0.78, corpus, breaks=25.28),
        Invented("a-02", "variant-a", 25.6, None, {**rank_16, "lr": "0.0002"},
                 10.4, 0.8093, corpus, parent="a-01"),
    )  # fmt: skip


def hours(count: float) -> timedelta:
    """Hours as a duration of whole seconds."""
    return timedelta(seconds=round(count * 3600))
