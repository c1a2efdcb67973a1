"""The grammars of `needed_if` and `standing`, and where they point when something is wrong."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.plan.rules.conditions import (
    Fact,
    Mistake,
    NeededIf,
    Standing,
    Verdict,
    parse_needed_if,
    parse_standing,
)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("variant-a passes", NeededIf((Verdict("variant-a", True),), every=True)),
        ("variant-a does not pass", NeededIf((Verdict("variant-a", False),), every=True)),
        ("a passes and b passes", NeededIf((Verdict("a", True), Verdict("b", True)), every=True)),
        (
            "a does not pass or b does not pass",
            NeededIf((Verdict("a", False), Verdict("b", False)), every=False),
        ),
    ],
)
def test_needed_if(condition: str, expected: NeededIf) -> None:
    assert parse_needed_if(condition) == expected


PILOT = Fact("pilot", Decimal("1.3"))
RESTORE = Fact("restore check")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (
            "continue if pilot <= 1.3 x estimate and restore check passed and no rule fired; "
            "else wait",
            Standing((PILOT, RESTORE, Fact(None))),
        ),
        ("continue if pilot ≤ 1.3 × estimate", Standing((PILOT,))),
        ("continue if pilot<=1.3x estimate", Standing((PILOT,))),
        ("continue if no rule fired; else cut variant-b", Standing((Fact(None),), "variant-b")),
    ],
)
def test_standing(condition: str, expected: Standing) -> None:
    assert parse_standing(condition) == expected


@pytest.mark.parametrize(
    ("condition", "position", "said"),
    [
        (
            "variant-a fails",
            10,
            "“fails” at character 11 stands where passes / does not pass is needed.",
        ),
        ("variant-a", 9, "It ends where passes / does not pass is needed."),
        ("", 0, "the name of a step"),
        ("a passes and b passes or c passes", 22, "“or” at character 23"),
        ("a passes, b passes", 8, "“,” at character 9"),
        ("A passes", 0, "the name of a step"),
        ("a passes and", 12, "It ends where"),
    ],
)
def test_a_wrong_needed_if_is_pointed_at(condition: str, position: int, said: str) -> None:
    mistake = parse_needed_if(condition)
    assert isinstance(mistake, Mistake)
    assert mistake.position == position
    assert said in str(mistake.message)


@pytest.mark.parametrize(
    ("condition", "position", "said"),
    [
        ("go on", 0, "“go” at character 1 stands where continue is needed."),
        ("continue if pilot < 1.3 x estimate", 18, "“<”"),
        ("continue if pilot <= 1,3 x estimate", 21, "where 1.3 is needed"),
        ("continue if pilot <= 1.3 x", 26, "It ends where estimate is needed."),
        ("continue if no rule fired; else panic", 32, "wait / cut"),
        ("continue if no rule fired, else wait", 25, "“,”"),
        ("continue if no rule fired; else wait now", 37, "the end"),
        ("continue if pilot", 17, "<= / passed"),
    ],
)
def test_a_wrong_standing_is_pointed_at(condition: str, position: int, said: str) -> None:
    mistake = parse_standing(condition)
    assert isinstance(mistake, Mistake)
    assert said in str(mistake.message)
    assert mistake.position == position


VOCABULARY = (
    "continue if pilot restore check passed no rule fired <= 1.3 x estimate and or ; else "
    "wait cut passes does not pass variant-a , <"
)
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=14).map(" ".join) | st.text())
def test_nothing_that_is_typed_raises(condition: str) -> None:
    for parsed in (parse_needed_if(condition), parse_standing(condition)):
        if isinstance(parsed, Mistake):
            assert 0 <= parsed.position <= len(condition)
