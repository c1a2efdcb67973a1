"""The door for MLflow's stock client, over HTTP on both databases; its package is not needed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from app.db import Database
from app.main import create_app
from app.runs import queries
from app.runs.api.pacing import paces
from app.settings import Settings
from punktum.configuration import configuration
from tests.conftest import NOW
from tests.runs.campaigns import FIRST, ID, closed, event, opened, token

CALLS = "/mlflow/api/2.0/mlflow"
BEGAN_MS = 1_796_133_600_000
PARAMS = {"lr": "0.1", "rank": "16"}
NONE: Mapping[str, str] = {}


class Tracker:
    """A client of MLflow as it speaks on the wire."""

    def __init__(self, client: TestClient, headers: dict[str, str]) -> None:
        self.client, self.headers = client, headers

    def post(self, act: str, **body: Any) -> Response:
        """One call with a body."""
        return self.client.post(f"{CALLS}/{act}", json=body, headers=self.headers)

    def get(self, act: str, **query: str) -> Response:
        """One call with a query."""
        return self.client.get(f"{CALLS}/{act}", params=query, headers=self.headers)

    def create(
        self, name: str = "control", started_ms: int = BEGAN_MS, tags: Mapping[str, str] = NONE
    ) -> str:
        """A run's id as the client is given it."""
        said = [{"key": key, "value": value} for key, value in tags.items()]
        answer = self.post(
            "runs/create", experiment_id="0", run_name=name, start_time=started_ms, tags=said
        )
        assert answer.status_code == 200, answer.text
        made: str = answer.json()["run"]["info"]["run_id"]
        return made

    def log(
        self, run: str, values: Mapping[str, Any], step: int = 1, params: Mapping[str, str] = NONE
    ) -> Response:
        """Values of one step, a second for each; parameters beside them."""
        at = BEGAN_MS + step * 1000
        return self.post(
            "runs/log-batch",
            run_id=run,
            metrics=[
                {"key": key, "value": value, "timestamp": at, "step": step}
                for key, value in values.items()
            ],
            params=[{"key": key, "value": value} for key, value in params.items()],
        )

    def end(self, run: str, status: str) -> Response:
        """The client's word on the end."""
        return self.post("runs/update", run_id=run, status=status, end_time=BEGAN_MS + 60_000)


@pytest.fixture
def tracker(client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch) -> Tracker:
    """A client with the token of a sealed campaign's job, at a time that its clock is near to."""
    monkeypatch.setenv("PUNKTUM_NOW", NOW.isoformat())
    opened(database)
    return Tracker(client, token(client))


def _run(database: Database, run_id: str = "control-01") -> queries.RunView:
    with database.read() as session:
        found = queries.run_of(session, ID, run_id, datetime(2026, 12, 1, 14, tzinfo=UTC))
    assert found is not None
    return found


def _events(database: Database, run_id: str = "control-01") -> list[queries.EventView]:
    with database.read() as session:
        return list(reversed(queries.events_of(session, ID, run_id).items))


def _notes(database: Database) -> list[str]:
    return [str(one.fields["note"]) for one in _events(database) if "note" in one.fields]


def test_a_run_is_planned_until_its_first_value(tracker: Tracker, database: Database) -> None:
    run = tracker.create()
    assert tracker.log(run, {}, params=PARAMS).json() == {}
    assert _run(database).status == "planned"
    assert _notes(database) == ["told by a tracker: run “control”", "parameters told: lr, rank"]
    assert tracker.log(run, {"loss": 0.5}).json() == {}
    found = _run(database)
    assert (found.status, found.step, found.progress) == ("running", "control", 1)
    assert found.config_sha256 == configuration(PARAMS).sha256
    assert found.started_at == datetime.fromtimestamp(BEGAN_MS / 1000, UTC)
    assert {one.source for one in _events(database)} == {"tracker"}


