"""A small campaign on its way, made through the API as a user makes it."""

from __future__ import annotations

from datetime import timedelta

from fastapi.testclient import TestClient

from app import clock
from bench.campaigns import plan_of

ID = "small"
API = f"/api/v1/campaigns/{ID}"


def ordered(client: TestClient, *, hours_ago: int = 2) -> str:
    """Four steps, sealed and ordered, the lot `hours_ago` old; returns the token of a job."""
    answer = client.post(
        "/api/v1/campaigns",
        content=plan_of(ID, 4),
        headers={"Content-Type": "application/toml"},
    )
    assert answer.status_code == 201, answer.text
    assert client.post(f"{API}/seal", json={}).status_code == 200
    starts = clock.now() - timedelta(hours=hours_ago)
    order = {
        "provider": "iteragpu",
        "reference": "IG-1",
        "price": "390.00",
        "currency": "USD",
        "starts_at": starts.isoformat(),
        "ends_at": (starts + timedelta(days=30)).isoformat(),
    }
    assert client.post(f"{API}/orders", json=order).status_code == 201
    return str(client.post(f"{API}/tokens", json={"name": "t"}).json()["token"])
