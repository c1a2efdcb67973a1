"""A data folder in which every page has something to show, the same each time.

The sample stands at hour 31 of 72; a campaign is closed; one exceeds its lot; one is a bare draft.
Everything goes through the API while the clock is set from act to act.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.demo.sample import lay_sample
from app.journal import Actor
from app.main import create_app
from app.serving import prepare
from app.settings import Settings
from app.units import instant_text
from tests.house.source import ROOT

NOW_AT = datetime(2026, 12, 1, 14, 12, tzinfo=UTC)
"""The instant at which the data folder is looked at."""
SAMPLE, CLOSED, LONG, DRAFT = "invoice-adapter", "digits", "two-lots", "draft"
_BEGAN_AT = datetime(2026, 11, 27, 8, 0, tzinfo=UTC)

_HEAD = """format = "punktum/1"
[campaign]
id = "{id}"
question = "{question}"
zone = "Asia/Ho_Chi_Minh"
currency = "USD"
[decision_rule]
metric = "f1"
better = "higher"
take = "best"
threshold = "0.82"
yes = "Deliver the corpus with labels."
no = "Label by hand."
"""
_LONG = """[[lots]]
id = "lot-1"
offer = "iteragpu/rtx-4090/3d"
[[lots]]
id = "lot-2"
gpus = 2
hours = 48
[[steps]]
id = "label"
title = "Label the corpus with both models, then compare each label by hand where they differ"
kind = "machine"
class = "essential"
gpus = 1
p50 = "78h"
[[steps]]
id = "inspect"
title = "Inspect"
kind = "human"
class = "useful"
p50 = "2h"
after = ["label"]
[[deliverables]]
id = "corpus"
title = "Labelled corpus"
kind = "dataset"
unit = true
checks = [{ kind = "non_empty" }]
"""


def lay(data: Path) -> None:
    """Fill an empty data folder."""
    data.mkdir(parents=True)
    settings = Settings(PUNKTUM_DATA=data, PUNKTUM_ALLOWED_HOSTS="testserver", _env_file=None)
    database = prepare(settings)
    try:
        lay_sample(database, Actor("person", "local"), NOW_AT)
        with _clock() as clock:
            desk = _Desk(TestClient(create_app(settings, database, b"laid")), clock)
            _close_digits(desk)
            _exceed(desk)
            _spend(desk)
    finally:
        database.close()


@contextmanager
def _clock() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


class _Desk:
    """The API of a server whose clock is set before each call."""

    def __init__(self, client: TestClient, clock: pytest.MonkeyPatch) -> None:
        self._client = client
        self._clock = clock
        self.at = _BEGAN_AT

    def set(self, at: datetime) -> None:
        """Let it be this instant."""
        self.at = at
        self._clock.setenv("PUNKTUM_NOW", at.isoformat())

    def wait(self, minutes: float) -> None:
        """Let time pass."""
        self.set(self.at + timedelta(minutes=minutes))

    def post(self, path: str, body: object) -> Any:
        """Post JSON, or a campaign file given as text."""
        self.set(self.at)
        if isinstance(body, str):
            headers = {"Content-Type": "application/toml"}
            answer = self._client.post(f"/api/v1{path}", content=body, headers=headers)
        else:
            answer = self._client.post(f"/api/v1{path}", json=body)
        assert answer.is_success, (path, answer.status_code, answer.text)
        return answer.json() if answer.content else None

    def run(self, run: str, step: str, minutes: float, **ends: Any) -> None:
        """A run of the closed campaign, from its start to its end."""
        seq = iter(range(1, 9))

        def say(kind: str, **said: Any) -> None:
            common = {"attempt_id": hashlib.sha256(run.encode()).hexdigest()[:32], "step": step}
            body = {**common, "source": "main", "seq": next(seq), "at": instant_text(self.at)}
            self.post(f"/runs/{run}/{kind}?campaign={CLOSED}", {**body, **said})

        say("start", config_sha256=hashlib.sha256(run.encode()).hexdigest(), host="desk")
        for metrics in ends.pop("beats", ()):
            self.wait(minutes / 4)
            say("beat", metrics=metrics, expect_next_s=900, progress=100, total=400)
        self.wait(minutes / 4)
        say(ends.pop("end", "finish"), **ends)


def _close_digits(desk: _Desk) -> None:
    own = f"/campaigns/{CLOSED}"
    source = (ROOT / "examples" / "digits" / "campaign.toml").read_text("utf-8")
    desk.post("/campaigns", source.replace('ids_file = "ids.txt"\n', ""))
    desk.post(f"{own}/seal", {})
    hour = {
        "starts_at": instant_text(desk.at),
        "ends_at": instant_text(desk.at + timedelta(hours=1)),
    }
    order = {"provider": "own machine", "reference": "desk-7", "price": "0.00", "currency": "USD"}
    desk.post(f"{own}/orders", {**order, **hour})
    _time(desk, "data-check", 2)
    desk.run("pilot-01", "pilot", 1, metrics={"accuracy": 0.93})
    desk.run("restore-01", "restore-check", 1)
    desk.post(
        f"{own}/decisions", {"choice": "continue", "step": "pilot-decision", "reason": "Fits."}
    )
    desk.run("control-01", "control", 2, metrics={"accuracy": 0.9511})
    nan = {"loss": "nan", "accuracy": 0.11}
    stopped = {"reason_code": "rule:loss-not-finite", "reason_text": "loss is nan", "exit_code": 1}
    desk.run("a-01", "variant-a", 1, beats=[nan], end="stop", **stopped)
    desk.run("a-02", "variant-a", 5, metrics={"accuracy": 0.9756})
    desk.run("b-01", "variant-b", 2, metrics={"accuracy": 0.9533})
    desk.run("evaluation-01", "evaluation", 1)
    desk.run("analysis-01", "error-analysis", 1)
    desk.run("retrieval-01", "retrieval", 1)
    for deliverable, kinds in _CHECKS.items():
        _submit(desk, deliverable, kinds)
    said = {"verdict": "rejected", "reason": "Digit 8 is missing from the table."}
    desk.post(f"{own}/deliverables/error-analysis/verdicts", said)
    explained = {
        "step": "variant-a",
        "category": "stopped_run",
        "sentence": "The first attempt diverged.",
    }
    desk.post(f"{own}/explanations", explained)
    conclusion = "The hidden layer ships: it gains 0.0245 over the linear model."
    closed = {"outcome": "positive", "conclusion": conclusion, "close_with_open_points": True}
    desk.post(f"{own}/close", closed)


_CHECKS = {
    "predictions": ("non_empty", "expected_ids", "no_temporary_paths"),
    "error-analysis": ("non_empty", "no_temporary_paths"),
    "model": ("non_empty", "expected_ids", "no_temporary_paths", "reload"),
}


def _time(desk: _Desk, step: str, minutes: float) -> None:
    started_at = instant_text(desk.at)
    desk.wait(minutes)
    span = {"started_at": started_at, "ended_at": instant_text(desk.at)}
    desk.post(f"/campaigns/{CLOSED}/steps/{step}/time", span)


def _submit(desk: _Desk, deliverable: str, kinds: tuple[str, ...]) -> None:
    file = {"path": f"{deliverable}.csv", "size": 4096, "sha256": "a" * 64}
    body = {
        "submission_id": hashlib.sha256(deliverable.encode()).hexdigest()[:32],
        "manifest": {"files": [file], "runs": ["evaluation-01"]},
        "checks": [{"kind": kind, "passed": True} for kind in kinds],
        "host": "desk",
    }
    desk.post(f"/deliverables/{deliverable}/submissions?campaign={CLOSED}", body)


def _exceed(desk: _Desk) -> None:
    desk.set(NOW_AT - timedelta(days=1))
    question = "Is a corpus labelled by two models good enough to be delivered?"
    desk.post("/campaigns", _HEAD.format(id=LONG, question=question) + _LONG)
    desk.post(f"/campaigns/{LONG}/seal", {})
    starts_at = desk.at + timedelta(hours=2)
    order = {"provider": "iteragpu", "reference": "IG-20940", "price": None, "currency": "USD"}
    hours = {
        "starts_at": instant_text(starts_at),
        "ends_at": instant_text(starts_at + timedelta(hours=72)),
    }
    desk.post(f"/campaigns/{LONG}/orders", {**order, **hours})
    desk.post("/campaigns", _HEAD.format(id=DRAFT, question="Is it worth asking?"))


def _spend(desk: _Desk) -> None:
    desk.set(NOW_AT - timedelta(hours=1))
    storage = {"kind": "storage", "amount": "2.10", "currency": "USD", "note": "200 GiB"}
    own = f"/campaigns/{SAMPLE}"
    desk.post(f"{own}/expenses", {**storage, "charged_on": "2026-11-30", "reference": "R-77"})
    eur = {"kind": "support", "amount": "5.00", "currency": "EUR", "charged_on": "2026-12-01"}
    desk.post(f"{own}/expenses", eur)
    desk.post(f"{own}/tokens", {"name": "gpu-box-1"})
