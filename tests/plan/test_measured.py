"""Measured figures of saving and restoring take the place of the stated ones, and say so."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.plan.pages.measured import measured_said
from app.plan.rules.measured import Measured, with_measured
from app.plan.rules.model import Checkpoint, Plan
from app.plan.rules.saving import saving
from app.runs import queries
from tests.conftest import NOW
from tests.pages import read
from tests.runs.campaigns import ID, SECOND, event, opened, plan, recorded

STATED = Checkpoint(120, 300, 3600, 86_400, 10 << 30)
STATES = ["parameters", "optimizer"]
RATE = 100_000_000


def _plan() -> Plan:
    known = plan()
    steps = tuple(replace(one, checkpoint=STATED) if one.gpus else one for one in known.steps)
    return replace(known, steps=steps, transfer_rate_bps=RATE)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Measured(), STATED),
        (Measured(write_s=110), replace(STATED, write_s=110)),
        (
            Measured(restore_s=250, size_bytes=38 << 30),
            Checkpoint(120, 250, 3600, 86_400, 38 << 30),
        ),
    ],
)
def test_a_measured_figure_replaces_the_stated_one(found: Measured, expected: Checkpoint) -> None:
    step = _plan().steps[1]
    assert with_measured(step, found) == replace(step, checkpoint=expected)
    bare = with_measured(replace(step, checkpoint=None), found)
    assert bare.checkpoint == (
        None
        if found.is_empty
        else Checkpoint(found.write_s, found.restore_s, size_bytes=found.size_bytes)
    )


def test_the_advice_is_that_of_a_plan_which_states_what_was_measured() -> None:
    step, found = _plan().steps[1], Measured(write_s=600, restore_s=900, size_bytes=38 << 30)
    advised = saving(step, (), RATE, found)
    same = saving(with_measured(step, found), (), RATE)
    stated = saving(step, (), RATE)
    assert advised is not None
    assert same is not None
    assert stated is not None
    assert (advised.line, advised.expected) == (same.line, same.expected)
    assert advised.line != stated.line
    assert str(advised.reserve).startswith("By what was measured it needs a reserve of ")
    assert str(stated.reserve).startswith("Kept for it after the step: ")


def test_both_are_said() -> None:
    assert str(measured_said(Measured(110, 250, 38 << 30), STATED)) == (
        "Measured: write 1 min, restore 4 min, 38.0 GiB; "
        "planned: write 2 min, restore 5 min, 10.0 GiB."
    )
    assert str(measured_said(Measured(restore_s=60), None)) == (
        "Measured: restore 1 min. Nothing was planned."
    )


def _measured(database: Database) -> dict[str, Measured]:
    with database.read() as session:
        return queries.measured(session, ID)


def test_runs_tell_what_they_measured(database: Database) -> None:
    opened(database, _plan())
    assert _measured(database) == {}
    passed = {"passed": True, "save_s": 99.2, "restore_s": 250.4, "size": 5}
    recorded(database, event(1, "start"), event(2, restore=passed))
    assert _measured(database) == {"control": Measured(100, 251, 5)}
    recorded(
        database,
        event(3, "checkpoint", size=38 << 30, write_s=110.0, states=STATES),
        event(4, restore={"passed": False, "restore_s": 1.0}),
    )
    assert _measured(database) == {"control": Measured(110, 251, 38 << 30)}
    later = {"run": "a-02", "attempt_id": SECOND}
    recorded(database, event(1, "start", **later), event(90, "checkpoint", write_s=70, **later))
    assert _measured(database) == {"control": Measured(70, 251, 38 << 30)}


def test_the_plans_page_and_the_steps_page_say_it(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUNKTUM_NOW", (NOW + timedelta(hours=1)).isoformat())
    opened(database, _plan())
    address = f"/campaigns/{ID}/plan"
    assert read(client.get(address)).css(".measured") == []
    passed = {"passed": True, "restore_s": 250.4}
    saved = event(3, "checkpoint", size=38 << 30, write_s=110.0)
    recorded(database, event(1, "start"), event(2, restore=passed), saved)
    for page, about in (
        (address, "#estimate-control"),
        (f"{address}/edit/steps/control", "#saving"),
    ):
        found = read(client.get(page, headers={"Accept-Language": "en"})).css(f"{about} .measured")
        assert [" ".join(one.text().replace("\xa0", " ").split()) for one in found] == [
            "Measured: write 1 min 50 s, restore 4 min 11 s, 38 GiB; "
            "planned: write 2 min, restore 5 min, 10 GiB. "
            "The advice is worked out with what was measured."
        ]
    assert read(client.get(f"{address}/versions/1")).css(".measured") == []
