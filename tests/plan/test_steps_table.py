"""The table of steps as typed: what is said of it, each button taken back, the usual protocol."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from app.db import Database
from app.main import create_app
from app.plan.queries import draft
from app.plan.rules.lots import LotWindow
from app.plan.rules.model import Checkpoint, Parts, Plan
from app.plan.rules.schedule import keep_plan
from app.plan.rules.typed.echoing import Echo, echoes_placed, echoes_read
from app.plan.rules.typed.pattern import usual_protocol
from app.plan.rules.typed.rows import NUMBER, Row, act, numbered, undo_of
from app.settings import Settings
from tests.pages import fields, read, send, submit
from tests.plan.drafts import saved, small

EDIT = "/campaigns/small/plan/edit/steps"
FIT = "/campaigns/small/plan/edit/fit"
FORM = "form#part-form"
HOUR_S = 3600
START = datetime(2026, 10, 24, 20, tzinfo=UTC)
"""Ten in the evening in Berlin; the clock goes back five hours later."""


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", "2026-12-01T14:12:33Z")
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def window(starts_at: datetime | None = None) -> LotWindow:
    """72 hours of one GPU."""
    return LotWindow("lot-1", None, None, 1, 0, 4320, 4320, None, None, starts_at)


def words(page: HTMLParser, where: str) -> str:
    node = page.css_first(where)
    assert node is not None, where
    return " ".join(node.text(separator=" ").replace("\xa0", " ").split())


def asked(browser: TestClient, typed: dict[str, str]) -> Response:
    """What htmx asks a moment after a change."""
    form = read(browser.get(EDIT)).css_first(FORM)
    assert form is not None
    data = {**fields(form), **typed}
    return browser.post(FIT, data=data, headers={"HX-Request-Type": "partial"})


def plan_of(database: Database) -> tuple[Plan, int | None]:
    with database.read() as session:
        view = draft(session, "small")
    assert view is not None
    return view.plan, view.revision


def typed_rows(page: HTMLParser) -> list[Row]:
    """The rows of the form in their order, without the numbers that they had."""
    form = page.css_first(FORM)
    assert form is not None
    flat = {name: str(value) for name, value in fields(form).items()}
    rows = numbered(flat, "steps")
    return [{key: value for key, value in row.items() if key != NUMBER} for row in rows]


def test_the_fit_is_said_and_nothing_is_saved(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    answer = asked(browser, {"steps.1.p50": "1d 6h", "steps.1.p90": "40h"})
    assert answer.status_code == 200
    block = read(answer)
    assert block.css_first("main") is None
    assert words(block, "#fit [role=status]") == "Answer after 36 h: fits, 36 h uncommitted"
    assert "As typed, not saved yet." in words(block, "#fit .note")
    echo = words(block, "[data-said='f-steps-1-said']")
    assert echo == "= 1 d 6 h, P90 1 d 16 h, ends after 34 h"
    assert plan_of(sqlite) == (small(), 1)


def test_what_is_refused_is_said_of_the_row_that_it_is_in(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    blank = {f"steps.1.{name}": "" for name in ("title", "id", "p50", "p90", "after", "was")}
    rows = {"steps.7.title": "More", "steps.7.p50": "48", "steps.7.kind": "machine",
            "steps.9.title": "Last", "steps.9.p50": "90 min", "steps.9.after": "prepar",
            "steps.9.kind": "human", "steps.9.class": "essential"}  # fmt: skip
    block = read(asked(browser, {**blank, **rows, "steps.2.after": ""}))
    assert "No answer yet" in words(block, "#fit [role=status]")
    assert "48 h" in words(block, "[data-wrong='f-steps-7-p50']")
    assert words(block, "[data-said='f-steps-9-said']") == "= 1 h 30 min"
    assert words(block, "[data-said='f-steps-7-said']") == ""
    assert block.css_first("[data-said='f-steps-1-said']") is None
    mended = read(asked(browser, {**blank, **rows, "steps.2.after": "", "steps.7.p50": "48h",
                                  "steps.7.class": "essential"}))  # fmt: skip
    assert "did you mean “prepare”" in words(mended, "[data-wrong='f-steps-9-after']")


def test_without_scripts_a_button_says_the_same_and_keeps_all_that_was_typed(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    typed = {"steps.0.title": "Prepare all", "steps.1.p50": "48", "action": "fit:steps"}
    page = read(submit(browser, EDIT, FORM, typed))
    assert "No answer yet: 1 value is refused" in words(page, "#fit [role=status]")
    assert 'Did you mean "48 h"?' in words(page, "#f-steps-1-p50-error")
    assert [row["p50"] for row in typed_rows(page)] == ["4h", "48", "2h"]
    assert typed_rows(page)[0]["title"] == "Prepare all"
    assert words(page, "#f-steps-0-said") == "= 4 h"


@pytest.mark.parametrize(
    "action", ["remove:steps:0", "remove:steps:2", "up:steps:2", "down:steps:0", "copy:steps:1",
               "below:steps:1", "add:steps"],
)  # fmt: skip
def test_each_button_can_be_taken_back(browser: TestClient, sqlite: Database, action: str) -> None:
    saved(sqlite, small())
    before = read(browser.get(EDIT))
    typed = {"steps.2.title": "Fetch", "action": action}
    done = submit(browser, EDIT, FORM, typed)
    assert len(typed_rows(read(done))) != 3 or typed_rows(read(done)) != typed_rows(before)
    undo = read(done).css_first("#undo button[form=part-form]")
    assert undo is not None
    undone = send(browser, done, FORM, {"action": str(undo.attributes["value"])})
    rows = typed_rows(before)
    assert typed_rows(read(undone)) == [*rows[:2], {**rows[2], "title": "Fetch"}]
    kept = send(browser, undone, FORM, {"action": "save"})
    assert kept.status_code == 303
    plan, _ = plan_of(sqlite)
    assert plan.steps == (*small().steps[:2], replace(small().steps[2], title="Fetch"))


def test_what_was_removed_is_named(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    done = read(submit(browser, EDIT, FORM, {"action": "remove:steps:1"}))
    assert "Removed Train." in words(done, "#undo [role=status]")
    bare = read(submit(browser, EDIT, FORM, {"steps.1.title": "", "action": "remove:steps:1"}))
    assert "Removed 2." in words(bare, "#undo [role=status]")


@pytest.mark.parametrize("action", ["up:steps:4", "down:steps:9", "remove:steps:5", "fit:steps",
                                    "put:steps:1", "down:steps:x"])  # fmt: skip
def test_a_button_that_changes_nothing_offers_nothing(action: str) -> None:
    rows = [{NUMBER: "4", "title": "a"}, {NUMBER: "9", "title": "b"}]
    assert act(rows, action, "steps", {}) == rows
    assert undo_of(rows, action, "steps") is None


def test_a_plan_without_steps_starts_from_the_usual_protocol(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, replace(small(), steps=()))
    page = browser.get(EDIT)
    typed = {"steps.0.title": "One more", "steps.0.p50": "2h"}
    done = send(browser, page, FORM, typed, "button[value=pattern]")
    assert (done.status_code, done.headers["location"]) == (303, EDIT)
    plan, _ = plan_of(sqlite)
    usual = [step["id"] for step in usual_protocol(str)["steps"]]
    assert [step.id for step in plan.steps] == [*usual, "one-more"]
    assert [str(step.role) for step in plan.steps if step.id == "control"] == ["control"]
    assert [point.step for point in plan.decision_points] == ["pilot-decision"]
    assert read(browser.get(EDIT)).css_first("button[value=pattern]") is None
    again = submit(browser, EDIT, FORM, {"action": "pattern"})
    assert again.status_code == 303
    assert len(plan_of(sqlite)[0].steps) == len(usual) + 1


def test_a_typed_id_that_the_usual_protocol_has_too_is_refused_and_stays(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, replace(small(), steps=()))
    typed = {"steps.0.title": "Mine", "steps.0.id": "pilot", "action": "pattern"}
    refused = submit(browser, EDIT, FORM, typed)
    assert refused.status_code == 422
    page = read(refused)
    assert "pilot" in words(page, "#errors")
    assert [row["title"] for row in typed_rows(page)] == ["Mine"]
    assert plan_of(sqlite)[0].steps == ()


def test_variants_from_axes_are_one_link_away(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    link = read(browser.get(EDIT)).css_first(".add-row a")
    assert link is not None
    assert browser.get(str(link.attributes["href"])).status_code == 200


def test_the_fit_needs_the_forms_token(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    assert browser.post(FIT, data={"steps.0.title": "?"}).status_code == 403
    assert browser.post(FIT.replace("small", "none"), data={}).status_code in (403, 404)


def test_ends_are_on_the_campaigns_clock_across_a_change_of_it() -> None:
    plan = small()
    lots = (window(START),)
    found = echoes_placed(plan, keep_plan(plan, lots).schedule, lots)
    assert [f"{one.ends_at:%H:%M}" for one in found] == ["02:00", "11:00", "13:00"]
    assert [one.end_min for one in found] == [240, 840, 960]


def test_a_reserve_is_no_part_of_the_run_and_parts_are_summed() -> None:
    plan = small()
    parts = Parts(load_s=HOUR_S, train_s=9 * HOUR_S)
    often = Checkpoint(120, 300, HOUR_S, 4 * HOUR_S)
    train = replace(plan.steps[1], p50_s=None, parts=parts, checkpoint=often)
    plan = replace(plan, steps=(plan.steps[0], train, plan.steps[2]))
    lots = (window(),)
    made = keep_plan(plan, lots).schedule
    assert any(bar.reserve for bar in made.placements)
    _, echo, last = echoes_placed(plan, made, lots)
    assert (echo.p50_s, echo.by_parts, echo.end_min) == (10 * HOUR_S, True, 14 * 60)
    assert echo.ends_at is None
    assert last.end_min is not None


def test_lengths_are_read_as_the_plan_reads_them() -> None:
    tables = [{"p50": "1d 6h", "p90": "1,5 h"}, {"p50": "48"}, {}]
    assert echoes_read(tables) == [Echo(30 * HOUR_S, 5400), Echo(), Echo()]
    assert Echo(end_min=-60).ends_after is None
    assert Echo(end_min=60, ends_at=START + timedelta(hours=1)).ends_after is None
