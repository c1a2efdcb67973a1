"""On forms problems are said with the forms' labels, never with the campaign file's keys."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

from app.language import reader
from app.plan.rules.document import Problem, to_document
from app.plan.rules.typed.delivering import CHECK
from app.plan.rules.typed.judging import judged, listed
from app.plan.rules.typed.speaking import SPOKEN, spoken
from app.plan.rules.typed.steps import STEP_ALL
from app.plan.rules.typed.tables import DECISION_RULE, LOT, STOP_RULE
from app.texts import Text
from tests.house.source import APP
from tests.plan.drafts import small

KEYS = {
    "p50", "p90", "gpus", "units", "per_unit", "include", "follows", "threshold",
    "gain_over_control", "keep_env", "before_window", "needed_if", "ids_file", "key",
}  # fmt: skip
"""Words of the file that no label says as well."""


def _sentences() -> set[str]:
    """What the document and the checks of a plan may say, by their source."""
    found = set()
    folder = APP / "plan" / "rules"
    for path in (*(folder / "document").glob("*.py"), *(folder / "checks").glob("*.py")):
        if path.name == "advice.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("text", "ntext"):
                found |= {
                    one.value
                    for one in node.args
                    if isinstance(one, ast.Constant) and isinstance(one.value, str)
                }
    return found


def test_no_sentence_on_a_form_names_a_key_of_the_file() -> None:
    told_to_write = re.compile(r"\w+ = ")
    for sentence in _sentences():
        if sentence.startswith(("Unknown key", "{n} more unknown key")):
            continue
        said = SPOKEN[sentence].msgid if sentence in SPOKEN else sentence
        plain = re.sub(r"\{\w+\}", "", said)
        assert not KEYS & set(re.findall(r"\w+", plain)), said
        assert not told_to_write.search(plain), said


def test_what_is_said_otherwise_is_still_said_by_the_plan() -> None:
    assert sorted(SPOKEN.keys() - _sentences()) == []


@pytest.mark.parametrize("sentence", SPOKEN)
def test_every_label_is_found(sentence: str) -> None:
    """Whatever the file's sentence has no value for is the label of a field."""
    values = dict.fromkeys(re.findall(r"\{(\w+)\}", sentence), "x")
    for path in (("steps", 0, "parts", "units"), ("steps", 0, "p50"), ("lots", 0, "gpus"),
                 ("decision_rule", "threshold"), ("stop_rules", 0, "metric"),
                 ("deliverables", 0, "checks", 0, "file")):  # fmt: skip
        said = spoken(Problem(path, Text(sentence, values)), {})
        if all(value is not None for value in said.values.values()):
            break
    else:
        raise AssertionError(f"a label is missing in {said}")


def test_a_problem_is_said_with_the_labels_of_its_form() -> None:
    document: dict[str, Any] = to_document(small())
    step = {"id": "a", "title": "A", "kind": "machine", "class": "essential", "gpus": 0,
            "p50": "4h", "p90": "2h"}  # fmt: skip
    names = {f"steps.0.{field.name}": field.label for field in STEP_ALL}
    found = judged({**document, "steps": [step]}, names)
    assert isinstance(found, dict)
    heads = [reader("de").say(said) for _, said in listed(found, names)]
    assert [head.partition(":")[0] for head in heads] == [
        "Arbeitsschritt 1, GPUs", "Arbeitsschritt 1, P90",
    ]  # fmt: skip
    assert "gpus" not in " ".join(heads)


def test_what_stands_on_another_form_is_named_by_its_place() -> None:
    document = {**to_document(small()), "stop_rules": [{"id": "r", "kind": "below"}]}
    found = judged(document, {f"lots.0.{field.name}": field.label for field in LOT})
    assert isinstance(found, dict)
    heads = [str(said) for _, said in listed(found, {})]
    metric = next(one.label for one in STOP_RULE if one.name == "metric")
    assert heads[0] == f"Stop rule 1, {metric}: “A value is below” needs “{metric}”."


def test_labels_of_a_rule_and_of_a_check() -> None:
    document: dict[str, Any] = to_document(small())
    rule = {**document["decision_rule"], "threshold": "0.8", "gain_over_control": "0.1"}
    names = {f"decision_rule.{field.name}": field.label for field in DECISION_RULE}
    found = judged({**document, "decision_rule": rule}, names)
    assert isinstance(found, dict)
    (said,) = found.values()
    gain = str(names["decision_rule.gain_over_control"])
    assert str(said).startswith(f"“{gain}” and “")
    check = {"kind": "reload", "command": "x", "corpus": "eval"}
    one = {"id": "m", "title": "M", "kind": "artifact", "checks": [check]}
    found = judged({**document, "deliverables": [one]}, {})
    assert isinstance(found, dict)
    corpus = next(str(field.label) for field in CHECK if field.name == "corpus")
    wanted = f"“{corpus}” has no effect on “A new process can load it again”."
    assert any(str(said).endswith(wanted) for said in found.values())
