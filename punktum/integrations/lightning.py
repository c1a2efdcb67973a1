"""Lightning: ``Trainer(callbacks=[PunktumCallback("control")])``, or nothing at all.

Where ``PUNKTUM_URL`` is set, or under ``punktum run``, every Trainer gets this callback by itself,
since the package registers it; one that you add yourself comes before it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

from punktum.integrations.session import session
from punktum.integrations.torch import Agreement
from punktum.marks import StopRequest
from punktum.recording import Run


class PunktumCallback(Callback):
    """Reports progress, what is logged, and checkpoints; stops the Trainer where that was asked.

    ``step`` is the plan's step (default ``PUNKTUM_STEP``, else the script's name); ``run`` one
    that you have entered yourself; ``agree_every`` how many batches lie between two agreements of
    several processes; ``options`` further arguments of ``punktum.run``. The last batch's ``loss``
    is reported under that name even where the module logs nothing.
    """

    def __init__(
        self,
        step: str | None = None,
        *,
        run: Run | None = None,
        agree_every: int = 1,
        **options: Any,
    ) -> None:
        super().__init__()
        self._step, self._run, self._options = step, run, options
        self._agreement = Agreement(agree_every)
        self._stop: StopRequest | None = None
        self._holds: list[str] = []
        self._loss: dict[str, object] = {}
        self._seen_at = -1

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin, or go on where a checkpoint was resumed."""
        if not self._speaks(trainer):
            return
        params, done = dict(pl_module.hparams), trainer.global_step
        session.begin(self._step, params, self._options, self._run, done)
        session.progress(trainer.global_step, _total(trainer))
        self._watch_checkpoints(trainer)

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Every process comes here after each batch: the place to agree on a stop."""
        if not self._is_first(trainer):
            return
        if self._speaks(trainer):
            session.progress(trainer.global_step, _total(trainer))
            self._loss = _loss(outputs)  # not read here: that would have a GPU wait
            every = max(1, trainer.log_every_n_steps)
            if trainer.global_step % every == 0 and trainer.global_step != self._seen_at:
                self._seen_at = trainer.global_step
                session.metrics({**self._loss, **_numbers(trainer.logged_metrics)})
        self._stop = self._stop or self._agreement.ask(session.stop_requested)
        if self._stop is not None:
            trainer.should_stop = True

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Report an epoch, and the last batch's loss wherever it lies between two logs."""
        if self._speaks(trainer):
            session.metrics({**self._loss, **_numbers(trainer.callback_metrics)})

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Report what a validation found, but for the trial before the training."""
        if self._speaks(trainer) and not trainer.sanity_checking:
            session.metrics(_numbers(trainer.callback_metrics))

    def on_test_end(self, trainer: Any, pl_module: Any) -> None:
        """Report what a test found."""
        if self._speaks(trainer):
            session.metrics(_numbers(trainer.callback_metrics))

    def on_save_checkpoint(
        self, trainer: Any, pl_module: Any, checkpoint: Mapping[str, Any]
    ) -> None:
        """Look what a checkpoint holds, before it is written."""
        self._holds = states_of(checkpoint)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """The training came to its end, or to a stop."""
        if self._speaks(trainer):
            session.metrics(_numbers(trainer.callback_metrics))
            session.ended()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """The training broke."""
        if self._speaks(trainer):
            session.failed(exception)

    def _is_first(self, trainer: Any) -> bool:
        """Of several of us in one Trainer the first alone acts."""
        ours = [one for one in trainer.callbacks if isinstance(one, PunktumCallback)]
        return not ours or ours[0] is self

    def _speaks(self, trainer: Any) -> bool:
        return bool(trainer.is_global_zero) and self._is_first(trainer)

    def _watch_checkpoints(self, trainer: Any) -> None:
        """Lightning tells nobody when a checkpoint was written, so its writing is timed here."""
        save = trainer.save_checkpoint
        if getattr(save, "is_timed", False):
            return

        def timed(filepath: Any, *args: Any, **kwargs: Any) -> Any:
            began = time.monotonic()
            self._holds = ["parameters", "progress"]
            result = save(filepath, *args, **kwargs)
            session.checkpoint(Path(filepath), self._holds, time.monotonic() - began, None)
            return result

        timed.is_timed = True  # type: ignore[attr-defined]
        trainer.save_checkpoint = timed


def states_of(checkpoint: Mapping[str, Any]) -> list[str]:
    """Which states a checkpoint of Lightning's holds. Its random sources are never among them,
    the position in the data where the loader tells it."""
    found = ["parameters", "progress"]
    found += ["optimizer"] if checkpoint.get("optimizer_states") else []
    found += ["scheduler"] if checkpoint.get("lr_schedulers") else []
    found += ["scaler"] if "MixedPrecision" in checkpoint else []
    loops = checkpoint.get("loops") or {}
    inside = (loops.get("fit_loop") or {}).get("state_dict") or {}
    return [*found, "data_position"] if inside.get("combined_loader") else found


def _total(trainer: Any) -> int | None:
    """How many steps the training has, where that is known."""
    total = trainer.estimated_stepping_batches
    return int(total) if 0 < total < float("inf") else None


def _loss(outputs: Any) -> dict[str, object]:
    loss = outputs.get("loss") if isinstance(outputs, Mapping) else outputs
    return {} if loss is None else {"loss": loss}


def _numbers(values: Mapping[str, Any]) -> dict[str, object]:
    return {name: said for name, said in values.items() if name not in ("epoch", "step")}
