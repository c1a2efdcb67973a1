"""The one true path, from the sample to the report, by whatever hands a test has."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import httpx
from playwright.sync_api import Locator, Page, expect

from app.units import instant_text
from tests.browser.hands import Hands

CAMPAIGN = "invoice-adapter"
REFERENCE = "IG-20931"
TITLE = "Checkpoint, then restore at once"


class Job:
    """Posts of training jobs with the token that the page showed."""

    def __init__(self, address: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._client = httpx.Client(base_url=f"{address}/api/v1", headers=headers, trust_env=False)
        self._seq = 0

    def say(self, run: str, kind: str, step: str, **said: Any) -> dict[str, Any]:
        """One event of a run; returns the answer."""
        self._seq += 1
        body = {
            "attempt_id": hashlib.sha256(run.encode()).hexdigest()[:32],
            "source": "main",
            "seq": self._seq,
            "at": instant_text(datetime.now(UTC)),
            "step": step,
            **said,
        }
        if kind == "start":
            body["config_sha256"] = hashlib.sha256(run.encode()).hexdigest()
        return self._post(f"/runs/{run}/{kind}", body)

    def finish(self, run: str, step: str, **metrics: float) -> None:
        """A whole run."""
        self.say(run, "start", step)
        self.say(run, "finish", step, metrics=metrics)

    def submit(self, deliverable: str, kinds: tuple[str, ...], run: str) -> None:
        """A submission whose announced checks all passed."""
        file = {"path": f"{deliverable}.csv", "size": 512, "sha256": "b" * 64}
        body = {
            "submission_id": hashlib.sha256(deliverable.encode()).hexdigest()[:32],
            "manifest": {"files": [file], "runs": [run]},
            "checks": [{"kind": kind, "passed": True} for kind in kinds],
        }
        self._post(f"/deliverables/{deliverable}/submissions", body)

    def close(self) -> None:
        """End the connection."""
        self._client.close()

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self._client.post(path, json=body)
        assert answer.is_success, (path, answer.status_code, answer.text)
        found: dict[str, Any] = answer.json()
        return found


def walk(hands: Hands, address: str) -> None:
    """From an empty Punktum to a closed campaign and its report."""
    plan_and_seal(hands)
    log_the_order(hands)
    job = Job(address, make_a_token(hands))
    train(job)
    look_at_the_timeline(hands)
    decide(hands)
    job.submit("error-analysis", ("non_empty", "no_temporary_paths"), "control-01")
    job.close()
    reject(hands)
    spend(hands)
    explain(hands)
    close(hands)
    read_the_report(hands)


def plan_and_seal(hands: Hands) -> None:
    """The sample, one edit, the seal."""
    hands.press('form[action="/campaigns/sample"] .button')
    _tab(hands, "/plan")
    hands.press('.card a[href$="/plan/edit/steps"]')
    hands.write("#f-steps-3-title", TITLE)
    hands.press('#part-form .actions button[value="save"]')
    expect(hands.page.locator(".flash")).to_be_visible()
    expect(hands.page.locator("#f-steps-3-title")).to_have_value(TITLE)
    _tab(hands, "/plan")
    expect(_text(hands.page, "#steps")).to_contain_text(TITLE)
    hands.press('a[href$="/plan/seal"]')
    hands.press("#seal-form .actions button")
    expect(_text(hands.page, "#versions")).to_contain_text("Version 1")
    expect(hands.page.locator(".subject .badge")).to_have_text("Sealed")


def log_the_order(hands: Hands) -> None:
    """Typing the reference and Enter is enough."""
    _tab(hands, "/orders")
    hands.write("#f-reference", REFERENCE)
    hands.enter("#f-reference")
    expect(_text(hands.page, "#orders, #order")).to_contain_text(REFERENCE)
    expect(_text(hands.page, "main")).to_contain_text("47.14 USD")


def make_a_token(hands: Hands) -> str:
    """The token, as the page shows it once."""
    _tab(hands, "/runs")
    hands.press('a[href$="/connect"]')
    hands.write("#f-name", "gpu-box-1")
    hands.enter("#f-name")
    token = hands.page.locator("#token code").first.inner_text()
    assert token.startswith("pk_")
    return token


def train(job: Job) -> None:
    """The runs: one of them is stopped by a rule and runs again under a new id."""
    job.finish("pilot-01", "pilot")
    job.finish("restore-01", "restore-check")
    job.finish("control-01", "control", eval_f1=0.781)
    job.say("a-01", "start", "variant-a")
    asked = job.say("a-01", "beat", "variant-a", metrics={"loss": "nan"})["stop_requested"]
    assert asked["rule"] == "loss-not-finite"
    job.say("a-01", "stop", "variant-a", reason_code="rule:loss-not-finite", exit_code=1)
    job.finish("a-02", "variant-a", eval_f1=0.812)


def look_at_the_timeline(hands: Hands) -> None:
    """Both runs of the variant stand there, the stopped one with its reason."""
    _tab(hands, "/timeline")
    row = _text(hands.page, "#chart-variant-a")
    expect(row).to_contain_text("a-01")
    expect(row).to_contain_text("a-02")
    _tab(hands, "/runs")
    expect(_text(hands.page, "#stops")).to_contain_text("loss-not-finite")


def decide(hands: Hands) -> None:
    """The decision after the pilot."""
    _tab(hands, "/decisions")
    hands.choose("#f-step", "pilot-decision")
    hands.mark("#f-choice-continue")
    hands.write("#f-reason", "The pilot took its estimate and no rule fired.")
    hands.press("#decision .actions button")
    expect(_text(hands.page, "#log")).to_contain_text("no rule fired")


def reject(hands: Hands) -> None:
    """What the job submitted is accepted by its checks; a person rejects it all the same."""
    _tab(hands, "/deliverables")
    expect(_text(hands.page, "#error-analysis .card-head")).to_contain_text("Accepted")
    hands.press("#reject-error-analysis > summary")
    hands.write("#f-reason-error-analysis", "It names no invoice.")
    hands.press("#reject-error-analysis .actions button")
    expect(_text(hands.page, "#standing")).to_contain_text("Rejected")
    expect(_text(hands.page, "#history")).to_contain_text("It names no invoice.")


def spend(hands: Hands) -> None:
    """An expense beside the rent."""
    _tab(hands, "/budget")
    hands.write("#f-amount", "2.10")
    hands.enter("#f-amount")
    expect(_text(hands.page, "#in-usd")).to_contain_text("2.10 USD")
    expect(_text(hands.page, "#committed-usd")).to_contain_text("47.14 USD")


def explain(hands: Hands) -> None:
    """A word on one deviation."""
    _tab(hands, "/closing")
    hands.press("#gap-control button")
    expect(hands.page.locator("#f-step")).to_have_value("control")
    hands.choose("#f-category", "data")
    hands.write("#f-sentence", "The corpus was smaller than planned.")
    hands.enter("#f-sentence")
    expect(_text(hands.page, "#gap-control")).to_contain_text("smaller than planned")


def close(hands: Hands) -> None:
    """The close, with its open points said; a bare try is refused and keeps what was typed."""
    hands.mark("#f-outcome-positive")
    hands.write("#f-conclusion", "Rank 16 ships: it gains 0.031.")
    hands.press("#close .actions button")
    expect(hands.page.locator("#errors")).to_be_visible()
    expect(hands.page.locator("#f-conclusion")).to_have_value("Rank 16 ships: it gains 0.031.")
    hands.mark("#f-with_open_points")
    hands.press("#close .actions button")
    expect(hands.page.locator(".answer")).to_contain_text("Closed")


def read_the_report(hands: Hands) -> None:
    """The report says what was concluded, committed, stopped and accepted."""
    hands.press('a[href$="/report"]')
    said = _text(hands.page, "main")
    for part in ("Rank 16 ships: it gains 0.031.", "47.14 USD", "2.10 USD", "a-01", REFERENCE):
        expect(said).to_contain_text(part)
    expect(said).to_contain_text("The corpus was smaller than planned.")


def _tab(hands: Hands, room: str) -> None:
    hands.press(f'.tabs:not(.parts) a[href="/campaigns/{CAMPAIGN}{room}"]')


def _text(page: Page, selector: str) -> Locator:
    return page.locator(selector).first
