"""Hostile words wherever words are taken: shown as they are, never run, and no page breaks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.units import instant_text
from tests.browser.conftest import Opened, Served, start_server

pytestmark = pytest.mark.browser

SCRIPT = "<script>window.hacked=1</script>"
IMAGE = '"><img src=x onerror=window.hacked=1>'
QUOTE = "' autofocus onfocus=window.hacked=1 x='"
TEMPLATE = "{{7*7}} ${7*7} {%raw%} <%=7*7%> #{7*7}"
SQL = "x'); DROP TABLE runs; --"
BIDI = "\u202eright to left\u202c \u2066isolated\u2069"
UNSEEN = "zero\u200bwidth\u200d\ufeff"
CLOSING = "</title></textarea></style><svg onload=window.hacked=1>"
NASTY = " ".join((SCRIPT, IMAGE, QUOTE, TEMPLATE, SQL, CLOSING, BIDI, UNSEEN))
TITLE = SCRIPT + IMAGE + QUOTE + TEMPLATE + BIDI
QUESTION = "W" * 220 + NASTY
LONG = "W" * 3600 + NASTY
CAMPAIGN = "hostile"
FOREIGN = """() => [
  ...document.querySelectorAll("script:not([src]), img, iframe, [onerror], [onload], [onfocus]"),
].map((one) => one.outerHTML).concat("hacked" in window ? ["it ran"] : [])"""
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


VALUES = {"nasty": NASTY, "title": TITLE, "question": QUESTION}


def _file() -> str:
    said = {key: json.dumps(value) for key, value in VALUES.items()}
    return """format = "punktum/1"
[campaign]
id = "hostile"
question = {question}
zone = "Europe/Berlin"
currency = "USD"
[decision_rule]
metric = "f1"
better = "higher"
take = "final"
threshold = "0.5"
yes = {nasty}
no = {nasty}
[[lots]]
id = "lot-1"
gpus = 1
hours = 72
[[steps]]
id = "train"
title = {title}
kind = "machine"
class = "essential"
gpus = 1
p50 = "2h"
role = "variant"
isolates = {nasty}
[[steps]]
id = "think"
title = {title}
kind = "decision_point"
class = "essential"
p50 = "1h"
after = ["train"]
[[decision_points]]
step = "think"
[[stop_rules]]
id = "not-finite"
kind = "non_finite"
metric = "loss"
[[deliverables]]
id = "paper"
title = {title}
kind = "report"
checks = [{{ kind = "non_empty" }}, {{ kind = "reload", command = {nasty} }}]
[[uncertainties]]
id = "unsure"
text = {nasty}
""".format(**said)


class Attacker:
    """Whoever may write anything, everywhere."""

    def __init__(self, address: str) -> None:
        self._client = httpx.Client(base_url=f"{address}/api/v1", trust_env=False)
        self._seq = 0

    def post(self, path: str, body: Any, *, status: int | None = None) -> None:
        """Post JSON, or a campaign file given as text."""
        if isinstance(body, str):
            headers = {"Content-Type": "application/toml"}
            answer = self._client.post(path, content=body.encode(), headers=headers)
        else:
            answer = self._client.post(path, json=body)
        fine = answer.is_success if status is None else answer.status_code == status
        assert fine, (path, answer.status_code, answer.text[:600])

    def say(self, run: str, kind: str, **said: Any) -> None:
        """An event of a run."""
        self._seq += 1
        body = {
            "attempt_id": hashlib.sha256(run.encode()).hexdigest()[:32],
            "source": "main",
            "seq": self._seq,
            "at": instant_text(datetime.now(UTC)),
            **said,
        }
        self.post(f"/runs/{run}/{kind}?campaign={CAMPAIGN}", body)


def _attack(address: str) -> None:
    attacker, own = Attacker(address), f"/campaigns/{CAMPAIGN}"
    now = datetime.now(UTC)
    attacker.post("/campaigns", _file())
    attacker.post(f"{own}/seal", {})
    window = {"starts_at": instant_text(now), "ends_at": instant_text(now + timedelta(hours=72))}
    order = {"provider": SCRIPT + IMAGE, "reference": QUOTE + TEMPLATE, "price": "1.00"}
    attacker.post(f"{own}/orders", {**order, "currency": "USD", "note": NASTY, **window})
    expense = {"kind": "other", "amount": "1.00", "currency": "USD", "charged_on": "2026-12-01"}
    attacker.post(f"{own}/expenses", {**expense, "note": NASTY, "reference": SQL})
    attacker.post(f"{own}/tokens", {"name": SCRIPT + BIDI})
    config = {"params": {"lr": SCRIPT, SCRIPT: IMAGE}}
    start = {"config_sha256": "0" * 64, "config": config, "host": CLOSING, "command": NASTY}
    attacker.say("DROP-TABLE.runs--1", "start", step="train", **start)
    attacker.say("DROP-TABLE.runs--1", "beat", note=NASTY, metrics={"loss": 0.5})
    failed = {"reason_code": "code_error", "reason_text": NASTY[:480], "log_tail": NASTY}
    attacker.say("DROP-TABLE.runs--1", "fail", exit_code=1, **failed)
    attacker.say("unplanned", "start", step="unheard-of", config_sha256="1" * 64)
    reason = {"choice": "continue", "step": "think", "reason": LONG}
    bad_link = {**reason, "link": "javascript:window.hacked=1"}
    attacker.post(f"{own}/decisions", bad_link, status=422)
    attacker.post(
        f"{own}/decisions", {**reason, "link": "https://example.org/?" + QUOTE.replace(" ", "+")}
    )
    file = {"path": f"<b>{SQL}</b>.csv", "size": 1, "sha256": "c" * 64}
    checks = [
        {"kind": "non_empty", "passed": True, "detail": NASTY, "evidence": {SCRIPT: NASTY}},
        {"kind": "reload", "passed": False, "detail": LONG},
    ]
    submission = {"submission_id": "d" * 32, "manifest": {"files": [file], "runs": []}}
    more = {"checks": checks, "host": SCRIPT, "tool": IMAGE[:90]}
    attacker.post(f"/deliverables/paper/submissions?campaign={CAMPAIGN}", {**submission, **more})
    rejected = {"verdict": "rejected", "reason": LONG}
    attacker.post(f"{own}/deliverables/paper/verdicts", rejected)
    explained = {"step": "train", "category": "other", "sentence": LONG[:3900]}
    attacker.post(f"{own}/explanations", explained)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Punktum in which everything that takes words was given hostile ones."""
    data: Path = tmp_path_factory.mktemp("hostile") / "data"
    process, address = start_server(data)
    _attack(address)
    yield Served(address, data)
    process.terminate()
    process.wait(20)