@pytest.mark.parametrize("off_ms", [-400 * 86_400_000, -90_000_000, 90_000_000, 4_000_000_000_000])
def test_a_time_that_cannot_be_is_not_taken(
    tracker: Tracker, database: Database, off_ms: int
) -> None:
    now_ms = int(NOW.timestamp() * 1000)
    run = tracker.create(started_ms=now_ms + off_ms)
    at = {"timestamp": now_ms + off_ms, "step": 1}
    tracker.post("runs/log-batch", run_id=run, metrics=[{"key": "loss", "value": 0.5, **at}])
    tracker.post("runs/update", run_id=run, status="FINISHED", end_time=now_ms + off_ms)
    found = _run(database)
    assert (found.started_at, found.ended_at, found.machine_s) == (NOW, NOW, 0)
    assert {one.at for one in _events(database)} == {NOW}


def test_a_time_within_a_day_is_the_trackers(tracker: Tracker, database: Database) -> None:
    began_ms = int(NOW.timestamp() * 1000) - 86_400_000
    tracker.log(tracker.create(started_ms=began_ms), {"loss": 0.5})
    assert _run(database).started_at == NOW - timedelta(days=1)


def test_the_step_is_that_of_the_tag_else_the_name(tracker: Tracker, database: Database) -> None:
    for number, tags in enumerate(({}, {"punktum.step": "variant-a"}), 1):
        run = tracker.create("control", BEGAN_MS + number, tags)
        tracker.log(run, {"loss": 0.5})
    assert _run(database, "control-01").step == "control"
    assert _run(database, "variant-a-01").step == "variant-a"


def test_a_creation_that_is_tried_again_is_the_same_run(tracker: Tracker) -> None:
    first = tracker.create()
    assert tracker.create() == first
    other = tracker.create(started_ms=BEGAN_MS + 1)
    assert (first.partition("-")[2], other.partition("-")[2]) == ("control-01", "control-02")


def test_a_batch_that_is_tried_again_counts_once(tracker: Tracker, database: Database) -> None:
    run = tracker.create()
    at = {"timestamp": BEGAN_MS + 1000}
    values = [{"key": "loss", "value": 1 / step, "step": step, **at} for step in range(1, 60)]
    for _ in range(3):
        assert tracker.post("runs/log-batch", run_id=run, metrics=values).status_code == 200
    (rule,) = _run(database).rules
    assert rule.evaluated == 59
    assert (
        tracker.post("runs/log-metric", run_id=run, key="loss", value=2, step=60, **at).json() == {}
    )
    assert _run(database).rules[0].evaluated == 60


@pytest.mark.parametrize(
    ("said", "kept"), [("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")]
)
def test_values_that_are_not_finite_arrive_and_are_judged(
    tracker: Tracker, database: Database, said: str, kept: str
) -> None:
    run = tracker.create()
    assert tracker.log(run, {"loss": said}).status_code == 200
    found = _run(database)
    assert [(one.rule, one.value) for one in found.fired] == [("loss-not-finite", kept)]
    assert found.status == "running"
    tracker.end(run, "FINISHED")
    assert (_run(database).status, _run(database).rule) == ("stopped", "loss-not-finite")


def test_what_does_not_count_and_what_is_secret_is_left_out(
    tracker: Tracker, database: Database
) -> None:
    run = tracker.create()
    told = {**PARAMS, "output_dir": "out", "api_key": "s3cret", "at": "https://u:s3cret@h/x"}
    tracker.log(run, {}, params=told)
    tracker.log(run, {"loss": 0.5})
    (start,) = [one for one in _events(database) if one.kind == "start"]
    assert start.fields["config_sha256"] == configuration(told).sha256
    assert start.fields["not_config"] == {"output_dir": "out", "api_key": "(hidden)"}
    assert "s3cret" not in str([one.fields for one in _events(database)])


def test_parameters_that_come_late_are_kept_beside_the_configuration(
    tracker: Tracker, database: Database
) -> None:
    run = tracker.create()
    tracker.log(run, {"loss": 0.5}, params=PARAMS)
    before = _run(database).config_sha256
    tracker.post("runs/log-parameter", run_id=run, key="layers", value="7")
    assert _run(database).config_sha256 == before == configuration(PARAMS).sha256
    assert _notes(database)[-1].endswith("layers = 7")


def test_tags_and_data_sets_become_notes(tracker: Tracker, database: Database) -> None:
    run = tracker.create()
    tracker.post("runs/set-tag", run_id=run, key="who", value="the night shift")
    tracker.post("runs/set-tag", run_id=run, key="mlflow.autologging", value="pytorch")
    named = {"name": "invoices", "digest": "ab12"}
    tracker.post("runs/log-inputs", run_id=run, datasets=[{"dataset": named}])
    assert _notes(database)[1:] == ["tag who: the night shift", "data set invoices (ab12)"]


