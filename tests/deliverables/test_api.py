"""The JSON of deliverables: answers, refusals in their one shape, repetition, who may."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app import clock
from app.accounts.commands import make_token, new_secret
from app.db import Database
from tests.conftest import PERSON
from tests.decisions.runs import completed, post, started
from tests.deliverables.campaigns import closed, opened, standing
from tests.deliverables.plans import COMMIT, HOME, ID, body
from tests.plan.drafts import saved, small

SUBMIT = "/api/v1/deliverables/predictions/submissions"
HERE = f"{SUBMIT}?campaign={ID}"
VERDICTS = f"/api/v1/campaigns/{ID}/deliverables/predictions/verdicts"


def token(database: Database, campaign: str = ID) -> dict[str, str]:
    secret, now = new_secret(), clock.now()
    database.write(
        campaign,
        lambda tx: make_token(
            tx, campaign, secret, name="box", expires_at=now + timedelta(days=1),
            actor=PERSON, now=now,
        ),
    )  # fmt: skip
    return {"Authorization": f"Bearer {secret}"}


def manifest(**more: Any) -> dict[str, Any]:
    return {"manifest": {**body()["manifest"], **more}}


def problem(response: Any, status: int, name: str) -> dict[str, Any]:
    assert response.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = response.json()
    assert response.status_code == status == found["status"]
    assert found["type"] == f"/problems/{name}"
    assert {"title", "detail"} <= found.keys()
    return found


def test_a_job_submits_with_its_token(client: TestClient, database: Database) -> None:
    opened(database)
    completed(database, "control-01", "control")
    said = body(**manifest(runs=["control-01"]))
    answer = client.post(SUBMIT, json=said, headers=token(database))
    assert answer.status_code == 201
    found = answer.json()
    assert found.pop("head")["number"] > 1
    assert found == {"state": "accepted", "reason": None, "duplicate": False, "retrieved": False}
    newest = standing(database).newest
    assert newest is not None
    assert (newest.actor_kind, newest.actor_name, newest.runs) == ("job", "box", ("control-01",))


def test_the_same_post_again_is_a_duplicate(client: TestClient, database: Database) -> None:
    opened(database)
    first = client.post(HERE, json=body())
    again = client.post(HERE, json=body())
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == {**first.json(), "duplicate": True}
    other = client.post(HERE, json=body(host="another"))
    assert problem(other, 409, "conflict")["field"] == "submission_id"


def test_a_manifest_of_many_files_is_taken(client: TestClient, database: Database) -> None:
    """Larger than what else is posted: 20,000 files make 2.6 MB."""
    opened(database)
    files = [
        {"path": f"shards/part-{n:06}.bin", "size": 1, "sha256": f"{n:064x}"} for n in range(20_000)
    ]
    answer = client.post(HERE, json=body(**manifest(files=files)))
    assert answer.status_code == 201


def test_absent_and_null_are_the_same(client: TestClient, database: Database) -> None:
    opened(database)
    plain = {**body(), "machine_id": None, "host": None, "made_at": None, "tool": None}
    plain["manifest"] = {**plain["manifest"], "base_revision": None, "runs": None}
    assert client.post(HERE, json=plain).status_code == 201


@pytest.mark.parametrize(
    ("end", "fields", "says"),
    [
        ("stop", {"reason_code": "infra", "reason_text": "interrupted, clean", "signal": 15},
         "a-01 was interrupted: finish it under the same id, or evaluate its "
         "checkpoint in a new run and submit that"),
        ("fail", {"exit_code": 3, "reason_text": "ValueError: no"},
         "a-01 failed (ValueError: no): finish it under the same id"),
        (None, {}, "a-01 has not ended"),
    ],
)  # fmt: skip
def test_an_interrupted_run_is_never_accepted(
    client: TestClient, database: Database, end: str | None, fields: dict[str, Any], says: str
) -> None:
    opened(database)
    completed(database, "control-01", "control")
    started(database, "a-01", "variant-a")
    if end is not None:
        post(database, "a-01", end, elapsed_s=60, **fields)
    said = body(**manifest(runs=["control-01", "a-01"]))
    found = problem(client.post(HERE, json=said), 409, "conflict")
    assert found["detail"].startswith(says)
    assert list(found["runs"]) == ["a-01"]
    assert standing(database).submissions == 0


def test_after_it_was_finished_under_the_same_id_it_is_taken(
    client: TestClient, database: Database
) -> None:
    opened(database)
    started(database, "a-01", "variant-a")
    post(database, "a-01", "stop", elapsed_s=60, reason_code="infra", signal=15)
    said = body(**manifest(runs=["a-01"]))
    assert client.post(HERE, json=said).status_code == 409
    started(database, "a-01", "variant-a", attempt_id="2" * 32, takeover=True)
    post(database, "a-01", "finish", elapsed_s=60, exit_code=0, attempt_id="2" * 32)
    assert client.post(HERE, json=said).json()["state"] == "accepted"


def test_a_check_that_did_not_pass_is_told(client: TestClient, database: Database) -> None:
    opened(database)
    checks = body()["checks"]
    checks[3] = {"kind": "reload", "passed": False, "not_run": True, "detail": "GPU busy"}
    found = client.post(HERE, json=body(checks=checks)).json()
    assert (found["state"], found["reason"]) == ("submitted", "1 of 4 checks not run.")


@pytest.mark.parametrize(
    ("revision", "state"), [(COMMIT, "accepted"), ("main", "submitted"), (None, "submitted")]
)
def test_an_adapter_names_an_exact_revision(
    client: TestClient, database: Database, revision: str | None, state: str
) -> None:
    opened(database)
    base = {"base": "org/model", "revision": revision}
    said = body(checks=[{"kind": "non_empty", "passed": True}], **manifest(base_revision=base))
    answer = client.post(f"/api/v1/deliverables/adapter/submissions?campaign={ID}", json=said)
    assert answer.json()["state"] == state


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"submission_id": "x"}, "submission_id"),
        ({"color": "red"}, "color"),
        ({"machine_id": "short"}, "machine_id"),
        ({"made_at": "2026-12-01T14:00:00"}, "made_at"),
        ({"made_at": "yesterday"}, "made_at"),
        ({"retrieved": "yes"}, "retrieved"),
        ({"checks": [{"kind": "non_empty", "passed": "true"}]}, "checks.0.passed"),
        ({"checks": [{"kind": "non_empty"}]}, "checks.0.passed"),
        (manifest(files=[]), "manifest.files"),
        (manifest(runs=["a b"]), "manifest.runs.0"),
        (manifest(files=[{"path": "../x", "size": 1, "sha256": "0" * 64}]),
         "manifest.files.0.path"),
        (manifest(files=[{"path": "/etc/x", "size": 1, "sha256": "0" * 64}]),
         "manifest.files.0.path"),
        (manifest(files=[{"path": "x\x07", "size": 1, "sha256": "0" * 64}]),
         "manifest.files.0.path"),
        (manifest(files=[{"path": "x", "size": -1, "sha256": "0" * 64}]), "manifest.files.0.size"),
        (manifest(files=[{"path": "x", "size": 1.5, "sha256": "0" * 64}]), "manifest.files.0.size"),
        (manifest(files=[{"path": "x", "size": "1", "sha256": "0" * 64}]), "manifest.files.0.size"),
        (manifest(files=[{"path": "x", "size": 1, "sha256": "0"}]), "manifest.files.0.sha256"),
    ],
)  # fmt: skip
def test_malformed_submissions_name_their_field(
    client: TestClient, database: Database, change: dict[str, Any], field: str
) -> None:
    opened(database)
    found = problem(client.post(HERE, json={**body(), **change}), 422, "malformed")
    assert found["field"] == field
    assert standing(database).submissions == 0


def raw(size: str, evidence: str = "{}") -> dict[str, Any]:
    """A body with a size and evidence as no JSON library would write them."""
    file = '{"path": "x", "size": ' + size + ', "sha256": "' + "0" * 64 + '"}'
    check = '{"kind": "non_empty", "passed": true, "evidence": ' + evidence + "}"
    said = '{"submission_id": "' + "1" * 32 + '", "checks": [' + check + "], "
    content = said + '"manifest": {"files": [' + file + "]}}"
    return {"content": content, "headers": {"Content-Type": "application/json"}}


@pytest.mark.parametrize("odd", ["NaN", "1e999", '"\\ud800"', "9" * 20, '"\\u0000"'])
def test_odd_json_in_evidence_is_kept_as_text(
    client: TestClient, database: Database, odd: str
) -> None:
    opened(database)
    assert client.post(HERE, **raw("1", '{"x": ' + odd + "}")).status_code == 201


@pytest.mark.parametrize("size", ["NaN", "1e999", "9" * 20])
def test_odd_sizes_are_refused(client: TestClient, database: Database, size: str) -> None:
    opened(database)
    problem(client.post(HERE, **raw(size)), 422, "malformed")


def test_who_may_submit(client: TestClient, database: Database) -> None:
    opened(database)
    saved(database, small())
    mine, other = token(database), token(database, "small")
    assert problem(client.post(SUBMIT, json=body()), 422, "malformed")["field"] == "campaign"
    problem(client.post(HERE, json=body(), headers=other), 403, "forbidden")
    problem(client.post(SUBMIT, json=body(), headers={"Authorization": "Bearer pk_no"}), 401,
            "not-signed-in")  # fmt: skip
    problem(client.post(VERDICTS, json={"verdict": "accepted"}, headers=mine), 403, "forbidden")
    problem(client.post(f"{SUBMIT}?campaign=nowhere", json=body()), 404, "not-found")


def test_what_nobody_announced(client: TestClient, database: Database) -> None:
    opened(database)
    answer = client.post(f"/api/v1/deliverables/poster/submissions?campaign={ID}", json=body())
    found = problem(answer, 404, "not-found")
    assert found["allowed"] == ["predictions", "adapter", "analysis"]


def test_after_the_close_only_a_proof_of_retrieval_is_taken(
    client: TestClient, database: Database
) -> None:
    opened(database)
    client.post(HERE, json=body())
    closed(database)
    problem(client.post(HERE, json=body(submission_id="2" * 32)), 409, "campaign-closed")
    problem(
        client.post(VERDICTS, json={"verdict": "rejected", "reason": "no"}), 409, "campaign-closed"
    )
    proof = body(submission_id="3" * 32, machine_id=HOME, retrieved=True)
    answer = client.post(HERE, json=proof)
    assert (answer.status_code, answer.json()["retrieved"]) == (201, True)
    assert client.post(HERE, json=proof).json()["duplicate"]


def test_a_proof_on_the_same_machine_or_of_other_files(
    client: TestClient, database: Database
) -> None:
    opened(database)
    client.post(HERE, json=body())
    same = client.post(HERE, json=body(submission_id="3" * 32, retrieved=True))
    assert problem(same, 409, "conflict")["field"] == "machine_id"
    fewer = manifest(files=body()["manifest"]["files"][:1])
    other = body(submission_id="3" * 32, machine_id=HOME, retrieved=True, **fewer)
    found = problem(client.post(HERE, json=other), 409, "conflict")
    assert found["difference"]["missing"] == ["logs/run.txt", "reload.py"]


def test_a_person_judges(client: TestClient, database: Database) -> None:
    opened(database)
    client.post(HERE, json=body())
    found = problem(client.post(VERDICTS, json={"verdict": "rejected"}), 422, "malformed")
    assert found["field"] == "reason"
    answer = client.post(VERDICTS, json={"verdict": "rejected", "reason": "labels shuffled"})
    assert answer.status_code == 201
    said = answer.json()
    assert (said["verdict"], said["reason"], said["actor"]) == (
        "rejected", "labels shuffled", "person",
    )  # fmt: skip
    assert client.post(VERDICTS, json={"verdict": "accepted"}).status_code == 201
    again = client.post(VERDICTS, json={"verdict": "rejected", "reason": "x", "submission": 1})
    problem(again, 409, "conflict")


def test_the_list(client: TestClient, database: Database) -> None:
    opened(database)
    client.post(HERE, json=body())
    client.post(VERDICTS, json={"verdict": "rejected", "reason": "labels shuffled"})
    found = client.get(f"/api/v1/campaigns/{ID}/deliverables").json()
    assert found["next"] is None
    first, second, third = found["items"]
    assert (first["id"], first["state"], first["reason"]) == (
        "predictions", "rejected", "labels shuffled",
    )  # fmt: skip
    assert first["checks"] == {"passed": 4, "failed": 0, "not_run": 0}
    assert first["submission"]["files"] == 3
    assert first["verdict"]["verdict"] == "rejected"
    assert (second["state"], second["submission"], second["unit"]) == ("announced", None, False)
    assert second["checks"] == {"passed": 0, "failed": 0, "not_run": 2}
    assert third["checks"] == {"passed": 0, "failed": 0, "not_run": 0}
    problem(client.get("/api/v1/campaigns/nowhere/deliverables"), 404, "not-found")


def test_openapi_names_the_addresses(client: TestClient) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    assert "/api/v1/deliverables/{deliverable}/submissions" in paths
    assert "/api/v1/campaigns/{campaign_id}/deliverables" in paths
