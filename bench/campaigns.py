"""Campaigns for the benchmarks, made through the API as a user would."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.load import request
from bench.servers import Server, fetch

SHA = "0" * 64


def post(
    server: Server,
    path: str,
    body: Any,
    *,
    kind: str = "application/json",
    token: str | None = None,
) -> Any:
    """One post that must be answered with 2xx; returns the JSON."""
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    headers = {"Content-Type": kind, "Connection": "close"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    status, _, answer = fetch(server.port, request("POST", path, data, headers))
    if not 200 <= status < 300:
        raise RuntimeError(f"{path}: {status} {answer[:500]!r}")
    return json.loads(answer)


_HEAD = """format = "punktum/1"
[campaign]
id = "{id}"
question = "Which variant do we ship?"
zone = "Europe/Berlin"
currency = "USD"
[decision_rule]
metric = "f1"
better = "higher"
take = "final"
gain_over_control = "0.02"
yes = "Ship it."
no = "Keep the control."
[[lots]]
id = "lot-1"
offer = "iteragpu/rtx-4090/30d"
[[steps]]
id = "prepare"
title = "Prepare"
kind = "human"
class = "essential"
p50 = "1h"
"""
_STEP = """[[steps]]
id = "step-{n}"
title = "{title}"
kind = "machine"
class = "essential"
gpus = 1
p50 = "2h"
after = ["prepare"]
role = "{role}"
"""
_REST = """[[stop_rules]]
id = "loss-not-finite"
kind = "non_finite"
metric = "loss"
[[deliverables]]
id = "predictions"
title = "Predictions"
kind = "predictions"
checks = [{ kind = "non_empty" }]
"""


def plan_of(campaign_id: str, steps: int) -> str:
    """A campaign file with `steps` steps that fit one lot of 30 days."""
    machines = [_STEP.format(n=0, title="Control", role="control")]
    machines += [
        _STEP.format(n=n, title=f"Variant {n}", role="variant") for n in range(1, steps - 1)
    ]
    return _HEAD.format(id=campaign_id) + "".join(machines) + _REST


def campaign(server: Server, campaign_id: str, steps: int) -> str:
    """A sealed, ordered campaign, half of it done, one run going on; returns its token."""
    post(server, "/api/v1/campaigns", plan_of(campaign_id, steps), kind="application/toml")
    post(server, f"/api/v1/campaigns/{campaign_id}/seal", {})
    starts = datetime.now(UTC) - timedelta(hours=steps)
    order = {
        "provider": "iteragpu",
        "reference": f"REF-{campaign_id}",
        "price": "390.00",
        "currency": "USD",
        "starts_at": starts.isoformat(),
        "ends_at": (starts + timedelta(days=30)).isoformat(),
    }
    post(server, f"/api/v1/campaigns/{campaign_id}/orders", order)
    token = str(post(server, f"/api/v1/campaigns/{campaign_id}/tokens", {"name": "bench"})["token"])
    for n in range(steps // 2):
        for kind in ("start", "finish"):
            post(
                server,
                f"/api/v1/runs/r-{n}/{kind}",
                event(f"r-{n}", kind, f"step-{n}"),
                token=token,
            )
    post(
        server,
        "/api/v1/runs/going/start",
        event("going", "start", f"step-{steps // 2}"),
        token=token,
    )
    return token


def event(run: str, kind: str, step: str, seq: int = 1, **more: object) -> dict[str, object]:
    """One event of a run as the client would send it."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    found: dict[str, object] = {
        "attempt_id": f"{abs(hash(run)):032x}"[:32],
        "source": "wrapper" if kind != "beat" else "main",
        "seq": seq if kind != "finish" else seq + 1,
        "at": at,
        "step": step,
        **more,
    }
    if kind == "start":
        found["config_sha256"] = SHA
    return found
