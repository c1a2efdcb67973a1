"""Keras 3: ``model.fit(…, callbacks=[…, PunktumCallback("control", watch="out/*.keras")])``."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from keras.callbacks import Callback

from punktum.integrations.session import session
from punktum.recording import Run


class PunktumCallback(Callback):
    """Reports progress and metrics of ``fit``, and stops it where that was asked for.

    ``step`` is the plan's step (default ``PUNKTUM_STEP``, else the script's name); ``run`` one
    that you have entered yourself; ``watch`` a pattern of the files that a ``ModelCheckpoint``
    before this callback writes; ``options`` further arguments of ``punktum.run``.
    """

    def __init__(
        self,
        step: str | None = None,
        *,
        run: Run | None = None,
        watch: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._step, self._run, self._options = step, run, options
        self._watch = watch
        self._written: dict[str, int] = {}
        self._epoch = 0

    def on_train_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        """Begin, or go on."""
        session.begin(self._step, self._configuration(), self._options, self._run)
        self._written = self._files()

    def on_epoch_begin(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Know which epoch it is."""
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Report a batch; Keras's values are means over the epoch so far."""
        steps, epochs = self.params.get("steps"), self.params.get("epochs")
        done = self._epoch * (steps or 0) + batch + 1
        session.progress(done, steps * epochs if steps and epochs else None)
        session.metrics(dict(logs or {}))
        self._leave_if_asked()

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Report an epoch with its validation, and the checkpoints that were written."""
        session.metrics(dict(logs or {}))
        files = self._files()
        for path, written in files.items():
            if self._written.get(path) != written:
                session.checkpoint(Path(path), states_of(path), None, None)
        self._written = files
        self._leave_if_asked()

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        """The training came to its end, or to a stop."""
        session.ended()

    def _leave_if_asked(self) -> None:
        if session.stop_requested is not None:
            self.model.stop_training = True

    def _configuration(self) -> dict[str, object]:
        known = {name: self.params[name] for name in ("epochs", "steps") if name in self.params}
        optimizer = getattr(self.model, "optimizer", None)
        return {**known, "optimizer": dict(optimizer.get_config()) if optimizer else {}}

    def _files(self) -> dict[str, int]:
        """The watched files and when they were written."""
        found = glob.glob(self._watch, recursive=True) if self._watch else []
        return {path: Path(path).stat().st_mtime_ns for path in sorted(found)}


def states_of(path: str) -> list[str]:
    """Which states a file of Keras's holds: a whole model has its optimizer, with its steps."""
    if path.endswith(".weights.h5"):
        return ["parameters"]
    return ["parameters", "optimizer", "scheduler", "progress"]
