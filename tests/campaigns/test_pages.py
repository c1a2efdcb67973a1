"""The list, the form of a campaign and its overview, without scripts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node

from app.campaigns.queries import all_ids
from app.db import Database, WriteSession
from app.main import create_app
from app.plan.queries import draft
from app.plan.rules.belongings import belongings
from app.plan.rules.document import to_document
from app.plan.rules.model import Plan
from app.settings import Settings
from tests.pages import read, submit
from tests.plan.drafts import longer, sample, saved, sealed, small

FORM = "form#campaign-form"


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


def the_draft(database: Database, id_: str) -> Plan:
    with database.read() as session:
        view = draft(session, id_)
    assert view is not None
    return view.plan


def filled(**more: str) -> dict[str, str]:
    """A whole new campaign as typed."""
    return {
        "campaign.question": "Which rank do we ship?",
        "campaign.zone": "Europe/Berlin",
        "decision_rule.metric": "f1",
        "decision_rule.gain_over_control": "0,02",
        "decision_rule.yes": "Ship it.",
        "decision_rule.no": "Keep the control.",
        "deliverables.0.title": "Predictions",
        "deliverables.0.unit": "yes",
        "deliverables.0.checks.0.use": "yes",
        "deliverables.1.title": "",
        "deliverables.2.title": "",
        "start": "empty",
        **more,
    }


def test_an_empty_house_offers_three_ways_to_begin(browser: TestClient) -> None:
    page = read(browser.get("/campaigns"))
    links = [node.attributes["href"] for node in page.css(".empty a")]
    assert links == ["/campaigns/new", "/campaigns/import"]
    loaded = submit(browser, "/campaigns", ".empty form")
    assert loaded.headers["location"] == "/campaigns/invoice-adapter"
    assert "Which adapter rank" in part(browser.get("/campaigns"), "#c-invoice-adapter")


def test_the_list_says_each_answer_and_what_is_next(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    saved(sqlite, longer(small("too-long", "Does it help?"), 72))
    sealed(sqlite, "small")
    page = browser.get("/campaigns")
    line = part(page, "#c-small")
    assert "Is it worth it?" in line
    assert "Sealed" in line
    assert "56 h to spare" in line
    assert "72 h, not begun" in line
    assert "Next: Log the order of lot-1." in line
    assert "Exceeds the lot by 6 h" in part(page, "#c-too-long")


def test_a_long_list_goes_on(browser: TestClient, sqlite: Database) -> None:
    for number in range(26):
        saved(sqlite, small(f"c-{number:02}"))
    first = read(browser.get("/campaigns"))
    assert len(first.css("li.campaign")) == 25
    more = first.css_first("p.actions a")
    assert more is not None
    second = read(browser.get(str(more.attributes["href"])))
    assert [node.attributes["id"] for node in second.css("li.campaign")] == ["c-c-25"]


def test_a_new_campaign_from_its_form(browser: TestClient, sqlite: Database) -> None:
    done = submit(browser, "/campaigns/new", FORM, filled())
    here = "/campaigns/which-rank-do-we-ship/plan/edit/steps"
    assert (done.status_code, done.headers["location"]) == (303, here)
    document = to_document(the_draft(sqlite, "which-rank-do-we-ship"))
    assert document["decision_rule"] == {
        "metric": "f1", "better": "higher", "take": "final", "gain_over_control": "0.02",
        "yes": "Ship it.", "no": "Keep the control.",
    }  # fmt: skip
    assert document["deliverables"] == [
        {"id": "predictions", "title": "Predictions", "kind": "predictions", "unit": True,
         "checks": [{"kind": "non_empty"}, {"kind": "no_temporary_paths"}]}
    ]  # fmt: skip
    assert browser.get(here).status_code == 200


def test_the_usual_protocol_to_begin_with(browser: TestClient, sqlite: Database) -> None:
    submit(browser, "/campaigns/new", FORM, filled(start="pattern"))
    plan = the_draft(sqlite, "which-rank-do-we-ship")
    assert [step.id for step in plan.steps][:3] == ["prepare", "data-check", "pilot"]
    assert len(plan.stop_rules) == 3


def test_a_new_campaign_announces_what_usually_closes_one(
    browser: TestClient, sqlite: Database
) -> None:
    usual = filled(start="pattern")
    for name in [name for name in usual if name.startswith("deliverables.")]:
        del usual[name]
    submit(browser, "/campaigns/new", FORM, usual)
    plan = the_draft(sqlite, "which-rank-do-we-ship")
    assert [str(one.kind) for one in plan.deliverables] == [
        "predictions",
        "error_analysis",
        "artifact",
    ]
    assert [check.kind for check in plan.deliverables[2].checks][-1] == "reload"
    assert [one for one in belongings(plan) if not one.is_there] == []


def test_the_same_question_again_gets_an_id_of_its_own(
    browser: TestClient, sqlite: Database
) -> None:
    for _ in range(2):
        submit(browser, "/campaigns/new", FORM, filled())
    with sqlite.read() as session:
        assert all_ids(session) == {"which-rank-do-we-ship", "which-rank-do-we-ship-2"}


@pytest.mark.parametrize(
    ("typed", "field", "said"),
    [
        ({"campaign.question": " "}, "campaign-question", "This is needed."),
        ({"campaign.zone": "Berlin"}, "campaign-zone", "Europe/Berlin"),
        ({"campaign.id": "Not So"}, "campaign-id", "not-so"),
        ({"campaign.id": "small"}, "campaign-id", "already"),
        ({"campaign.id": "new"}, "campaign-id", "an address of ours"),
        ({"campaign.id": "Größe"}, "campaign-id", '"grosse"'),
        ({"campaign.id": "a" * 65}, "campaign-id", f'"{"a" * 40}"'),
        ({"decision_rule.metrics": "f1 eval_f1"}, "decision_rule-metrics", "f1 = eval_f1"),
        ({"decision_rule.metrics": "= f1"}, "decision_rule-metrics", "is no pair"),
        ({"decision_rule.metrics": "f1 = a\nf1 = b"}, "decision_rule-metrics", "named twice"),
        ({"decision_rule.gain_over_control": "a lot"}, "decision_rule-gain_over_control", "0.02"),
        ({"decision_rule.threshold": "0.8"}, "decision_rule-gain_over_control", "both"),
        ({"campaign.budget": "1.234"}, "campaign-budget", "1234.00"),
        ({"deliverables.0.checks.4.use": "yes"}, "deliverables-0-checks-2-command", "needed"),
    ],
)
def test_a_bad_field_is_named_and_everything_typed_comes_back(
    browser: TestClient, sqlite: Database, typed: dict[str, str], field: str, said: str
) -> None:
    saved(sqlite, small())
    refused = submit(browser, "/campaigns/new", FORM, filled(**typed))
    assert refused.status_code == 422
    page = read(refused)
    assert said in words(page.css_first(f"#f-{field}-error"))
    assert words(page.css_first("[name='decision_rule.yes']")) == "Ship it."
    title = page.css_first("[name='deliverables.0.title']")
    assert title is not None
    assert title.attributes["value"] == "Predictions"
    with sqlite.read() as session:
        assert all_ids(session) == {"small"}


def test_deliverables_are_added_and_removed_without_scripts(browser: TestClient) -> None:
    added = submit(browser, "/campaigns/new", FORM, filled(action="add:deliverables"))
    page = read(added)
    assert len(page.css("#rows-deliverables > [data-row]")) == 4
    assert words(page.css_first("[name='campaign.question']")) == "Which rank do we ship?"
    more = submit(browser, "/campaigns/new", FORM, filled(action="more:deliverables:0:reload"))
    boxes = read(more).css("#rows-deliverables > [data-row] .check-slot")
    assert len(boxes) == 25


def test_an_edit_changes_only_what_it_says(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, sample())
    here = "/campaigns/invoice-adapter/edit"
    untouched = submit(browser, here, FORM)
    assert (untouched.status_code, untouched.headers["location"]) == (
        303,
        "/campaigns/invoice-adapter",
    )
    assert the_draft(sqlite, "invoice-adapter") == sample()
    submit(browser, here, FORM, {"campaign.question": "Rank 16 or 32?"})
    assert the_draft(sqlite, "invoice-adapter") == replace(sample(), question="Rank 16 or 32?")


def test_an_edit_beside_anothers_loses_nothing(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    saved(sqlite, longer(small(), 12), revision=1)
    typed = {"campaign.question": "Mine?", "revision": "1"}
    refused = submit(browser, "/campaigns/small/edit", FORM, typed)
    assert refused.status_code == 409
    page = read(refused)
    assert words(page.css_first("[name='campaign.question']")) == "Mine?"
    assert the_draft(sqlite, "small") == longer(small(), 12)
    again = submit(browser, "/campaigns/small/edit", FORM, {"campaign.question": "Mine?"})
    assert again.status_code == 303
    assert the_draft(sqlite, "small").question == "Mine?"


def test_an_edit_after_the_seal_says_that_it_is_the_next_version(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    sealed(sqlite, "small")
    page = browser.get("/campaigns/small/edit")
    assert "part of the next version" in part(page, ".notice")


def test_a_closed_campaign_has_no_form(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    sealed(sqlite, "small")

    def close(tx: WriteSession) -> None:
        tx.execute("UPDATE campaign_standings SET state = 'closed', closed_at = sealed_at")

    sqlite.write("small", close)
    assert browser.get("/campaigns/small/edit").status_code == 409
    assert browser.get("/campaigns/small/plan/edit/steps").status_code == 409


def test_the_overview_of_a_draft_leads_to_the_seal(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, sample())
    page = browser.get("/campaigns/invoice-adapter")
    assert "Answer after 48 h" in part(page, ".answer-line")
    assert "beats the control by 0.02 or more" in part(page, "#rule")
    assert "Conclusion: still open" in part(page, "#money")
    assert "0 of 4 deliverables accepted" in part(page, "#money")
    assert "0 passed, 4 not run" in part(page, "#deliverables")
    assert "No run was stopped." in part(page, "#stops")
    main = read(page).css_first(".acts .primary")
    assert main is not None
    assert main.attributes["href"] == "/campaigns/invoice-adapter/plan/seal"


def test_the_overview_of_a_sealed_campaign_leads_to_the_order(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, small())
    made = sealed(sqlite, "small")
    page = browser.get("/campaigns/small")
    assert made.sha256[:16] in part(page, "#plan")
    main = read(page).css_first(".acts .primary")
    assert main is not None
    assert main.attributes["href"] == "/campaigns/small/orders"


@pytest.mark.parametrize("path", ["/campaigns/none", "/campaigns/none/edit"])
def test_what_is_not_there(browser: TestClient, path: str) -> None:
    assert browser.get(path).status_code == 404


def test_the_stop_register_names_run_rule_value_and_what_followed(
    browser: TestClient, sqlite: Database
) -> None:
    saved(sqlite, sample())
    sealed(sqlite, "invoice-adapter")
    here = "?campaign=invoice-adapter"
    for run, attempt, more in (
        ("a-01", "1" * 32, {}),
        ("a-02", "2" * 32, {"parent": "a-01"}),
    ):
        start = {"step": "variant-a", "config_sha256": attempt * 2, "attempt_id": attempt, **more}
        answer = browser.post(f"/api/v1/runs/{run}/start{here}", json=start)
        assert answer.status_code == 200, answer.text
        if run == "a-01":
            beat = {"attempt_id": attempt, "seq": 1, "metrics": {"loss": "nan"}}
            assert browser.post(f"/api/v1/runs/a-01/beat{here}", json=beat).status_code == 200
    line = words(read(browser.get("/campaigns/invoice-adapter")).css_first("#stops tbody tr"))
    assert line.startswith("a-01")
    assert "loss is not finite" in line
    assert "nan" in line
    assert line.endswith("new run a-02")
