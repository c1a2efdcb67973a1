"""Runs, experiments and refusals as MLflow's client reads them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from app.errors import AppError
from app.runs.queries import RunView
from app.runs.rules.tracker import Created, Reference

_CODES: Final = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "RESOURCE_DOES_NOT_EXIST",
    409: "RESOURCE_CONFLICT",
    410: "RESOURCE_CONFLICT",
    422: "INVALID_PARAMETER_VALUE",
    429: "REQUEST_LIMIT_EXCEEDED",
    500: "INTERNAL_ERROR",
    503: "TEMPORARILY_UNAVAILABLE",
}
_STATES: Final = {
    "planned": "RUNNING",
    "running": "RUNNING",
    "completed": "FINISHED",
    "failed": "FAILED",
    "stopped": "KILLED",
    "lost": "FAILED",
}


def failure(refusal: AppError) -> tuple[int, dict[str, str]]:
    """A refusal's HTTP status and its body; what is malformed is MLflow's 400."""
    status = 400 if refusal.status == 422 else refusal.status
    code = _CODES.get(refusal.status, "BAD_REQUEST")
    return status, {"error_code": code, "message": str(refusal.detail)}


def experiment(campaign_id: str, name: str | None) -> dict[str, Any]:
    """The token's campaign as the experiment that was asked for."""
    return {
        "experiment_id": campaign_id,
        "name": name or campaign_id,
        "artifact_location": "mlartifacts",
        "lifecycle_stage": "active",
    }


def whole_run(ref: Reference, campaign_id: str, said: Created) -> dict[str, Any]:
    """A run as it was just created: what the client said itself."""
    info = _info(ref, campaign_id, "RUNNING")
    if said.started_us is not None:
        info["start_time"] = said.started_us // 1000
    info["run_name"] = said.name or ref.run
    tags = [{"key": name, "value": value} for name, value in said.tags.items()]
    return {"info": info, "data": {"tags": tags}}


def run_info(ref: Reference, campaign_id: str, run: RunView) -> dict[str, Any]:
    """Where a run stands."""
    info = _info(ref, campaign_id, _STATES.get(run.status, "RUNNING"))
    for name, at in (("start_time", run.started_at), ("end_time", run.ended_at)):
        if at is not None:
            info[name] = _milliseconds(at)
    return info


def _info(ref: Reference, campaign_id: str, status: str) -> dict[str, Any]:
    # A relative folder: MLflow's client keeps files on the machine where it runs.
    return {
        "run_id": ref.said,
        "run_uuid": ref.said,
        "run_name": ref.run,
        "experiment_id": campaign_id,
        "status": status,
        "artifact_uri": f"mlartifacts/{ref.run}",
        "lifecycle_stage": "active",
    }


def _milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)
