"""Rules that time decides, judged on the box: over its time, and past the last safe save."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

import punktum
from punktum import instants
from punktum.stop_rules import StopRule, as_dict, parse_rule
from tests.punktum_client.box import TOKEN, Box
from tests.punktum_client.loopback import Loopback, wait_until
from tests.punktum_client.test_death_matrix import told

SLEEP = "import time; time.sleep(60)"
OFTEN = ("--beat", "0.3")


def sealed(box: Box, **rule: object) -> None:
    """A kept sheet with one overtime rule."""
    box.spool.mkdir(parents=True)
    rules = [as_dict(parse_rule({"id": "too-long", "kind": "overtime", **rule}))]
    sheet = {"format": "punktum-sheet/1", "campaign": {"id": "c"}, "rules": rules}
    (box.spool / "sheet.json").write_text(json.dumps(sheet))


def fired(box: Box) -> list[dict[str, Any]]:
    """The firings in the spool, each with the source that wrote it."""
    return [
        {**entry, "source": event["source"]}
        for event in box.spooled()
        for entry in event.get("fired", [])
    ]


@pytest.mark.parametrize(
    "rule", [{"after_s": 1}, {"limits_s": {"control": 1, "other": 9999}}], ids=["rule", "step"]
)
def test_a_command_that_knows_nothing_of_us_is_ended_without_a_server(
    box: Box, rule: dict[str, object]
) -> None:
    sealed(box, **rule)
    done = box.run_job(SLEEP, *OFTEN)
    assert done.code == 143
    said = re.search(r"by rule too-long \(fired on the box\): (\d s is over 1 s)\n", done.err)
    assert said is not None, done.err
    assert told(box.spooled_end(), "rule", "reason_text", "signal") == [
        "stop", "rule:too-long", "too-long", said[1], 15,
    ]  # fmt: skip
    (entry,) = fired(box)
    assert (entry["rule"], entry["act"], entry["source"]) == ("too-long", "stop", "wrapper")
    assert "metric" not in entry or entry["metric"] is None


@pytest.mark.parametrize(
    "rule",
    [
        {"after_s": 3600},
        {"limits_s": {"other": 0}},
        {"after_s": 0, "steps": ["other"]},
        {"saves_by": {"control": "2096-10-02T07:06:40Z"}},
        {"saves_by": {"other": "2020-01-01T00:00:00Z"}},
    ],
)
def test_a_rule_that_does_not_hold_ends_nothing(box: Box, rule: dict[str, object]) -> None:
    sealed(box, **rule)
    assert box.run_job("import time; time.sleep(2)", *OFTEN).code == 0
    assert box.spooled_end()["kind"] == "finish"
    assert fired(box) == []


def test_past_the_last_safe_save_it_ends_by_this_machines_clock(box: Box) -> None:
    sealed(box, saves_by={"control": instants.instant_text(time.time() + 2)})
    done = box.run_job(SLEEP, *OFTEN)
    assert done.code == 143
    assert "past the last save that can still be fetched" in box.spooled_end()["reason_text"]


def test_a_rule_that_warns_is_said_and_the_job_goes_on(box: Box) -> None:
    sealed(box, after_s=0, act="warn")
    done = box.run_job("import time; time.sleep(2.5)", *OFTEN)
    assert done.code == 0
    assert done.err.count("rule too-long warns (fired on the box)") == 1
    assert [entry["act"] for entry in fired(box)] == ["warn"]


def test_code_inside_hears_of_it_and_only_the_wrapper_fires(box: Box) -> None:
    sealed(box, after_s=1)
    code = (
        "import time, punktum\n"
        "with punktum.run('control') as run:\n"
        "    for number in run.track(range(10**6)):\n"
        "        run.metric('loss', number); time.sleep(0.02)\n"
    )
    done = box.run_job(code, *OFTEN)
    assert done.code == 1
    assert re.search(r"StopRun: too-long: \d s is over 1 s", done.err)
    assert told(box.spooled_end(), "exit_code") == ["stop", "rule:too-long", 1]
    assert [entry["source"] for entry in fired(box)] == ["wrapper"]


def test_without_a_wrapper_the_code_judges_it_alone(box: Box) -> None:
    sealed(box, after_s=0)

    def train() -> None:
        with punktum.run("control", params={}, beat_s=0.2) as run:
            wait_until(lambda: run.stop_requested)
            run.progress(1)

    with pytest.raises(punktum.StopRun, match="is over 0 s"):
        train()
    assert box.spooled_end()["reason_code"] == "rule:too-long"


@pytest.mark.parametrize(("off_h", "ends"), [(10, True), (-10, False)])
def test_the_servers_clock_counts_where_it_was_heard(
    box: Box, server: Loopback, monkeypatch: pytest.MonkeyPatch, off_h: int, ends: bool
) -> None:
    """The last save is due in five hours by one clock, long past or far off by the other."""
    monkeypatch.setenv("PUNKTUM_URL", server.url)
    monkeypatch.setenv("PUNKTUM_TOKEN", TOKEN)
    save_by = int(time.time()) + (5 * 3600 if ends else -5 * 3600)
    server.rules = (StopRule("too-long", "overtime", saves_by=(("control", save_by),)),)
    server.server_time = instants.instant_text(time.time() + off_h * 3600)
    with punktum.run("control", params={}, beat_s=0.2, raise_on_stop=False) as run:
        wait_until(lambda: run._beats._judge.rules)
        seen = len(server.of("control-01"))
        wait_until(lambda: len(server.of("control-01")) > seen + 2)
        assert (run.stop_requested is not None) is ends
    assert (server.end("control-01")["kind"] == "stop") is ends


def test_the_server_confirms_at_the_replay(box: Box, server: Loopback) -> None:
    sealed(box, after_s=1)
    assert box.run_job(SLEEP, *OFTEN, "--run", "a-01").code == 143
    box.reports_to(server)
    assert box.run("replay", str(box.spool)).code == 0
    assert server.end("a-01")["rule"] == "too-long"
    entries = [entry for event in server.of("a-01") for entry in event.get("fired", [])]
    assert [entry["rule"] for entry in entries] == ["too-long"]
