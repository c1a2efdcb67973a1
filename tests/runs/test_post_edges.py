"""What a job's post says that would be passed over in silence is answered: by a refusal that names
it, or by a warning."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.plan.rules.model import PlannedStopRule
from tests.runs.campaigns import FIRST, ID, SECOND, event, opened, plan, posted, run, token
from tests.runs.stories import SHA

WARNS = PlannedStopRule("grad", "above", "grad", Decimal(10), act="warn")
CONTROLS = PlannedStopRule("slow", "custom", steps=("control",))
VARIANTS = PlannedStopRule("worse", "custom", steps=("variant-a",))
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
POSTS = ("runs/a-01/start", "runs/a-01/beat", "runs/a-01/exit/0", "events")
ENDS_BY = [{"rule": "grad"}, {"reason_code": "rule:grad"}]


@pytest.fixture
def job(client: TestClient, database: Database) -> dict[str, str]:
    """The headers of a job of a campaign with rules that warn, and rules of single steps."""
    opened(database, plan(WARNS, CONTROLS, VARIANTS))
    return token(client)


def _form(client: TestClient, job: dict[str, str], kind: str, body: str) -> Any:
    return client.post(f"/api/v1/runs/a-01/{kind}", content=body, headers={**job, **FORM})


# -- addresses, forms, JSON ----------------------------------------------------------------------


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("step=control", "step"),
        (f"campaign={ID}&takeover=true", "takeover"),
        (f"campaign={ID}&campaign={ID}", "campaign"),
    ],
)
def test_what_the_address_says_beside_the_campaign_is_refused_by_its_name(
    client: TestClient, job: dict[str, str], path: str, query: str, field: str
) -> None:
    answer = client.post(f"/api/v1/{path}?{query}", headers=job)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    if field != "campaign":
        assert answer.json()["allowed"] == ["campaign"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("progress=1&progress=2", "progress"),
        ("progress=&progress=2", "progress"),
        ("metrics.loss=1&metrics.loss=2", "metrics.loss"),
        ('metrics={"loss":1}&metrics.loss=2', "metrics.loss"),
        ('{"progress": 1, "progress": 1}', "progress"),
        ('{"metrics": {"loss": 1, "a": 2, "loss": 3}}', "loss"),
        ('metrics={"loss":1,"loss":2}', "loss"),
    ],
)
def test_a_field_that_is_there_twice_is_refused_by_its_name(
    client: TestClient, job: dict[str, str], database: Database, body: str, field: str
) -> None:
    posted(database, event(1, "start"))
    answer = _form(client, job, "beat", body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert answer.json()["detail"] == f"{field} is there more than once."
    assert [one.acknowledged for one in run(database).attempts[0].sources] == [1]


def test_a_batch_with_a_field_twice_stores_nothing(client: TestClient, job: dict[str, str]) -> None:
    whole = json.dumps(event(1, "start"))
    raw = f'{{"events": [{whole}, {{"run": "a-01", "run": "a-02", "kind": "beat"}}]}}'
    answer = client.post("/api/v1/events", content=raw, headers=job)
    assert (answer.status_code, answer.json()["field"]) == (422, "run")
    assert client.get(f"/api/v1/campaigns/{ID}/runs").json()["items"] == []


@pytest.mark.parametrize("offset", ["+00:00", "+01:00", "+0530"])
@pytest.mark.parametrize("time", ["T08:12:09", " 08:12:09.250", "T08:12"])
def test_the_plus_of_an_offset_may_come_as_a_space(
    client: TestClient, job: dict[str, str], time: str, offset: str
) -> None:
    said = f"2026-12-01{time}{offset}"
    start = f"step=control&config_sha256={SHA}&attempt_id={FIRST}&seq=1&at={said}"
    assert _form(client, job, "start", start).status_code == 200, said
    shown = client.get(f"/api/v1/campaigns/{ID}/journal").json()["items"]
    (at,) = [one["payload"]["at"] for one in shown if one["kind"] == "run.started"]
    assert datetime.fromisoformat(at) == datetime.fromisoformat(said)
    assert _form(client, job, "beat", "at=2026-12-01 08:12").status_code == 422


def test_a_form_gives_parts_of_the_configuration_one_by_one(
    client: TestClient, job: dict[str, str]
) -> None:
    parts = "config.params.lr=0.1&config.params.opt.beta=0.9&config.corpora.eval=v1"
    body = f"step=control&config_sha256={SHA}&{parts}&config.git_commit=1234567"
    answer = _form(client, job, "start", body)
    assert answer.status_code == 200, answer.text
    (refused,) = [_form(client, job, "start", f"{body}&config.strange=1").json()]
    assert refused["field"] == "config.strange"
    both = 'config.params={"lr":"1"}&' + body
    assert _form(client, job, "start", both).status_code == 422


# -- the header that says when a client sent -----------------------------------------------------


@pytest.mark.parametrize("said", ["", "yesterday", "2026-12-01T08:00:00", "9" * 5000])
@pytest.mark.parametrize("in_batch", [False, True])
def test_a_time_of_sending_that_cannot_be_read_is_said(
    client: TestClient, job: dict[str, str], said: str, in_batch: bool
) -> None:
    headers, body = {**job, "Punktum-Sent-At": said}, event(1, "start")
    path = "events" if in_batch else "runs/a-01/start"
    sent = {"events": [body]} if in_batch else body
    answer = client.post(f"/api/v1/{path}", json=sent, headers=headers)
    assert answer.status_code == 200
    (warning,) = answer.json()["warnings"]
    assert warning.startswith("Punktum-Sent-At is not an instant with an offset")


# -- stop rules ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "status"), [("stop", "stopped"), ("fail", "failed")])
@pytest.mark.parametrize("named", ENDS_BY)
@pytest.mark.parametrize("numbered", [False, True])
def test_a_rule_that_only_warns_stops_nothing(
    client: TestClient,
    job: dict[str, str],
    database: Database,
    kind: str,
    status: str,
    named: dict[str, str],
    numbered: bool,
) -> None:
    identity: dict[str, Any] = {} if numbered else {"attempt_id": None}
    posted(database, event(1 if numbered else None, "start", **identity))
    body: dict[str, Any] = {**named, "reason_text": "it grows"}
    body |= {"attempt_id": FIRST, "seq": 2} if numbered else {}
    for is_again in (False, True):
        answer = client.post(f"/api/v1/runs/a-01/{kind}", json=body, headers=job).json()
        assert (answer["status"], answer["duplicate"]) == (status, is_again)
        if not is_again:
            assert answer["warnings"] == ["rule “grad” only warns: kept as the job's own decision"]
    found = run(database)
    reason = "operator" if kind == "stop" else "code_error"
    assert (found.rule, found.reason_code, found.reason_text) == (None, reason, "grad: it grows")
    assert [one.fired for one in found.rules if one.rule == "grad"] == [False]
    posted(database, event(1 if numbered else None, "start", **{**identity, "attempt_id": SECOND}))
    assert run(database).status == "running"


@pytest.mark.parametrize(("step", "own"), [("control", "slow"), ("variant-a", "worse")])
@pytest.mark.parametrize("in_batch", [False, True])
def test_a_start_answers_the_rules_of_the_runs_step_alone(
    client: TestClient, job: dict[str, str], step: str, own: str, in_batch: bool
) -> None:
    path = "events" if in_batch else "runs/a-01/start"

    def answered(**more: Any) -> list[str]:
        body = event(1, "start", **more)
        sent = {"events": [body]} if in_batch else body
        found = client.post(f"/api/v1/{path}", json=sent, headers=job).json()["rules"]
        return [one["id"] for one in found]

    assert answered(step=step) == ["grad", own]
    other = "variant-a" if step == "control" else "control"
    again = answered(step=other, attempt_id=SECOND, takeover=True)
    assert again == ["grad", own]


def test_a_person_may_ask_for_the_file_of_the_client_without_its_body(client: TestClient) -> None:
    whole, head = client.get("/punktum.py"), client.head("/punktum.py")
    assert (head.status_code, head.headers["etag"]) == (200, whole.headers["etag"])
    assert head.headers["content-length"] == whole.headers["content-length"]
