"""The page before the seal and the sealed versions: what is missing, saved, late, or changed."""

from __future__ import annotations

import functools
from dataclasses import replace
from datetime import UTC, datetime

from fastapi.testclient import TestClient

from app import journal
from app.db import Database, WriteSession
from app.plan.rules.model import Plan, PlannedLot, PlannedStopRule, Role
from tests.conftest import NOW, PERSON
from tests.pages import read
from tests.plan.campaigns import family
from tests.plan.drafts import longer, saved, sealed, small

PLAN = "/campaigns/small/plan"
LOSS = PlannedStopRule("loss-not-finite", "non_finite", "loss")


def _text(client: TestClient, address: str, part: str) -> str:
    node = read(client.get(address)).css_first(part)
    assert node is not None, part
    return " ".join(node.text(separator=" ").split())


def _family(**changes: object) -> Plan:
    steps = tuple(
        replace(
            step,
            gpus=int(step.gpus),
            role=Role.VARIANT if step.id in "ab" else None,
            needed_if="a does not pass" if step.id == "b" else None,
        )
        for step in family()
    )
    return replace(small(), steps=steps, **changes)  # type: ignore[arg-type]


def _noted(kind: str, tx: WriteSession) -> None:
    said = {"run": "a-01", "attempt": 1, "attempt_id": "1" * 32}
    journal.append(tx, "small", kind, PERSON, said, NOW)


def test_a_saving_is_said_before_the_order(client: TestClient, database: Database) -> None:
    saved(database, _family())
    said = "If a passes, b cannot change the choice: saves 10 h. Else it is needed."
    assert said in _text(client, PLAN, "#fit")
    assert said in _text(client, f"{PLAN}/seal", "#promise")


def test_a_decision_at_night_is_flagged_with_the_start_that_avoids_it(
    client: TestClient, database: Database
) -> None:
    starts = datetime(2026, 12, 1, 16, tzinfo=UTC)
    lot = PlannedLot("lot-1", offer="iteragpu/rtx-4090/3d", starts_at=starts)
    saved(database, _family(lots=(lot,)))
    fit = _text(client, PLAN, "#fit")
    assert "GPU idle while waiting for a person: 4 h" in fit
    assert "no GPU waits for a person" in fit


def test_a_rule_added_after_an_outcome_says_so_for_ever(
    client: TestClient, database: Database
) -> None:
    saved(database, small())
    sealed(database, "small")
    for kind in ("run.started", "run.ended"):
        database.write("small", functools.partial(_noted, kind))
    saved(database, replace(small(), stop_rules=(LOSS,)), revision=1)
    sealed(database, "small", "It diverged.")
    rules = _text(client, f"{PLAN}/versions/2", "#part-stop-rules")
    assert "added in version 2, after the first outcome (1 ended)" in rules


def test_a_later_version_shows_what_it_changed(client: TestClient, database: Database) -> None:
    saved(database, small())
    sealed(database, "small")
    saved(database, longer(small(), 20), revision=1)
    sealed(database, "small", "It took longer.")
    assert "Train P50 10h 20h" in _text(client, f"{PLAN}/versions/2", "#revised")
    assert read(client.get(f"{PLAN}/versions/1")).css_first("#revised") is None
    link = read(client.get(f"{PLAN}/versions/2")).css_first('a[href$="/sealed?version=2"]')
    assert link is not None
    assert client.get(link.attributes["href"] or "").status_code == 200


def test_a_variant_that_says_nothing_of_its_use_is_marked(
    client: TestClient, database: Database
) -> None:
    steps = tuple(
        replace(
            step,
            role=Role.VARIANT if step.id in "ab" else None,
            isolates="rank 32 against 16" if step.id == "a" else None,
            changes_choice_if="f1 gains 0.02" if step.id == "a" else None,
        )
        for step in _family().steps
    )
    saved(database, replace(small(), steps=steps))
    told, bare = (_text(client, PLAN, f"#step-{name}") for name in "ab")
    assert "Isolates: rank 32 against 16" in told
    assert "Changes the choice if f1 gains 0.02" in told
    assert "does not say" not in told
    assert "does not say what it isolates" in bare
    assert "does not say which result would change the choice" in bare