@pytest.mark.parametrize(
    ("status", "ending"),
    [
        ("FINISHED", ("completed", None)),
        ("FAILED", ("failed", "code_error")),
        ("KILLED", ("stopped", "operator")),
    ],
)
def test_ends(
    tracker: Tracker, database: Database, status: str, ending: tuple[str, str | None]
) -> None:
    run = tracker.create()
    for _ in range(2):
        answer = tracker.end(run, status)
        assert answer.json()["run_info"]["status"] == status
    found = _run(database)
    assert (found.status, found.reason_code) == ending
    assert [one.kind for one in _events(database)].count("start") == 1
    assert found.machine_s == 60


def test_a_failed_run_goes_on_as_another_attempt(tracker: Tracker, database: Database) -> None:
    run = tracker.create()
    tracker.log(run, {"loss": 0.5}, params=PARAMS)
    tracker.end(run, "FAILED")
    for number in (2, 3):
        assert tracker.post("runs/update", run_id=run, status="RUNNING").status_code == 200
        tracker.log(run, {"loss": 0.4}, step=number)
        assert _run(database).status == "running"
        tracker.end(run, "FAILED")
        found = _run(database)
        assert [one.status for one in found.attempts] == ["failed"] * number
    assert found.config_sha256 == configuration(PARAMS).sha256


def test_a_run_that_completed_stays_completed(tracker: Tracker, database: Database) -> None:
    run = tracker.create()
    tracker.log(run, {"loss": 0.5})
    tracker.end(run, "FINISHED")
    assert tracker.post("runs/update", run_id=run, status="RUNNING").status_code == 200
    assert tracker.log(run, {"loss": 0.1}, step=2).status_code == 200
    assert tracker.end(run, "FAILED").status_code == 200
    found = _run(database)
    assert (found.status, len(found.attempts)) == ("completed", 1)
    assert found.metrics[0].last == "0.5"


def test_the_wrapper_speaks_for_the_run_that_it_started(
    tracker: Tracker, client: TestClient, database: Database
) -> None:
    said = {"source": "wrapper", "run": "control-01"}
    batch = [event(1, "start", **said)]
    client.post("/api/v1/events", json={"events": batch}, headers=tracker.headers)
    ours = {"punktum.run": "control-01", "punktum.attempt": FIRST}
    run = tracker.create("anything", tags=ours)
    tracker.log(run, {"loss": 0.5}, params=PARAMS)
    tracker.end(run, "FINISHED")
    assert (_run(database).status, _run(database).step) == ("running", "control")
    assert _notes(database)[-1] == "the tracker was told: FINISHED"
    end = event(2, "fail", exit_code=3, reason_code="code_error", **said)
    client.post("/api/v1/events", json={"events": [end]}, headers=tracker.headers)
    found = _run(database)
    assert (found.status, found.exit_code, len(found.attempts)) == ("failed", 3, 1)
    assert [one.name for one in found.metrics] == ["loss"]


def test_a_run_inside_another_is_one_of_its_own(tracker: Tracker, database: Database) -> None:
    ours = {"punktum.run": "control-01", "punktum.attempt": FIRST, "punktum.step": "control"}
    tracker.create("outer", tags=ours)
    inner = tracker.create("inner", BEGAN_MS + 1, {"mlflow.parentRunId": "x", **ours})
    tracker.log(inner, {"loss": 0.5})
    assert _run(database, "control-02").status == "running"


def test_the_token_reads_nothing_back(tracker: Tracker) -> None:
    run = tracker.create()
    tracker.log(run, {"loss": 0.5}, params=PARAMS)
    found = tracker.get("runs/get", run_id=run).json()["run"]
    assert found["data"] == {"metrics": [], "params": [], "tags": []}
    assert (found["info"]["status"], found["info"]["start_time"]) == ("RUNNING", BEGAN_MS)
    assert tracker.post("runs/search", experiment_ids=["0"]).json() == {"runs": []}


