"""Trainers whose own MLflow loggers are on, as people use them. Argument: which."""

from __future__ import annotations

import os
import sys
from typing import Any

import torch


def with_transformers() -> None:
    """``report_to="mlflow"``."""
    from transformers import Trainer, TrainingArguments

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.line = torch.nn.Linear(4, 1)

        def forward(self, x: Any, labels: Any) -> dict[str, Any]:
            found = self.line(x)[:, 0]
            return {"loss": torch.nn.functional.mse_loss(found, labels), "logits": found}

    data = [{"x": torch.rand(4), "labels": torch.rand(1)[0]} for _ in range(16)]
    arguments = TrainingArguments(
        "out", max_steps=8, logging_steps=1, save_steps=4, use_cpu=True,
        report_to=["mlflow"], run_name="control",
    )  # fmt: skip
    Trainer(Model(), arguments, train_dataset=data).train()


def with_lightning() -> None:
    """``MLFlowLogger``."""
    import lightning as L
    from lightning.pytorch.loggers import MLFlowLogger

    class Model(L.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.line = torch.nn.Linear(4, 1)

        def training_step(self, batch: Any, index: int) -> Any:
            loss = self.line(batch).pow(2).mean()
            self.log("loss", loss)
            return loss

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.01)

    logger = MLFlowLogger("invoices", "control", tracking_uri=os.environ["MLFLOW_TRACKING_URI"])
    data = torch.utils.data.DataLoader(torch.rand(18, 4), batch_size=2)
    trainer = L.Trainer(
        max_epochs=1, accelerator="cpu", logger=logger, log_every_n_steps=1,
        enable_progress_bar=False, enable_checkpointing=False,
    )  # fmt: skip
    trainer.fit(Model(), data)


with_transformers() if sys.argv[1] == "transformers" else with_lightning()
