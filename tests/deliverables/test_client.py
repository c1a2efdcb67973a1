"""What the client really sends for real folders, taken by the server as it comes."""

from __future__ import annotations

import json
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.main import create_app
from app.plan.rules.document import to_document
from app.plan.rules.model import Plan
from app.settings import Settings
from punktum.checks import Subject, run_check
from punktum.manifest import make_manifest
from punktum.sheet import Sheet
from punktum.streaming import json_pieces
from punktum.submission import evidence_of
from tests.deliverables.campaigns import opened, standing
from tests.deliverables.plans import COMMIT, ID, MAKER, PREDICTIONS, plan

RELOAD = f"{shlex.quote(sys.executable)} reload.py"


def announced_plan() -> Plan:
    """The plan of these tests, its files loaded again by the Python that runs them."""
    *others, reload = PREDICTIONS.checks
    checks = (*others, replace(reload, command=RELOAD))
    kept = plan()
    return replace(kept, deliverables=(replace(PREDICTIONS, checks=checks), *kept.deliverables[1:]))


@pytest.fixture
def server(settings: Settings, sqlite: Database) -> TestClient:
    """A server with the sealed campaign of these tests."""
    opened(sqlite, announced_plan())
    return TestClient(create_app(settings, sqlite, b"a secret"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An output folder that passes every announced check."""
    out = tmp_path / "out"
    (out / "logs").mkdir(parents=True)
    (out / "predictions.csv").write_text("id,label\nx-1,1\nx-2,0\nx-3,1\n")
    (out / "reload.py").write_text("assert open('predictions.csv').read()\n")
    (out / "logs" / "run.txt").write_text("wrote to /tmp/x.csv\n")
    return out


def verified(folder: Path, deliverable: str = "predictions") -> dict[str, Any]:
    """What `punktum verify` posts for a folder."""
    sheet = Sheet(dict(to_document(announced_plan())))
    (announced,) = [one for one in sheet.deliverables if one.id == deliverable]
    files = make_manifest(folder)
    subject = Subject(folder, files, sheet)
    verdicts = [run_check(check, subject) for check in announced.checks]
    commands = [check["command"] for check in announced.checks if "command" in check]
    command = str(commands[0]) if commands else None
    made = evidence_of(folder, files, verdicts, [MAKER], command, folder.parent / "spool")
    return dict(json.loads(b"".join(json_pieces(made))))


def post(server: TestClient, body: dict[str, Any], deliverable: str = "predictions") -> Any:
    """The server's answer to it."""
    where = f"/api/v1/deliverables/{deliverable}/submissions?campaign={ID}"
    answer = server.post(where, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_good_folder_is_accepted(server: TestClient, folder: Path) -> None:
    answer = post(server, verified(folder))
    assert (answer["state"], answer["reason"]) == ("accepted", None)


def test_an_id_that_is_missing_is_told(server: TestClient, folder: Path, sqlite: Database) -> None:
    (folder / "predictions.csv").write_text("id,label\nx-1,1\nx-1,0\n")
    answer = post(server, verified(folder))
    assert (answer["state"], answer["reason"]) == ("submitted", "1 of 4 checks failed.")
    assert standing(sqlite).failed == 1


def test_an_empty_file_and_a_command_that_fails(server: TestClient, folder: Path) -> None:
    (folder / "reload.py").write_text("")
    (folder / "predictions.csv").write_text("")
    answer = post(server, verified(folder))
    assert answer["reason"] == "2 of 4 checks failed."


@pytest.mark.parametrize(
    ("revision", "state"), [(COMMIT, "accepted"), ("main", "submitted"), (None, "submitted")]
)
def test_an_adapter_by_its_own_configuration(
    server: TestClient, folder: Path, revision: str | None, state: str
) -> None:
    """The plan announces only non_empty; the exact revision is asked for all the same."""
    config = {"base_model_name_or_path": "org/model", "revision": revision}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    assert post(server, verified(folder, "adapter"), "adapter")["state"] == state


def test_odd_names_travel(server: TestClient, folder: Path) -> None:
    (folder / "logs" / "dự đoán – März.txt").write_text("x")
    (folder / "logs" / "a\\b").write_text("x")
    assert post(server, verified(folder))["state"] == "accepted"


def test_a_moved_copy_has_the_same_manifest(
    server: TestClient, folder: Path, tmp_path: Path
) -> None:
    post(server, verified(folder))
    home = tmp_path / "home"
    os.rename(folder, home)
    proof = {**verified(home), "machine_id": "a" * 64, "retrieved": True}
    assert post(server, proof)["retrieved"] is True
