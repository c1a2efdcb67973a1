"""Keras on its torch backend. Arguments: what goes wrong."""

from __future__ import annotations

import sys
from typing import Any

import keras
import numpy

from punktum.integrations.keras import PunktumCallback


class Bad(keras.callbacks.Callback):
    """Makes the loss of the second epoch NaN, or breaks in it."""

    def __init__(self, act: str) -> None:
        super().__init__()
        self.act = act

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Spoil the parameters."""
        print("epoch", epoch, flush=True)
        if epoch == 1 and self.act == "raise":
            raise RuntimeError("the data loader broke")
        if epoch == 1 and self.act == "nan":
            self.model.set_weights([one * numpy.nan for one in self.model.get_weights()])


def main() -> None:
    """Train for three epochs, evaluate."""
    act = sys.argv[1] if len(sys.argv) > 1 else ""
    keras.utils.set_random_seed(1)
    x, y = numpy.random.rand(12, 4), numpy.random.rand(12, 1)
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(
        x, y, batch_size=4, epochs=3, verbose=0, validation_data=(x, y),
        callbacks=[
            Bad(act),
            keras.callbacks.ModelCheckpoint("out-{epoch}.keras"),
            PunktumCallback("control", watch="out-*.keras"),
        ],
    )  # fmt: skip
    print("trained")


main()
