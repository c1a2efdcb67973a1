"""What the server finds by itself in the checks of parameters, tables, values and supersets."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from app.deliverables.rules.announced import label, promises
from app.deliverables.rules.evidence import Posted, Result, judged
from app.deliverables.rules.judging import accepts
from app.plan.rules.model import Check, CheckKind
from tests.deliverables.plans import FILES, PREDICTIONS, passed, plan, promised

SEALED_BEFORE = "b564b3dcb5525f242658f127ab8747b811e6d78cc3efcb34bc786284b64f3c0d"
"""The hash that a submission of the predictions was judged by before these checks came."""


def results(check: Check, *answers: Posted, command: str | None = None) -> tuple[Result, ...]:
    one = replace(PREDICTIONS, checks=(check,))
    return judged(promises(plan(deliverables=(one,)))[0], answers, FILES, None, command)


def says(found: tuple[Result, ...]) -> str:
    return "" if found[0].note is None else str(found[0].note.said())


def test_submissions_of_before_keep_the_hash_that_they_were_judged_by() -> None:
    assert promised().sha256 == SEALED_BEFORE


@pytest.mark.parametrize(
    "more",
    [
        {"match": "superset"}, {"keys": ("lr",)}, {"columns": ("id",)}, {"rows": 3},
        {"min_rows": 3}, {"value": Decimal("0.8")}, {"tolerance": Decimal("0.1")},
    ],
)  # fmt: skip
def test_what_is_said_of_a_check_is_under_its_hash(more: dict[str, Any]) -> None:
    first = promised()
    checks = (replace(PREDICTIONS.checks[0], **more), *PREDICTIONS.checks[1:])
    other = promises(plan(deliverables=(replace(PREDICTIONS, checks=checks),)))[0]
    assert other.sha256 != first.sha256


def test_parameters_and_tables_need_their_file() -> None:
    for kind in (CheckKind.PARAMETERS, CheckKind.SCHEMA):
        assert accepts(results(Check(kind, file="reload.py"), passed(kind)))
        gone = results(Check(kind, file="gone.json"), passed(kind))
        assert says(gone) == "gone.json is not in the manifest."


@pytest.mark.parametrize(
    ("more", "rows", "contradicts"),
    [
        ({"rows": 3}, 3, False), ({"rows": 3}, 4, True), ({"min_rows": 3}, 4, False),
        ({"min_rows": 3}, 2, True), ({"columns": ("id",)}, 0, False), ({"rows": 3}, None, False),
    ],
)  # fmt: skip
def test_counted_rows_that_do_not_fit(more: Any, rows: int | None, contradicts: bool) -> None:
    check = Check(CheckKind.SCHEMA, file="predictions.csv", **more)
    evidence = {} if rows is None else {"rows": rows}
    found = results(check, passed("schema", **evidence))
    assert accepts(found) is not contradicts
    assert says(found).endswith(f"the evidence speaks of {rows}.") is contradicts


@pytest.mark.parametrize(
    ("found", "tolerance", "accepted"),
    [
        ("0.8231", "0.0001", True), ("0.8232", "0.0001", False), ("0.823", None, True),
        (0.823, None, True), ("NaN", "9", False), (None, "9", False), (True, "9", False),
        ("1e999999", "9", False), ("x" * 500, "9", False),
    ],
)  # fmt: skip
def test_a_printed_value_is_compared_again(
    found: object, tolerance: str | None, accepted: bool
) -> None:
    check = Check(
        CheckKind.REPRODUCE,
        command="python score.py",
        value=Decimal("0.823"),
        tolerance=None if tolerance is None else Decimal(tolerance),
    )
    answer = passed("reproduce", found=found, command="python score.py")
    judged_now = results(check, answer)
    assert accepts(judged_now) is accepted
    assert says(judged_now).startswith("0.823 is announced") is not accepted


def test_each_check_is_held_against_the_command_of_its_own_evidence() -> None:
    """The submission as a whole names one command, that of its first check."""
    reload = Check(CheckKind.RELOAD, command="python b.py")
    answer = passed("reload", command="python b.py")
    assert accepts(results(reload, answer, command="python a.py"))
    other = passed("reload", command="true")
    assert says(results(reload, other, command="python b.py")).startswith("The command run was")
    value = Check(CheckKind.REPRODUCE, command="python b.py", value=Decimal(1))
    cheated = passed("reproduce", found="1", command="echo 1")
    assert says(results(value, cheated)).startswith("The command run was")


@pytest.mark.parametrize(
    ("evidence", "accepted"),
    [
        ({"expected": 2, "found": 5, "extra": {"count": 3}}, True),
        ({"expected": 2, "found": 1}, False),
        ({"expected": 1, "found": 5}, False),
        ({"expected": 2, "found": 5, "twice": {"count": 1}}, False),
        ({"expected": 2, "found": 5, "missing": {"count": 1}}, False),
    ],
)
def test_a_superset_may_hold_more_and_nothing_twice(
    evidence: dict[str, object], accepted: bool
) -> None:
    check = Check(CheckKind.EXPECTED_IDS, ids=("a", "b"), file="predictions.csv", match="superset")
    assert accepts(results(check, passed("expected_ids", **evidence))) is accepted
    assert not accepts(results(replace(check, match="exact"), passed("expected_ids", found=5)))


def test_a_table_says_all_that_it_must_have() -> None:
    check = Check(CheckKind.SCHEMA, file="t.csv", columns=("id", "y"), min_rows=2)
    assert str(label(check)) == "t.csv has the columns id, y, at least 2 rows"
    value = Check(CheckKind.REPRODUCE, command="x", value=Decimal("0.8"), tolerance=Decimal("0.1"))
    assert str(label(value)) == "“x” prints 0.8 again, ± 0.1"
