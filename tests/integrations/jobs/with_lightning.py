"""Lightning on a line of random parameters, with no word of Punktum. Arguments: what goes wrong."""

from __future__ import annotations

import sys
from typing import Any

import lightning as L
import torch

STEPS = 12


class Tiny(L.LightningModule):
    """Its loss becomes NaN, or it raises, at the sixth step where that is asked."""

    def __init__(self, act: str, lr: float = 0.01) -> None:
        super().__init__()
        self.save_hyperparameters("lr")
        self.act = act
        self.line = torch.nn.Linear(4, 1)

    def training_step(self, batch: Any, index: int) -> Any:
        """One batch."""
        loss = self.line(batch).pow(2).mean()
        if self.global_step == 5 and self.act == "raise":
            raise RuntimeError("the data loader broke")
        if self.global_step >= 5 and self.act == "nan":
            loss = loss * float("nan")
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch: Any, index: int) -> None:
        """One batch."""
        self.log("val_loss", self.line(batch).pow(2).mean())

    def configure_optimizers(self) -> Any:
        """An optimizer and its schedule."""
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams["lr"])
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 5)]


def main() -> None:
    """Train for two epochs."""
    act = sys.argv[1] if len(sys.argv) > 1 else ""
    devices = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    data = torch.utils.data.DataLoader(torch.rand(STEPS * devices, 4), batch_size=2)
    trainer = L.Trainer(
        max_epochs=2,
        accelerator="cpu",
        devices=devices,
        strategy="ddp" if devices > 1 else "auto",
        log_every_n_steps=1,
        logger=False,
        enable_progress_bar=False,
        default_root_dir="out",
    )
    trainer.fit(Tiny(act), data, data)
    print("ours", [type(one).__module__ for one in trainer.callbacks], "steps", trainer.global_step)


main()
