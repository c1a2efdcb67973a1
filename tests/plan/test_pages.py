"""The pages of a plan as a person uses them, without scripts: read, edit, seal, go back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node

from app.db import Database
from app.main import create_app
from app.plan.queries import PlanView, draft
from app.plan.queries import sealed as sealed_view
from app.plan.rules.model import Checkpoint, Parts, Plan, PlannedLot, StepClass
from app.settings import Settings
from tests.pages import read, submit
from tests.plan.drafts import longer, sample, saved, sealed, small
from tests.runs import campaigns as jobs

PLAN = "/campaigns/small/plan"
FORM = "form#part-form"


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("PUNKTUM_NOW", "2026-12-01T14:12:33Z")
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


def words(node: HTMLParser | Node | None) -> str:
    assert node is not None
    return " ".join(node.text(separator=" ").replace("\xa0", " ").split())


def part(response: Response, where: str) -> str:
    assert response.status_code == 200
    return words(read(response).css_first(where))


def attribute(page: HTMLParser, where: str, name: str) -> str | None:
    node = page.css_first(where)
    assert node is not None
    return node.attributes[name]


def the_draft(database: Database, id_: str = "small") -> PlanView:
    with database.read() as session:
        view = draft(session, id_)
    assert view is not None
    return view


def steps(plan: Plan) -> list[str]:
    return [step.id for step in plan.steps]


def test_the_page_says_whether_it_fits_and_promises_no_more(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, sample())
    page = read(browser.get("/campaigns/invoice-adapter/plan"))
    fit = words(page.css_first("#fit"))
    assert "fits, 24 h uncommitted" in fit
    assert "neither installation nor run time is promised by the provider" in fit
    rows = page.css("#steps tbody tr")
    assert [row.attributes["id"] for row in rows[:3]] == [
        "step-prepare", "step-data-check", "step-pilot",
    ]  # fmt: skip
    assert "10.0 h 20.0 h" in words(page.css_first("#step-control"))
    assert "Exploratory, not included" in words(page.css_first("#step-longer-context"))
    assert len(page.css("#fit svg.plan-drawing rect.ghost")) == 11


def test_a_plan_that_is_too_long_says_by_how_much(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, longer(small(), 72))
    fit = part(browser.get(PLAN), "#fit")
    assert "Exceeds the lot by 6 h" in fit
    assert "78 h; no plan can be shorter than 78 h" in fit
    assert "−6" not in fit


def test_what_found_no_room_is_named(browser: TestClient, sqlite: Database) -> None:
    plan = longer(small(), 60)
    extra = replace(
        plan.steps[1], id="extra", title="One more", klass=StepClass.USEFUL, p50_s=36_000
    )
    saved(sqlite, replace(plan, steps=(*plan.steps, extra)))
    assert "One more" in part(browser.get(PLAN), "#fit")


def test_times_on_the_campaigns_clock_where_the_lot_has_a_start(
    browser: TestClient, sqlite: Database
) -> None:
    at = datetime(2026, 12, 7, 7, tzinfo=UTC)
    lot = PlannedLot("lot-1", offer="iteragpu/rtx-4090/3d", starts_at=at)
    saved(sqlite, replace(small(), lots=(lot,)))
    assert "Mon, 7 Dec, 12:00" in part(browser.get(PLAN), "#step-train")


def test_steps_are_edited_in_their_table(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    done = submit(browser, f"{PLAN}/edit/steps", FORM, {"steps.1.p50": "12 h", "action": "save"})
    assert (done.status_code, done.headers["location"]) == (303, f"{PLAN}/edit/steps")
    assert the_draft(sqlite).plan == longer(small(), 12)
    after = browser.get(f"{PLAN}/edit/steps")
    assert "Saved. Answer after 18 h: fits, 54 h uncommitted." in part(after, ".flash")


def test_buttons_move_add_and_remove_without_saving_and_keep_what_was_typed(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    typed = {"steps.2.title": "Fetch all of it", "action": "up:steps:2"}
    moved = submit(browser, f"{PLAN}/edit/steps", FORM, typed)
    page = read(moved)
    titles = [node.attributes["value"] for node in page.css("[name$='.title']")]
    assert titles[:3] == ["Prepare", "Fetch all of it", "Train"]
    assert "As typed, not saved yet" in words(page.css_first("#fit"))
    assert the_draft(sqlite).plan == small()
    for action, count in (("add:steps", 4), ("remove:steps:0", 2), ("copy:steps:1", 4)):
        again = submit(browser, f"{PLAN}/edit/steps", FORM, {"action": action})
        assert len(read(again).css("#rows-steps > [data-row]")) == count


def test_a_new_row_becomes_a_step(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    row = {"title": "Error analysis", "kind": "human", "class": "essential", "p50": "3h",
           "after": "train"}  # fmt: skip
    typed = {f"steps.3.{name}": value for name, value in row.items()}
    assert submit(browser, f"{PLAN}/edit/steps", FORM, typed).status_code == 303
    assert steps(the_draft(sqlite).plan) == ["prepare", "train", "retrieve", "error-analysis"]


def test_a_bad_field_is_named_and_everything_typed_comes_back(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    typed = {"steps.0.title": "Prepare all", "steps.1.p50": "48", "steps.2.after": "trian"}
    refused = submit(browser, f"{PLAN}/edit/steps", FORM, typed)
    assert refused.status_code == 422
    page = read(refused)
    assert "48 h" in words(page.css_first("#f-steps-1-p50-error"))
    assert attribute(page, "[name='steps.0.title']", "value") == "Prepare all"
    assert attribute(page, "[name='steps.1.p50']", "aria-invalid") == "true"
    assert attribute(page, "#errors a", "href") == "#f-steps-1-p50"
    assert the_draft(sqlite).plan == small()
    mended = submit(browser, f"{PLAN}/edit/steps", FORM, {"steps.2.after": "trian"})
    assert "did you mean “train”" in words(read(mended).css_first("#f-steps-2-after-error"))


def test_two_editors_keep_what_each_typed(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    saved(sqlite, longer(small(), 12), revision=1)
    typed = {"revision": "1", "steps.0.p50": "5h", "steps.1.p50": "10h"}
    refused = submit(browser, f"{PLAN}/edit/steps", FORM, typed)
    assert refused.status_code == 409
    page = read(refused)
    assert attribute(page, "[name='steps.0.p50']", "value") == "5h"
    assert attribute(page, "[name='revision']", "value") == "2"
    assert the_draft(sqlite).plan == longer(small(), 12)
    again = submit(browser, f"{PLAN}/edit/steps", FORM, {**typed, "revision": "2"})
    assert again.status_code == 303
    assert the_draft(sqlite).plan.steps[0].p50_s == 5 * 3600


def test_everything_about_one_step(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, sample())
    here = "/campaigns/invoice-adapter/plan/edit/steps/variant-b"
    typed = {
        "steps.7.id": "rank-32", "steps.7.parts.train": "9h", "steps.7.needed_if": "",
        "steps.7.follows": ["variant-a", "longer-context"], "steps.7.checkpoint.size": "2 GiB",
    }  # fmt: skip
    done = submit(browser, here, FORM, typed)
    assert done.status_code == 303
    plan = the_draft(sqlite, "invoice-adapter").plan
    step = plan.steps[7]
    assert (step.id, step.needed_if, step.follows) == (
        "rank-32", None, ("variant-a", "longer-context"),
    )  # fmt: skip
    assert step.parts is not None
    assert step.checkpoint is not None
    assert (step.parts.train_s, step.parts.load_s) == (9 * 3600, 1200)
    assert (step.checkpoint.size_bytes, step.checkpoint.write_s) == (2 * 1024**3, 120)
    assert "rank-32" in plan.stop_rules[2].steps
    bad = submit(browser, here.replace("variant-b", "control"), FORM, {"steps.5.p50": "10h"})
    assert bad.status_code == 422
    assert "keep one of them" in words(read(bad).css_first("#f-steps-5-p50-error"))


def test_from_the_table_to_a_step_and_on_to_the_next(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    typed = {"steps.1.p50": "11h", "action": "open:1"}
    opened = submit(browser, f"{PLAN}/edit/steps", FORM, typed)
    assert opened.headers["location"] == f"{PLAN}/edit/steps/train"
    assert the_draft(sqlite).plan.steps[1].p50_s == 11 * 3600
    on = submit(browser, f"{PLAN}/edit/steps/train", FORM, {"action": "open:retrieve"})
    assert on.headers["location"] == f"{PLAN}/edit/steps/retrieve"


@pytest.mark.parametrize(
    ("slug", "typed"),
    [
        ("lots", {"lots.0.offer": "iteragpu/rtx-4090/7d"}),
        ("stop-rules", {"stop_rules.0.kind": "below", "stop_rules.0.metric": "f1",
                        "stop_rules.0.value": "0,5", "stop_rules.0.steps": "train"}),
        ("corpora", {"corpora.0.id": "eval", "corpora.0.ids": "a\r\nb"}),
        ("uncertainties", {"uncertainties.0.text": "How long do long inputs take?"}),
    ],
)  # fmt: skip
def test_the_other_lists_of_a_plan(
    browser: TestClient, sqlite: Database, slug: str, typed: dict[str, str]
) -> None:
    saved(sqlite, small())
    assert submit(browser, f"{PLAN}/edit/{slug}", FORM, typed).status_code == 303
    plan = the_draft(sqlite).plan
    found = {
        "lots": plan.lots[0].offer == "iteragpu/rtx-4090/7d",
        "stop-rules": [(r.id, str(r.value), r.steps) for r in plan.stop_rules]
        == [("f1-below", "0.5", ("train",))],
        "corpora": [one.ids for one in plan.corpora] == [("a", "b")],
        "uncertainties": [one.id for one in plan.uncertainties] == ["how-long-do-long-inputs-take"],
    }
    assert found[slug]


def test_a_local_time_that_happens_twice_is_asked_with_two_buttons(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    typed = {"lots.0.starts_at": "2026-10-25T02:30"}
    asked = submit(browser, f"{PLAN}/edit/lots", FORM, typed)
    assert asked.status_code == 422
    choices = read(asked).css("[name='lots.0.starts_at_fold'][type=radio]")
    assert [node.attributes["value"] for node in choices] == ["first", "second"]
    answered = submit(
        browser, f"{PLAN}/edit/lots", FORM, {**typed, "lots.0.starts_at_fold": "second"}
    )
    assert answered.status_code == 303
    assert the_draft(sqlite).zero_at == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    again = read(browser.get(f"{PLAN}/edit/lots"))
    assert attribute(again, "[name='lots.0.starts_at']", "value") == "2026-10-25T02:30"
    assert attribute(again, "[name='lots.0.starts_at_fold']", "value") == "second"


def test_standing_decisions_of_the_plans_decision_points(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, sample())
    here = "/campaigns/invoice-adapter/plan/edit/decision-points"
    wrong = submit(browser, here, FORM, {"decision_points.0.standing": "continue when it rains"})
    assert wrong.status_code == 422
    right = submit(browser, here, FORM, {"decision_points.0.standing": "continue if no rule fired"})
    assert right.status_code == 303
    (point,) = the_draft(sqlite, "invoice-adapter").plan.decision_points
    assert point.standing == "continue if no rule fired"


def test_sealing_shows_the_promise_and_the_checklist(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    page = browser.get(f"{PLAN}/seal")
    assert "an answer 16 h after the lot begins" in part(page, "#promise")
    checklist = part(page, "#belongings")
    assert "A pilot with a decision point after it: no step has this part" in checklist
    assert "Retrieval of the outputs" in checklist
    assert words(read(page).css_first("#seal-form .primary")) == "Seal all the same"
    done = submit(browser, f"{PLAN}/seal", "form#seal-form")
    assert done.status_code == 303
    with sqlite.read() as session:
        view = sealed_view(session, "small")
    assert view is not None
    assert view.sha256 is not None
    shown = browser.get(PLAN)
    assert view.sha256 in part(shown, "#seal")
    assert view.sha256 in part(shown, ".flash")
    assert "Version 1" in part(shown, "#versions")


def test_a_second_version_needs_a_reason_that_is_not_lost(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    sealed(sqlite, "small")
    assert "Nothing differs from version 1" in part(browser.get(f"{PLAN}/seal"), "main")
    saved(sqlite, longer(small(), 20), revision=1)
    assert "Train P50 10h 20h" in part(browser.get(PLAN), "#changes")
    bare = submit(browser, f"{PLAN}/seal", "form#seal-form", {"reason": " "})
    assert bare.status_code == 422
    assert "needs a reason" in words(read(bare).css_first("#f-reason-error"))
    moved = submit(
        browser, f"{PLAN}/seal", "form#seal-form", {"reason": "It took longer.", "revision": "1"}
    )
    assert moved.status_code == 409
    assert words(read(moved).css_first("[name=reason]")) == "It took longer."
    done = submit(browser, f"{PLAN}/seal", "form#seal-form", {"reason": "It took longer."})
    assert done.status_code == 303
    first = part(browser.get(f"{PLAN}/versions/1"), "#steps")
    second = part(browser.get(f"{PLAN}/versions/2"), "#steps")
    assert "4.0 h 14.0 h" in first
    assert "4.0 h 24.0 h" in second
    assert "It took longer." in part(browser.get(PLAN), "#seal")


def test_a_plan_that_cannot_be_sealed_says_why_and_has_no_button(
    browser: TestClient, sqlite: Database
) -> None:
    plan = small()
    saved(sqlite, replace(plan, steps=(replace(plan.steps[0], p50_s=None), *plan.steps[1:])))
    page = browser.get(f"{PLAN}/seal")
    assert "has no estimate" in part(page, ".n-fail")
    assert read(page).css_first("form#seal-form") is None


def test_changes_since_the_seal_are_discarded_by_a_confirmed_button(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    sealed(sqlite, "small")
    saved(sqlite, longer(small(), 20), revision=1)
    done = submit(browser, PLAN, "#discard form")
    assert (done.status_code, done.headers["location"]) == (303, PLAN)
    assert the_draft(sqlite).plan.steps == small().steps


def test_a_draft_is_deleted_only_by_its_typed_id(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    assert submit(browser, PLAN, "#delete form", {"id": "smal"}).status_code == 409
    assert browser.get(PLAN).status_code == 200
    assert submit(browser, PLAN, "#delete form", {"id": "small"}).status_code == 303
    assert browser.get(PLAN).status_code == 404


@pytest.mark.parametrize(
    "path",
    ["/campaigns/none/plan", f"{PLAN}/versions/7", f"{PLAN}/edit/nothing",
     f"{PLAN}/edit/steps/nobody", "/campaigns/none/plan/edit/steps", "/campaigns/none/plan/seal"],
)  # fmt: skip
def test_what_is_not_there(browser: TestClient, sqlite: Database, path: str) -> None:
    saved(sqlite, small())
    assert browser.get(path).status_code == 404


@pytest.mark.parametrize("path", ["edit/steps", "edit/lots", "edit/steps/train", "seal", "discard"])
def test_a_form_without_its_token_is_refused(
    browser: TestClient, sqlite: Database, path: str
) -> None:
    saved(sqlite, small())
    assert browser.post(f"{PLAN}/{path}", data={"steps.0.title": "?"}).status_code == 403


def risky(plan: Plan) -> Plan:
    """The small plan with a measured checkpoint, parts, a P90, and steps that may not be in it."""
    at = datetime(2026, 12, 7, 7, tzinfo=UTC)
    prepare, train, retrieve = plan.steps
    parts = Parts(load_s=1200, train_s=33_000, write_s=1800)
    train = replace(
        train, p50_s=None, p90_s=54_000, parts=parts,
        checkpoint=Checkpoint(120, 300, 3600, 86_400, 40 * 2**30),
    )  # fmt: skip
    useful = replace(train, id="more", title="More", klass=StepClass.USEFUL, checkpoint=None)
    curious = replace(useful, id="curious", title="Curious", klass=StepClass.EXPLORATORY)
    long = replace(curious, id="long", title="Long", parts=replace(parts, train_s=200_000))
    return replace(
        plan,
        lots=(PlannedLot("lot-1", offer="iteragpu/rtx-4090/3d", starts_at=at),),
        transfer_rate_bps=200_000_000,
        steps=(prepare, train, useful, curious, replace(long, p90_s=None), retrieve),
    )


def test_the_chance_is_drawn_in_a_request_of_its_own(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, risky(small()))
    fit = read(browser.get(PLAN)).css_first("#fit #chance")
    assert fit is not None
    href = attribute(read(browser.get(PLAN)), "#chance a", "href")
    assert fit.attributes["hx-get"] == href == f"{PLAN}/draft/chance"
    whole = part(browser.get(href), "main #chance")
    assert "Chance of fitting: more than 99 in 100" in whole
    assert "2,000 draws of the durations, common factor 0.5 for machine steps" in whole
    assert "Steps without a P90 count as fixed: Prepare, Retrieve" in whole
    block = browser.get(href, headers={"HX-Request-Type": "partial"})
    assert words(read(block).css_first("#chance")) == whole
    assert read(block).css_first("main") is None


def test_no_chance_is_made_up_without_a_spread(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    page = read(browser.get(PLAN))
    assert "No spread stated" in words(page.css_first("#chance"))
    assert page.css_first("#chance a") is None
    assert "No spread stated" in part(browser.get(f"{PLAN}/draft/chance"), "main")


def test_a_sealed_version_has_its_chance_and_an_unknown_one_is_not_found(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, risky(small()))
    sealed(sqlite, "small")
    href = attribute(read(browser.get(PLAN)), "#chance a", "href")
    assert href == f"{PLAN}/versions/1/chance"
    assert "Chance of fitting" in part(browser.get(href), "main #chance")
    assert browser.get(f"{PLAN}/versions/2/chance").status_code == 404
    assert browser.get("/campaigns/nobody/plan/draft/chance").status_code == 404


def test_every_step_says_its_parts_what_they_forget_and_how_often_to_save(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, risky(small()))
    page = read(browser.get(PLAN))
    assert "no part for: long inputs, validation" in words(page.css_first("#step-train"))
    assert page.css_first("#step-prepare .forgotten") is None
    train = words(page.css_first("#estimates #estimate-train"))
    assert "Loading 20 min Training 9 h 10 min Writing output files 30 min Sum 10 h" in train
    assert "Save every 1 h; costs 2 min each (3.3 %)" in train
    assert "Daly's interval (1 h 15 min) and the work one can bear to lose (1 h)" in train
    assert "Last safe save: Thu, 10 Dec, 07:15, 44 min 57 s before the end of lot-1" in train
    assert "How often to save cannot be worked out yet" in words(page.css_first("#estimate-more"))
    formulas = words(page.css_first("#estimates details#formulas"))
    assert "Young 1974" in formulas
    assert "Daly 2006" in formulas
    assert len(page.css("#formulas")) == 1


def test_the_reserve_has_a_line_and_a_bar_of_its_own(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, risky(small()))
    page = read(browser.get(PLAN))
    reserve = words(page.css_first("#step-train-reserve"))
    assert reserve.startswith("Reserve of Train Kept for saves and interruptions")
    assert "36 min" in reserve
    assert "10 h" in words(page.css_first("#step-train"))
    (bar,) = page.css("#fit svg.plan-drawing rect.reserve")
    assert "Reserve of Train: hour 14 to hour 14:36" in words(bar)


def test_what_may_be_dropped_and_what_would_fit_is_said(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, risky(small()))
    page = read(browser.get(PLAN))
    assert "may be dropped" in words(page.css_first("#step-more"))
    assert "may be dropped" not in words(page.css_first("#step-train"))
    assert "not included; would fit" in words(page.css_first("#step-curious"))
    assert "not included; does not fit (" in words(page.css_first("#step-long"))


def test_the_page_of_a_step_says_the_same_of_it_as_saved(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, risky(small()))
    page = read(browser.get(f"{PLAN}/edit/steps/train"))
    assert "Save every 1 h; costs 2 min each (3.3 %)" in words(page.css_first("#saving"))
    assert "Sum 10 h" in words(page.css_first("#saving"))
    assert "no part for: long inputs, validation" in words(page.css_first("#g-parts"))
    people = read(browser.get(f"{PLAN}/edit/steps/prepare"))
    assert people.css_first("#saving") is None


def test_interruptions_that_were_observed_are_said_with_their_limits(
    browser: TestClient, sqlite: Database
) -> None:
    here = f"/campaigns/{jobs.opened(sqlite)}/plan/edit/steps/control"
    assert read(browser.get(here)).css_first("#saving .observed") is None
    hours_72: dict[str, Any] = {
        "at": (jobs.BEGAN + timedelta(hours=72)).isoformat(),
        "elapsed_s": 72 * 3600,
    }
    jobs.recorded(sqlite, jobs.event(1, "start"), jobs.event(2, **hours_72))
    told = part(browser.get(here), "#saving .observed")
    assert "0 interruptions in 3 d of machine time" in told
    assert "at least 24.03 h (95 %)" in told
    jobs.recorded(sqlite, jobs.event(3, "fail", reason_code="infra", signal=9, **hours_72))
    told = part(browser.get(here), "#saving .observed")
    assert "1 interruption in 3 d of machine time" in told
    assert "72 h (15.18 … 1,403.69, 90 %)" in told
