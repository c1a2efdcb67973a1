"""Judging evidence: what the client says, and what the server finds against it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from app.deliverables.rules.announced import label, promises
from app.deliverables.rules.evidence import Posted, Result, Status, count, judged
from app.deliverables.rules.judging import accepts
from app.deliverables.rules.manifest import File
from app.deliverables.rules.objection import Objection
from app.deliverables.rules.recheck import BaseRevision
from app.deliverables.rules.submission import Submission, prepared
from app.plan.rules.model import Check, CheckKind
from tests.deliverables.plans import (
    COMMIT,
    FILES,
    PREDICTIONS,
    adapter,
    all_passed,
    file,
    passed,
    plan,
    promised,
    submission,
)


def results(
    checks: tuple[Posted, ...] | None = None,
    files: tuple[File, ...] = FILES,
    command: str | None = "python reload.py",
) -> tuple[Result, ...]:
    return judged(promised(), all_passed() if checks is None else checks, files, None, command)


def changed(kind: str, **more: Any) -> tuple[Posted, ...]:
    """All checks passed but for one that is changed."""
    return tuple(replace(one, **more) if one.kind == kind else one for one in all_passed())


def statuses(found: tuple[Result, ...]) -> list[str]:
    return [str(result.status) for result in found if result.announced]


def note(found: tuple[Result, ...], kind: str) -> str:
    (result,) = [one for one in found if one.kind == kind]
    assert result.note is not None
    return str(result.note.said())


def test_everything_passed_is_accepted() -> None:
    found = results()
    assert statuses(found) == ["passed"] * 4
    assert accepts(found)


@pytest.mark.parametrize("kind", [one.kind for one in all_passed()])
def test_one_check_that_failed_or_is_missing_is_enough(kind: str) -> None:
    assert not accepts(results(changed(kind, passed=False)))
    without = tuple(one for one in all_passed() if one.kind != kind)
    found = results(without)
    assert not accepts(found)
    assert count(found, Status.NOT_RUN) == 1
    assert note(found, kind) == "The submission does not hold this check."


def test_a_check_that_could_not_be_run_has_not_failed() -> None:
    found = results(changed("reload", passed=False, not_run=True, detail="the GPU is busy"))
    assert statuses(found) == ["passed", "passed", "passed", "not_run"]
    assert not accepts(found)


def test_the_order_of_posted_checks_does_not_matter() -> None:
    for order in itertools.permutations(all_passed()):
        assert accepts(results(order))


def test_two_checks_of_one_kind_are_answered_one_by_one() -> None:
    twice = replace(
        PREDICTIONS,
        checks=(
            Check(CheckKind.RELOAD, command="python a.py"),
            Check(CheckKind.RELOAD, command="python b.py"),
        ),
    )
    wanted = promises(plan(deliverables=(twice,)))[0]
    answers = (passed("reload"), replace(passed("reload"), passed=False))
    assert statuses(judged(wanted, answers, FILES, None, None)) == ["passed", "failed"]
    assert statuses(judged(wanted, answers[:1], FILES, None, None)) == ["passed", "not_run"]


def test_what_was_not_announced_is_kept_and_does_not_count() -> None:
    found = results((*all_passed(), Posted("schema", False)))
    assert accepts(found)
    assert [(one.kind, one.announced) for one in found[4:]] == [("schema", False)]
    assert count(found, Status.FAILED) == 0


def test_an_empty_file_contradicts_the_client() -> None:
    found = results(files=(*FILES, file("empty.txt", b"")))
    assert statuses(found)[0] == "failed"
    assert note(found, "non_empty") == "1 file is empty: empty.txt"


def test_an_empty_file_elsewhere_is_nothing_to_a_check_of_one_file() -> None:
    one = replace(PREDICTIONS, checks=(Check(CheckKind.NON_EMPTY, file="predictions.csv"),))
    wanted = promises(plan(deliverables=(one,)))[0]
    answers = (passed("non_empty"),)
    files = (*FILES, file("empty.txt", b""))
    assert accepts(judged(wanted, answers, files, None, None))
    assert not accepts(judged(wanted, answers, FILES[1:], None, None))


@pytest.mark.parametrize(
    ("evidence", "says"),
    [
        ({"expected": 2, "found": 2}, "3 ids are expected, the evidence speaks of 2."),
        ({"found": ["x-1"]}, "3 ids are expected, the evidence speaks of 1."),
        ({"expected": 3, "found": 3, "missing": 1}, "The evidence itself names"),
        ({"duplicates": ["x-1"]}, "The evidence itself names"),
        ({"twice": {"count": 1, "first": ["x-1"]}}, "The evidence itself names"),
    ],
)
def test_counts_that_do_not_fit_contradict_the_client(
    evidence: dict[str, object], says: str
) -> None:
    found = results(changed("expected_ids", evidence=evidence))
    assert statuses(found)[1] == "failed"
    assert note(found, "expected_ids").startswith(says)


def test_evidence_without_counts_contradicts_nothing() -> None:
    assert accepts(results(changed("expected_ids", evidence={"found": True, "words": "fine"})))


def test_a_file_that_is_not_in_the_manifest_has_no_ids() -> None:
    found = results(files=FILES[1:])
    assert note(found, "expected_ids") == "predictions.csv is not in the manifest."


@pytest.mark.parametrize(
    ("path", "is_temporary"),
    [
        ("tmp/x.csv", True), ("a/TEMP/x", True), ("a/.tmp/x", True),
        ("template/x", False), ("a/tmp", False), ("logs/tmp/x", False),  # logs/* is excepted
    ],
)  # fmt: skip
def test_folders_that_are_not_meant_to_stay(path: str, is_temporary: bool) -> None:
    assert accepts(results(files=(*FILES, file(path)))) is not is_temporary


def test_another_reload_command_than_the_announced_one() -> None:
    found = results(command="true")
    assert note(found, "reload") == ("The command run was “true”, announced is “python reload.py”.")
    assert accepts(results(command=None))


@pytest.mark.parametrize(
    ("revision", "is_exact"),
    [
        (COMMIT, True), ("0" * 64, True), ("main", False), (None, False), ("", False),
        (COMMIT[:7], False), (COMMIT.upper(), False), ("v1.0", False), (COMMIT + "\n", False),
    ],
)  # fmt: skip
def test_an_adapter_keeps_the_exact_revision_of_its_base(
    revision: str | None, is_exact: bool
) -> None:
    """Implied for every adapter, though its plan announces only non_empty."""
    base = BaseRevision("org/model", revision)
    found = judged(promised("adapter"), (passed("non_empty"),), FILES, base, None)
    assert accepts(found) is is_exact
    assert [one.kind for one in found] == ["non_empty", "base_revision"]


def test_an_adapter_without_any_base() -> None:
    found = judged(promised("adapter"), adapter().checks, FILES, None, None)
    assert note(found, "base_revision") == "No revision of the base model is stated."


def test_without_any_check_the_rule_accepts_nothing() -> None:
    assert not accepts(judged(promised("analysis"), (), FILES, None, None))


def test_the_hash_of_what_is_announced_covers_checks_and_ids_only() -> None:
    first = promised()
    title = plan(deliverables=(replace(PREDICTIONS, title="Other", unit=False),))
    assert promises(title)[0].sha256 == first.sha256
    fewer = plan(deliverables=(replace(PREDICTIONS, checks=PREDICTIONS.checks[:3]),))
    assert promises(fewer)[0].sha256 != first.sha256
    ids = plan(corpora=(replace(plan().corpora[0], ids=("x-1", "x-2", "y-3")),))
    assert promises(ids)[0].sha256 != first.sha256


def test_every_check_says_what_it_demands() -> None:
    said = {str(label(Check(kind, command="x", file="f"))) for kind in CheckKind}
    assert len(said) == len(CheckKind)


def test_evidence_becomes_what_canonical_json_can_say() -> None:
    odd = {"nan": float("nan"), "inf": float("inf"), "big": 2**70, "bad": "a\x00\ud800", "no": None}
    found = submission(checks=(Posted("non_empty", True, detail="bell\x07", evidence=odd),))
    (check,) = found.checks
    assert check.detail == "bell␇"
    assert check.evidence == {
        "nan": "nan", "inf": "inf", "big": str(2**70), "bad": "a␀\\ud800", "no": None,
    }  # fmt: skip


def test_evidence_nested_too_deep_is_refused() -> None:
    deep: dict[str, object] = {}
    for _ in range(9):
        deep = {"in": deep}
    base = Submission("predictions", "1" * 32, FILES, checks=(Posted("x", True, evidence=deep),))
    found = prepared(base)
    assert isinstance(found, Objection)
    assert found.field == "checks.0.evidence"


def test_the_content_hash_tells_a_repetition_from_a_contradiction() -> None:
    assert submission().content_sha256 == submission(files=FILES[::-1]).content_sha256
    assert submission().content_sha256 != submission(host="box-2").content_sha256
    assert submission().content_sha256 != submission(files=FILES[:2]).content_sha256


def test_a_run_id_that_is_none_is_refused() -> None:
    found = prepared(Submission("predictions", "1" * 32, FILES, runs=("a b",)))
    assert isinstance(found, Objection)
    assert found.field == "manifest.runs.0"
