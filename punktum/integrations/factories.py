"""What Lightning finds by its entry point: reporting where it is wanted, nothing elsewhere."""

from __future__ import annotations

import os

from punktum import talk
from punktum.integrations.session import wanted


def lightning_callbacks() -> list[object]:
    """The callbacks that every ``Trainer`` gets: one of ours with ``PUNKTUM_URL`` set or under
    ``punktum run``, none otherwise. Never raises into the training."""
    if not wanted(os.environ):
        return []
    try:
        from punktum.integrations.lightning import PunktumCallback

        return [PunktumCallback()]
    except Exception as error:
        talk.say(f"NOT RECORDING: {type(error).__name__}: {error}. Training goes on")
        return []
