"""Hugging Face ``Trainer``: ``Trainer(…, callbacks=[PunktumCallback("control")])``.

Also where the Trainer trains in several processes: the first of all reports, and a stop is agreed
on at the end of a step.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import Enum
from pathlib import Path
from typing import Any, Final

from transformers import TrainerCallback

from punktum.configuration import NOT_CONFIG
from punktum.integrations.session import session
from punktum.integrations.torch import Agreement, is_group
from punktum.marks import StopRequest
from punktum.recording import Run

_FILES: Final = {
    "parameters": ("*.safetensors", "pytorch_model*", "adapter_model*", "*_model_states.pt"),
    "optimizer": ("optimizer.*", "optimizer_*", "*_optim_states.pt"),
    "scheduler": ("scheduler.pt",),
    "scaler": ("scaler.pt",),
    "random": ("rng_state*.pth",),
    "progress": ("trainer_state.json",),
}
_NO_METRICS: Final = frozenset({"epoch", "step", "total_flos"})
_ABOUT_THE_RUN: Final = frozenset(
    {"logging_nan_inf_filter", "logging_first_step", "disable_tqdm", "do_train", "local_rank"}
)


class PunktumCallback(TrainerCallback):
    """Reports progress, logs and checkpoints, and ends the training where a stop was asked for.

    ``step`` is the plan's step (default ``PUNKTUM_STEP``, else the script's name); ``run`` one
    that you have entered yourself; ``agree_every`` how many steps lie between two agreements of
    several processes; ``options`` further arguments of ``punktum.run``. Losses that are not finite
    are logged as they are: the Trainer would hide them (``logging_nan_inf_filter``).
    """

    def __init__(
        self,
        step: str | None = None,
        *,
        run: Run | None = None,
        agree_every: int = 1,
        **options: Any,
    ) -> None:
        self._step, self._run, self._options = step, run, options
        self._agreement = Agreement(agree_every)
        self._since = 0.0
        self._is_finite = True
        self._stop: StopRequest | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Begin, or go on where a checkpoint was resumed."""
        params = arguments_of(args)
        args.logging_nan_inf_filter = False
        if state.is_world_process_zero:
            session.begin(self._step, params, self._options, self._run, state.global_step)
            session.progress(state.global_step, state.max_steps)
        self._since = time.monotonic()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Every process comes here at each step: the place to agree on a stop."""
        if state.is_world_process_zero:
            session.progress(state.global_step, state.max_steps)
        self._stop = self._stop or self._agreement.ask(session.stop_requested)
        self._leave_if_asked(args, control)
        self._since = time.monotonic()

    def on_log(
        self,
        args: Any,
        state: Any,
        control: Any,
        logs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Report what is logged, ``grad_norm`` and evaluations with it."""
        values = {name: said for name, said in (logs or {}).items() if name not in _NO_METRICS}
        loss = values.get("loss")
        if isinstance(loss, float):
            self._is_finite = math.isfinite(loss)
        if state.is_world_process_zero:
            session.metrics(values)
        if not is_group():
            self._stop = self._stop or session.stop_requested
            self._leave_if_asked(args, control)
        self._since = time.monotonic()

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """What it found was logged already; from here on a checkpoint may be written."""
        self._since = time.monotonic()

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """From here on a checkpoint may be written."""
        self._since = time.monotonic()

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Report the checkpoint that was just written."""
        if not state.is_world_process_zero:
            return
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        if folder.is_dir():
            states = states_in(folder, skips_data=not args.ignore_data_skip)
            session.checkpoint(folder, states, time.monotonic() - self._since, None)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The training came to its end, or to a stop."""
        if state.is_world_process_zero:
            session.ended()

    def _leave_if_asked(self, args: Any, control: Any) -> None:
        """Have the Trainer stop; it saves first, but for a model that is no longer any good."""
        if self._stop is None or control.should_training_stop:
            return
        control.should_training_stop = True
        saves = str(getattr(args.save_strategy, "value", args.save_strategy)) != "no"
        if saves and self._is_finite:
            control.should_save = True


def states_in(folder: Path, *, skips_data: bool) -> list[str]:
    """Which states a Trainer's checkpoint holds, by its files.

    The position in the data follows from the progress where the Trainer skips what it has seen.
    """
    found = [
        state
        for state, patterns in _FILES.items()
        if any(next(folder.glob(pattern), None) is not None for pattern in patterns)
    ]
    return [*found, "data_position"] if skips_data and "progress" in found else found


def arguments_of(args: Any) -> dict[str, object]:
    """The Trainer's arguments that differ from their defaults and make the configuration."""
    found: dict[str, object] = {}
    for field in fields(args):
        value = getattr(args, field.name)
        value = value.value if isinstance(value, Enum) else value
        left_out = field.name in NOT_CONFIG | _ABOUT_THE_RUN or field.name.startswith(
            ("hub_", "push_", "_", "logging_", "save_", "report_", "dataloader_num", "ddp_")
        )
        default = field.default.value if isinstance(field.default, Enum) else field.default
        if left_out or not field.init or value == default or default is MISSING:
            continue
        if isinstance(value, (str, int, float, bool)):
            found[field.name] = value
    return found