def test_the_campaign_is_every_experiment(tracker: Tracker) -> None:
    named = tracker.get("experiments/get-by-name", experiment_name="invoices").json()["experiment"]
    assert (named["name"], named["experiment_id"]) == ("invoices", ID)
    assert tracker.post("experiments/create", name="x").json() == {"experiment_id": ID}
    assert tracker.get("experiments/get", experiment_id=ID).json()["experiment"]["name"] == ID
    assert len(tracker.post("experiments/search").json()["experiments"]) == 1


@pytest.mark.parametrize(
    ("act", "body", "status", "code"),
    [
        ("runs/log-metric", {"run_id": "nothing", "key": "a"}, 400, "INVALID_PARAMETER_VALUE"),
        ("runs/log-metric", {"key": "a", "value": "x"}, 400, "INVALID_PARAMETER_VALUE"),
        ("runs/log-metric", {"run_id": f"{FIRST}-a-01", "key": "a", "value": 1}, 404,
         "RESOURCE_DOES_NOT_EXIST"),
        ("runs/log-batch", {"metrics": 3}, 400, "INVALID_PARAMETER_VALUE"),
        ("runs/update", {"status": "DONE"}, 400, "INVALID_PARAMETER_VALUE"),
        ("registered-models/create", {}, 404, "RESOURCE_DOES_NOT_EXIST"),
        ("logged-models", {}, 404, "RESOURCE_DOES_NOT_EXIST"),
    ],
)  # fmt: skip
def test_refusals_have_the_shape_of_mlflow(
    tracker: Tracker, act: str, body: dict[str, Any], status: int, code: str
) -> None:
    run = tracker.create()
    answer = tracker.post(act, **{"run_id": run, **body})
    assert (answer.status_code, answer.json()["error_code"]) == (status, code)
    assert set(answer.json()) == {"error_code", "message"}


def test_credentials_are_judged_in_the_shape_of_mlflow(
    tracker: Tracker, client: TestClient, database: Database
) -> None:
    for headers in ({}, {"Authorization": "Bearer pk_unknown"}):
        answer = client.post(f"{CALLS}/runs/create", json={}, headers=headers)
        assert (answer.status_code, answer.json()["error_code"]) == (401, "UNAUTHENTICATED")
    foreign = {**tracker.headers, "Origin": "https://elsewhere.example"}
    answer = client.post(f"{CALLS}/runs/create", json={}, headers=foreign)
    assert (answer.status_code, answer.json()["error_code"]) == (403, "403")
    assert answer.json()["message"] == answer.json()["detail"]


def test_a_tracker_that_logs_too_fast_is_told_so_in_the_shape_of_mlflow(
    settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(sqlite)
    monkeypatch.setattr(paces, "clock", lambda: 0.0)
    slow = settings.model_copy(update={"posts_per_s": 1})
    client = TestClient(create_app(slow, sqlite, b"a secret of the tests"))
    tracker = Tracker(client, token(client))
    answers = [tracker.get("experiments/get", experiment_id=ID) for _ in range(30)]
    refused = next(one for one in answers if one.status_code != 200)
    assert (refused.status_code, refused.json()["error_code"]) == (429, "REQUEST_LIMIT_EXCEEDED")
    assert int(refused.headers["retry-after"]) >= 1


def test_the_link_that_the_client_prints_leads_to_the_campaigns(client: TestClient) -> None:
    answer = client.get("/mlflow/")
    assert (answer.status_code, answer.headers["location"]) == (307, "/campaigns")


def test_after_the_close_nothing_starts(tracker: Tracker, database: Database) -> None:
    run = tracker.create()
    tracker.log(run, {"loss": 0.5})
    closed(database)
    tracker.log(run, {"loss": 0.1}, step=2)
    assert _run(database).metrics[0].last == "0.5"


def test_the_jobs_port_takes_trackers_with_their_token(
    settings: Settings, sqlite: Database
) -> None:
    opened(sqlite)
    made = TestClient(create_app(settings, sqlite, b"a secret of the tests"))
    headers = token(made)
    served = settings.model_copy(update={"jobs_port": 80})
    jobs = TestClient(create_app(served, sqlite, b"a secret of the tests"))
    assert Tracker(jobs, headers).create().endswith("-control-01")
    refused = jobs.post(f"{CALLS}/runs/create", json={})
    assert (refused.status_code, refused.json()["error_code"]) == (401, "401")
