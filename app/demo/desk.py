"""The API of a server as the person at the desk uses it, one campaign at a time."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final

import httpx

TIMEOUT_S: Final = 20.0


class Refused(RuntimeError):
    """The server refused something that should be right."""


class Desk:
    """Calls of one campaign's person; every answer that is no success raises `Refused`."""

    def __init__(self, address: str, campaign: str) -> None:
        self.campaign = campaign
        self._all = "/api/v1/campaigns"
        self._own = f"{self._all}/{campaign}"
        self._client = httpx.Client(base_url=address, timeout=TIMEOUT_S, trust_env=False)

    def __enter__(self) -> Desk:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def import_file(self, content: str) -> None:
        """Read a campaign file into a draft."""
        as_file = {"Content-Type": "application/toml"}
        self._taken(self._client.post(self._all, content=content.encode(), headers=as_file))

    def get(self, what: str) -> Any:
        """Read something of the campaign: `plan`, `runs`, `report`, …"""
        return self._taken(self._client.get(f"{self._own}/{what}"))

    def post(self, what: str, body: Mapping[str, object]) -> Any:
        """Do something in the campaign: `seal`, `orders`, `decisions`, `close`, …"""
        return self._taken(self._client.post(f"{self._own}/{what}", json=dict(body)))

    def runs(self) -> dict[str, Any]:
        """The campaign's runs by their ids, in the order of their first events."""
        return {run["id"]: run for run in self.get("runs")["items"]}

    def completed(self, step: str) -> str:
        """The id of the newest completed run of a step."""
        found = [
            run["id"]
            for run in self.runs().values()
            if run["step"] == step and run["status"] == "completed"
        ]
        if not found:
            raise Refused(f"no run of {step} has completed")
        newest: str = found[-1]
        return newest

    def _taken(self, answer: httpx.Response) -> Any:
        if answer.is_success:
            return answer.json()
        where = f"{answer.request.method} {answer.request.url.path}"
        raise Refused(f"{where}: {answer.status_code} {answer.text[:600]}")
