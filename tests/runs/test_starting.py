"""Whether a start becomes an attempt: configuration, life of the old process, kind of its end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.runs.rules.events import Status
from app.runs.rules.naming import first_id, free_id, next_id
from app.runs.rules.starting import (
    Accepted,
    AttemptAlive,
    KnownAttempt,
    KnownRun,
    NewIdNeeded,
    Starting,
    judge_start,
)
from punktum.events import RUN_ID
from punktum.naming import propose_run
from tests.runs.stories import SHA

CONFIG = {"params": {"lr": "0.1", "rank": "16"}, "git_commit": "1" * 40, "corpora": {"eval": SHA}}
OLD = KnownAttempt(
    "1" * 32, 1, True, Status.RUNNING, None, None, False, "box-1", "b" * 64
)  # fmt: skip
NEW = Starting("2" * 32, SHA, CONFIG, "box-2", "c" * 64, False, frozenset())


def _judged(old: KnownAttempt, start: Starting = NEW, config: Any = CONFIG) -> object:
    return judge_start(KnownRun(SHA, config, [old]), start)


def test_the_first_start_is_taken() -> None:
    assert judge_start(KnownRun(None, None, []), NEW) == Accepted()


def test_an_attempt_that_never_started_is_in_nobodys_way() -> None:
    assert _judged(replace(OLD, started=False, status=Status.PLANNED)) == Accepted()


def test_another_process_that_is_alive_keeps_the_run() -> None:
    assert _judged(OLD) == AttemptAlive("1" * 32, "box-1")


def test_a_silent_attempt_is_superseded_from_anywhere() -> None:
    assert _judged(replace(OLD, silent=True)) == Accepted(supersedes=1)


def test_takeover_is_a_persons_word() -> None:
    assert _judged(OLD, replace(NEW, takeover=True)) == Accepted(supersedes=1)


def test_a_process_that_is_gone_on_the_same_host_is_superseded() -> None:
    gone = frozenset({"1" * 32})
    assert _judged(OLD, replace(NEW, gone=gone)) == AttemptAlive("1" * 32, "box-1")
    assert _judged(OLD, replace(NEW, gone=gone, host="box-1")) == Accepted(supersedes=1)
    assert _judged(OLD, replace(NEW, gone=gone, machine_id="b" * 64)) == Accepted(supersedes=1)


@pytest.mark.parametrize(
    ("status", "reason"),
    [("failed", "code_error"), ("failed", "infra"), ("lost", None), ("stopped", "infra"),
     ("stopped", "operator"), ("stopped", "window_end")],
)  # fmt: skip
def test_it_goes_on_after_an_end_that_leaves_work(status: str, reason: str | None) -> None:
    assert _judged(replace(OLD, status=Status(status), reason_code=reason)) == Accepted()


def test_a_completed_run_is_over() -> None:
    assert _judged(replace(OLD, status=Status.COMPLETED)) == NewIdNeeded((), Status.COMPLETED)


def test_what_a_rule_stopped_needs_a_new_id() -> None:
    stopped = replace(OLD, status=Status.STOPPED, reason_code="rule:loss")
    assert _judged(stopped) == NewIdNeeded((), Status.STOPPED, "loss")
    asked = replace(OLD, stopping="loss", silent=True)
    assert _judged(asked, replace(NEW, takeover=True)) == NewIdNeeded((), Status.RUNNING, "loss")


@pytest.mark.parametrize(("status", "reason"), [("completed", None), ("stopped", "rule:loss")])
def test_only_an_attempt_that_the_runs_own_client_saw_gone_comes_home_late(
    status: str, reason: str | None
) -> None:
    done = replace(OLD, status=Status(status), reason_code=reason)
    assert isinstance(_judged(done), NewIdNeeded)
    assert isinstance(_judged(replace(done, gone=frozenset({"3" * 32}))), NewIdNeeded)
    knew = replace(done, gone=frozenset({NEW.attempt_id}))
    assert _judged(knew) == Accepted(late=True)
    earlier = replace(OLD, status=Status.FAILED, gone=frozenset({NEW.attempt_id}))
    newer = replace(done, attempt_id="4" * 32, number=2)
    assert judge_start(KnownRun(SHA, CONFIG, [earlier, newer]), NEW) == Accepted(late=True)


def test_another_configuration_says_which_part_changed() -> None:
    other = {**CONFIG, "params": {"lr": "0.2", "rank": "16"}, "corpora": {"eval": "d" * 64}}
    verdict = _judged(OLD, replace(NEW, config_sha256="e" * 64, config=other))
    assert verdict == NewIdNeeded(("corpora.eval", "params.lr"))


def test_without_parts_the_hash_itself_changed() -> None:
    verdict = _judged(OLD, replace(NEW, config_sha256="e" * 64, config=None), None)
    assert verdict == NewIdNeeded(("config_sha256",))


@pytest.mark.parametrize(
    ("run", "taken", "following"),
    [
        ("a-01", (), "a-02"),
        ("a-9", (), "a-10"),
        ("a-99", (), "a-100"),
        ("trial", (), "trial-02"),
        ("a-01", ("a-02", "a-03"), "a-04"),
        ("x" * 64, (), "x" * 61 + "-02"),
        ("7", (), "8"),
    ],
)
def test_the_next_id(run: str, taken: tuple[str, ...], following: str) -> None:
    assert next_id(run, taken) == following
    assert len(following) <= 64


@pytest.mark.parametrize("step", ["control", "x" * 64, "a b/c", "-.-", "data_check.2"])
def test_server_and_client_name_a_first_run_alike(step: str, tmp_path: Path) -> None:
    assert first_id(step) == propose_run(tmp_path, step, "a" * 64).run
    assert RUN_ID.match(first_id(step))
    assert free_id(first_id(step), ()) == first_id(step)
    assert free_id(first_id(step), {first_id(step)}) == next_id(first_id(step))
