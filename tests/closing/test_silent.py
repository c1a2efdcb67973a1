"""At the close: silent runs are ended by a person's word, and rules never judged are red."""

from __future__ import annotations

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from app import clock, journal
from app.closing.rules.checklist import Standing, checklist, open_points
from app.db import Database
from tests.conftest import NOW
from tests.pages import read, submit
from tests.runs.campaigns import ID, event, opened, recorded, run

PAGE = f"/campaigns/{ID}/closing"
DESK = "form#desk-form"
LOST, STOPPED = "#silent button[value=lost]", "#silent button[value=stopped]"
LATER = NOW + timedelta(hours=4)


@pytest.fixture(autouse=True)
def hours_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's clock stands hours after the runs of these tests reported."""
    monkeypatch.setenv("PUNKTUM_NOW", LATER.isoformat())


def _three_silent_runs(database: Database) -> None:
    opened(database)
    for n in range(3):
        recorded(database, event(1, "start", run=f"s-{n}", attempt_id=str(n) * 32))
    alive = event(1, "start", run="alive", attempt_id="a" * 32, expect_next_s=86_400)
    recorded(database, alive, now=LATER - timedelta(minutes=1))


def _statuses(database: Database) -> list[str]:
    return [run(database, f"s-{n}", clock.now()).status for n in range(3)]


def test_the_desk_lists_silent_runs_alone(client: TestClient, database: Database) -> None:
    _three_silent_runs(database)
    tree = read(client.get(PAGE))
    boxes = [box.attributes["name"] for box in tree.css("#silent input[type=checkbox]")]
    assert boxes == ["silent.s-0", "silent.s-1", "silent.s-2"]
    label = tree.css_first("#silent label")
    assert label is not None
    assert label.text().startswith("s-0, Control: no sign since")


@pytest.mark.parametrize(("button", "status"), [(LOST, "lost"), (STOPPED, "stopped")])
def test_the_chosen_ones_are_ended_with_one_reason(
    client: TestClient, database: Database, button: str, status: str
) -> None:
    _three_silent_runs(database)
    said = {"silent.s-0": "yes", "silent.s-2": "yes", "silent_reason": "The box is gone."}
    assert submit(client, PAGE, DESK, said, button).status_code == 303
    assert _statuses(database) == [status, "running", status]
    assert run(database, "s-2", clock.now()).reason_text == "The box is gone."
    left = read(client.get(PAGE)).css("#silent input[type=checkbox]")
    assert [box.attributes["name"] for box in left] == ["silent.s-1"]


@pytest.mark.parametrize(
    "said",
    [{"silent.s-0": "yes"}, {"silent_reason": "gone"}, {"silent.s-0": "yes", "silent_reason": " "}],
)
def test_a_choice_and_a_reason_are_needed_and_what_was_typed_stays(
    client: TestClient, database: Database, said: dict[str, str]
) -> None:
    _three_silent_runs(database)
    answer = submit(client, PAGE, DESK, {**said, "conclusion": "None passes."}, LOST)
    assert answer.status_code == 422
    tree = read(answer)
    assert tree.css_first("#f-silent_reason-error") is not None
    area = tree.css_first("textarea[name=conclusion]")
    assert area is not None
    assert area.text().strip() == "None passes."
    assert _statuses(database) == ["running"] * 3


def test_one_that_reports_again_refuses_all(client: TestClient, database: Database) -> None:
    _three_silent_runs(database)
    desk = client.get(PAGE)
    assert desk.status_code == 200
    recorded(database, event(2, run="s-1", attempt_id="1" * 32, expect_next_s=900), now=LATER)
    entries = _head(database)
    reason = {"silent_reason": "gone", "how": "lost"}
    form = {**reason, "silent.s-0": "yes", "silent.s-1": "yes", **_token(client)}
    answer = client.post(f"{PAGE}/silent", data=form)
    assert answer.status_code == 409
    assert (_statuses(database), _head(database)) == (["running"] * 3, entries)


def test_what_was_typed_for_the_close_is_carried_along(
    client: TestClient, database: Database
) -> None:
    _three_silent_runs(database)
    said = {"silent.s-0": "yes", "silent_reason": "gone", "conclusion": "None passes."}
    answer = submit(client, PAGE, DESK, said, LOST)
    assert answer.status_code == 200
    tree = read(answer)
    area, notice = tree.css_first("textarea[name=conclusion]"), tree.css_first("form .notice")
    assert area is not None
    assert notice is not None
    assert area.text().strip() == "None passes."
    assert notice.text(strip=True) == "1 run is marked as lost."
    assert _statuses(database) == ["lost", "running", "running"]


def _head(database: Database) -> int:
    with database.read() as session:
        return journal.read_head(session, ID).number


def _token(client: TestClient) -> dict[str, str]:
    field = read(client.get(PAGE)).css_first(f"{DESK} input[name=csrf_token]")
    assert field is not None
    return {"csrf_token": str(field.attributes["value"])}


def test_a_rule_that_was_never_evaluated_is_red(client: TestClient, database: Database) -> None:
    opened(database)
    recorded(database, event(1, "start"), event(2, metrics={"other": 1}))
    red = [line.text(strip=True) for line in read(client.get(PAGE)).css(".checklist .c-fail")]
    assert red == ["Stop rule loss-not-finite was never judged"]
    recorded(database, event(3, metrics={"loss": 1}))
    assert read(client.get(PAGE)).css(".checklist .c-fail") == []


def test_each_rule_is_a_point_of_its_own_and_stands_first() -> None:
    points = checklist(Standing((), ("a", "b"), ("pilot",), (), 0, 0, (), 0))
    assert [str(point.said) for point in points if point.is_red] == [
        "Stop rule a was never judged",
        "Stop rule b was never judged",
    ]
    assert [point.is_red for point in points[:3]] == [True, True, False]
    assert open_points(points) == 3
