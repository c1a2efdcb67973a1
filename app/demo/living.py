"""Signs of life of the sample's run that goes on, so that it lives for as long as the demo does."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Final

import httpx

from app import clock
from app.demo.telling import Told

EVERY_S: Final = 20.0
EXPECT_S: Final = 60
TIMEOUT_S: Final = 10.0


class Life:
    """Posts a beat every so often from a thread of its own; obeys when the run is asked to stop."""

    def __init__(self, address: str, campaign: str, told: Told, every_s: float = EVERY_S) -> None:
        self._told = told
        self._every_s = every_s
        self._campaign = campaign
        self._over = threading.Event()
        self._client = httpx.Client(base_url=address, timeout=TIMEOUT_S, trust_env=False)
        self._thread = threading.Thread(target=self._go_on, name="sample", daemon=True)

    def __enter__(self) -> Life:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        self._client.close()

    def _go_on(self) -> None:
        while not self._over.is_set():
            try:
                answer = self._post("beat", self._told.beat(clock.now(), EXPECT_S))
            except httpx.HTTPError:
                answer = {}  # the server is busy or leaving; the next beat tells it all
            if answer.get("refused"):
                return
            stop = answer.get("stop_requested")
            if isinstance(stop, dict):
                self._stop(stop)
                return
            self._over.wait(self._every_s)

    def _stop(self, asked: dict[str, Any]) -> None:
        """Leave as a job does that was asked to."""
        rule = asked.get("rule")
        said = {
            "reason_code": f"rule:{rule}" if rule else "operator",
            "reason_text": str(asked.get("text") or "stopped")[:500],
            "exit_code": 0,
        }
        try:
            self._post("stop", self._told.event(clock.now(), **said))
        except httpx.HTTPError:
            return

    def _post(self, kind: str, body: dict[str, object]) -> dict[str, Any]:
        """Post an event; a refusal is an answer too (the campaign was closed, say)."""
        where = f"/api/v1/runs/{self._told.run.id}/{kind}"
        answer = self._client.post(where, params={"campaign": self._campaign}, json=body)
        if answer.status_code >= 500:
            raise httpx.HTTPError(f"the server answered {answer.status_code}")
        if answer.is_error:
            return {"refused": True}
        found: dict[str, Any] = answer.json()
        return found
