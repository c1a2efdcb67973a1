"""A training as people log it to MLflow, with no word of Punktum. Arguments: how it ends."""

from __future__ import annotations

import sys

import mlflow


def main() -> None:
    """Log parameters, tags, values, a file; end well, badly, or not at all."""
    act = sys.argv[1] if len(sys.argv) > 1 else ""
    mlflow.set_experiment("invoices")
    with mlflow.start_run(run_name="control") as run:
        mlflow.log_params({"lr": 0.1, "rank": 16, "output_dir": "out", "api_key": "s3cret"})
        mlflow.log_param("seed", 3)
        mlflow.set_tag("note", "first try")
        for step in range(1, 6):
            bad = act == "nan" and step == 5
            mlflow.log_metric("loss", float("nan") if bad else 1 / step, step=step)
        mlflow.log_metrics({"eval_f1": 0.8, "norm": float("inf")}, step=5)
        mlflow.log_text("a file", "said.txt")
        mlflow.log_param("found_late", 7)
        if act == "raise":
            raise RuntimeError("the data loader broke")
        if act == "killed":
            mlflow.end_run("KILLED")
    found = mlflow.get_run(run.info.run_id)
    print("state", found.info.status)
    if act == "again":
        with mlflow.start_run(run_id=run.info.run_id):
            mlflow.log_metric("eval_f1", 0.9)
    if act == "model":
        mlflow.register_model(f"runs:/{run.info.run_id}/model", "model")
    if act == "exit":
        mlflow.start_run(run_name="control")
        mlflow.log_metric("loss", 1.0, step=1)
        sys.exit(3)


main()
