"""Announced checks: what each kind needs, what has no effect on it, how it is typed and said."""

from __future__ import annotations

from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

import pytest

from app.plan.rules.checks.announced import KEYS_OF_CHECK, check_problems
from app.plan.rules.document import from_document, to_document
from app.plan.rules.document.tables import CHECK as SHAPE
from app.plan.rules.model import Check, CheckKind, Plan
from app.plan.rules.typed.campaign import edited_campaign, shown_deliverables, shown_tables
from app.plan.rules.typed.delivering import CHECK, CHECK_FIELDS
from app.plan.rules.typed.speaking import SPOKEN
from app.plan.rules.words import check_said
from tests.plan.drafts import sample

WHOLE = {
    CheckKind.PARAMETERS: Check(CheckKind.PARAMETERS, file="p.json", keys=("lr",)),
    CheckKind.SCHEMA: Check(CheckKind.SCHEMA, file="t.csv", columns=("id",), rows=3),
    CheckKind.REPRODUCE: Check(
        CheckKind.REPRODUCE, command="python score.py", value=Decimal("0.82"),
        tolerance=Decimal("0.001"),
    ),
    CheckKind.EXPECTED_IDS: Check(
        CheckKind.EXPECTED_IDS, ids=("a",), file="t.csv", match="superset"
    ),
}  # fmt: skip


def problems(check: Check) -> dict[str, str]:
    return {str(one.path[-1]): str(one.message) for one in check_problems(("checks", 0), check)}


@pytest.mark.parametrize("kind", list(WHOLE))
def test_a_whole_check_has_no_problem_and_comes_back_from_the_file(kind: CheckKind) -> None:
    assert problems(WHOLE[kind]) == {}
    plan = sample()
    plan = replace(plan, deliverables=(replace(plan.deliverables[0], checks=(WHOLE[kind],)),))
    assert from_document(to_document(plan)) == plan


@pytest.mark.parametrize(
    ("kind", "more", "key", "says"),
    [
        (CheckKind.PARAMETERS, {"file": None}, "file", "parameters.json"),
        (CheckKind.PARAMETERS, {"keys": ()}, "keys", "learning_rate"),
        (CheckKind.PARAMETERS, {"file": "../p.json"}, "file", "inside the output folder"),
        (CheckKind.SCHEMA, {"file": None}, "file", "predictions.csv"),
        (CheckKind.SCHEMA, {"columns": (), "rows": None}, "columns", "Nothing is checked"),
        (CheckKind.SCHEMA, {"min_rows": 2}, "min_rows", "keep one of them"),
        (CheckKind.REPRODUCE, {"command": None}, "command", "python score.py"),
        (CheckKind.REPRODUCE, {"value": None}, "value", "0.82"),
        (CheckKind.REPRODUCE, {"tolerance": Decimal(-1)}, "tolerance", "0 or more"),
    ],
)
def test_what_a_check_lacks_is_named_with_what_would_be_right(
    kind: CheckKind, more: dict[str, Any], key: str, says: str
) -> None:
    found = problems(replace(WHOLE[kind], **more))
    assert list(found) == [key]
    assert says in found[key]


@pytest.mark.parametrize("kind", list(CheckKind))
def test_a_key_without_effect_on_a_kind_is_refused_and_others_are_not(kind: CheckKind) -> None:
    said: dict[str, Any] = {
        "corpus": "eval", "ids": ("a",), "file": "f.csv", "column": "id", "match": "superset",
        "keys": ("a",), "columns": ("a",), "rows": 1, "min_rows": 1, "except_": ("a",),
        "command": "x", "value": Decimal(1), "tolerance": Decimal(1), "keep_env": ("A",),
    }  # fmt: skip
    assert set(said) == {field.name for field in fields(Check)} - {"kind"}
    found = problems(Check(kind, **said))
    without = {key for key, message in found.items() if "has no effect" in message}
    assert without == {name.rstrip("_") for name in said} - set(KEYS_OF_CHECK[kind])


def test_every_key_of_the_file_can_be_typed_in_the_form() -> None:
    names = {key.name for key in SHAPE.keys}
    assert {field.name for field in CHECK} == names
    for kind in CheckKind:
        assert set(CHECK_FIELDS[str(kind)]) | {"except"} >= set(KEYS_OF_CHECK[kind])


@pytest.mark.parametrize("kind", list(WHOLE))
def test_the_form_types_a_check_as_the_file_says_it(kind: CheckKind) -> None:
    plan = sample()
    plan = replace(plan, deliverables=(replace(plan.deliverables[0], checks=(WHOLE[kind],)),))
    document: dict[str, Any] = to_document(plan)
    typed = dict(shown_tables(document))
    for number, row in enumerate(shown_deliverables(document)):
        typed |= {f"deliverables.{number}.{name}": said for name, said in row.values.items()}
    assert from_document(edited_campaign(document, typed).document) == plan
    found = [name for name in typed if name.endswith(".kind") and typed[name] == str(kind)]
    for key in ("value", "rows", "match"):
        name = found[0].removesuffix("kind") + key
        if typed.get(name):
            typed[name] = {"value": "0,9", "rows": "4", "match": ""}[key]
    changed = from_document(edited_campaign(document, typed).document)
    assert isinstance(changed, Plan)
    check = changed.deliverables[0].checks[0]
    assert (check.value, check.rows, check.match) == (
        Decimal("0.9") if kind is CheckKind.REPRODUCE else None,
        4 if kind is CheckKind.SCHEMA else None,
        "exact",
    )


def test_what_is_said_of_a_file_is_said_of_a_form_in_its_own_words() -> None:
    for kind, check in WHOLE.items():
        bare = replace(check, file=None, keys=(), columns=(), rows=None, command=None, value=None)
        for problem in check_problems((), bare):
            assert problem.message.msgid in SPOKEN, kind


def test_a_check_is_said_with_what_it_demands() -> None:
    assert str(check_said(WHOLE[CheckKind.PARAMETERS])) == "p.json holds the parameters lr"
    assert str(check_said(WHOLE[CheckKind.SCHEMA])) == "t.csv has its columns and rows"
    assert str(check_said(WHOLE[CheckKind.REPRODUCE])) == "python score.py prints 0.82 again"