ROOMS = {
    "": (NASTY,),
    "/edit": (NASTY,),
    "/plan": (NASTY, TITLE),
    "/plan/draft": (NASTY,),
    "/plan/edit/steps": (),
    "/plan/edit/steps/train": (),
    "/plan/edit/uncertainties": (),
    "/orders": (QUOTE,),
    "/orders/2": (QUOTE, NASTY),
    "/runs": (NASTY[:480],),
    "/runs/DROP-TABLE.runs--1": (NASTY, CLOSING),
    "/connect": (SCRIPT,),
    "/timeline": (TITLE, QUESTION),
    "/budget": (NASTY, SQL),
    "/deliverables": (TITLE,),
    "/deliverables/paper": (NASTY, LONG, SQL),
    "/decisions": (LONG,),
    "/closing": (LONG[:3900],),
    "/report": (NASTY, LONG),
}
"""What must be readable on each page, letter for letter."""


def test_hostile_words_are_shown_and_never_run(attacked: Served, opened: Opened) -> None:
    page = opened(f"{attacked.address}/campaigns", viewport={"width": 390, "height": 800})
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    assert _seen(page.inner_text("main")).count(_seen(QUESTION)) == 1
    for room, words in ROOMS.items():
        answer = page.goto(f"{attacked.address}/campaigns/{CAMPAIGN}{room}")
        assert answer is not None
        assert answer.status == 200, room
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert policy.startswith("default-src 'none'")
        assert page.evaluate(FOREIGN) == [], room
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert not page.evaluate(TOO_WIDE), (room, width)
        text = _seen(page.evaluate("document.body.textContent"))
        for word in words:
            assert _seen(word) in text, (room, word[:60])


def test_hostile_words_keep_their_place_in_forms(attacked: Served, opened: Opened) -> None:
    page = opened(f"{attacked.address}/campaigns/{CAMPAIGN}/edit")
    assert page.input_value("#f-decision_rule-yes") == NASTY
    assert page.input_value("#f-deliverables-0-title") == TITLE
    page.goto(f"{attacked.address}/campaigns/{CAMPAIGN}/plan/edit/steps")
    assert page.input_value("#f-steps-0-title") == TITLE


def test_hostile_addresses_are_refused_calmly(attacked: Served, opened: Opened) -> None:
    page = opened(f"{attacked.address}/campaigns")
    for path in ("/campaigns/%3Cscript%3Ewindow.hacked=1%3C/script%3E", "/campaigns/{{7*7}}/plan"):
        answer = page.goto(attacked.address + path)
        assert answer is not None
        assert answer.status == 404
        assert page.evaluate(FOREIGN) == []


def _seen(text: str) -> str:
    """Words as they are read: white space does not count."""
    return "".join(text.split())
