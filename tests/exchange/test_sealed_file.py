"""A sealed version as a file: its hash follows from the file alone, and any change is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from app.command_line import plans
from app.db import Database
from app.exchange.queries import SealedFile, read_sealed, sealed_file
from app.texts import Text
from tests.plan.drafts import saved, sealed, small


def _file(database: Database) -> dict[str, Any]:
    saved(database, small())
    sealed(database, "small")
    with database.read() as session:
        written = sealed_file(session, "small", 1)
    assert written is not None
    found: dict[str, Any] = json.loads(written)
    return found


def _read(content: object) -> SealedFile:
    found = read_sealed(json.dumps(content))
    assert isinstance(found, SealedFile), found
    return found


def test_the_file_holds_by_itself(database: Database) -> None:
    found = _read(_file(database))
    assert (found.campaign, found.version, found.holds) == ("small", 1, True)


def _longer(file: dict[str, Any]) -> None:
    file["document"]["steps"][1]["p50"] = "11h"


def _later(file: dict[str, Any]) -> None:
    file["schedule"]["placements"][0]["start_min"] += 1


def _other_hash(file: dict[str, Any]) -> None:
    file["sha256"] = "0" * 64


def _known_before(file: dict[str, Any]) -> None:
    file["knowledge"] = {"level": "results_seen", "started": 3, "ended": 2}


def _foresight(file: dict[str, Any]) -> None:
    file["reason"] = "foresight"


def _earlier(file: dict[str, Any]) -> None:
    file["entry"]["at"] = "2020-01-01T00:00:00Z"


def _somebody_else(file: dict[str, Any]) -> None:
    file["entry"]["actor"]["name"] = "somebody"


@pytest.mark.parametrize(
    "change",
    [_longer, _later, _other_hash, _known_before, _foresight, _earlier, _somebody_else],
)
def test_a_changed_file_does_not_hold(database: Database, change: Any) -> None:
    file = _file(database)
    change(file)
    assert not _read(file).holds


@pytest.mark.parametrize(
    "key", ["format", "document", "schedule", "sha256", "version", "entry", "knowledge"]
)
def test_what_is_no_such_file_is_said(database: Database, key: str) -> None:
    file = _file(database)
    del file[key]
    assert isinstance(read_sealed(json.dumps(file)), Text)


def test_neither_a_draft_nor_an_unknown_version_has_a_file(database: Database) -> None:
    saved(database, small())
    with database.read() as session:
        for version in (0, 1, 2**40):
            assert sealed_file(session, "small", version) is None


def test_the_command_verifies_and_ends_with_1_for_another_hash(
    database: Database, tmp_path: Path
) -> None:
    file = _file(database)
    path = tmp_path / "sealed.json"
    path.write_text(json.dumps(file))
    run = CliRunner().invoke
    assert run(plans.plan, ["verify", str(path)]).exit_code == 0
    assert run(plans.plan, ["verify", str(path), "--sha256", file["sha256"]]).exit_code == 0
    other = run(plans.plan, ["verify", str(path), "--sha256", "1" * 64])
    assert other.exit_code == 1
    assert "DOES NOT HOLD" in other.stdout
    _longer(file)
    path.write_text(json.dumps(file))
    said = run(plans.plan, ["verify", str(path), "--json"])
    assert (said.exit_code, json.loads(said.stdout)["holds"]) == (1, False)
    assert run(plans.plan, ["verify", str(tmp_path / "none.json")]).exit_code == 2


@pytest.mark.parametrize("address", ["/api/v1/campaigns/small/sealed", "/campaigns/small/sealed"])
def test_it_is_downloaded_under_a_telling_name(
    client: TestClient, database: Database, address: str
) -> None:
    saved(database, small())
    assert client.get(address).status_code == 404
    sealed(database, "small")
    answer = client.get(address)
    assert answer.status_code == 200
    assert 'filename="small-v1-sealed.json"' in answer.headers["content-disposition"]
    assert _read(answer.json()).holds
    assert client.get(f"{address}?version=2").status_code == 404
