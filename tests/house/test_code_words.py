"""Sentences never hold a code word: states, kinds and their like are given their own words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from app.language import reader
from app.plan.rules.typed.labels import CHECK_KINDS, CLASSES, ROLES, STEP_KINDS, STOP_KINDS
from app.runs.rules.events import REASONS, Status
from app.runs.rules.words import REASON_WORDS, STATUS_WORDS, reason_said
from tests.house.source import APP, modules

CODES = frozenset(
    {"status", "state", "kind", "role", "klass", "category", "outcome", "verdict", "choice", "act"}
)
SPEAKING_TO_WRITERS = (
    "app.plan.rules.document",  # a campaign file is put right in its own words;
    "app.plan.rules.checks",  # app.plan.rules.typed.speaking says the same on forms
    "app.exchange.api",  # a media type
    "app.runs.commands",  # answers to jobs
    "app.closing.commands",  # what was sent and is none of the known words
)


def _calls() -> Iterator[tuple[str, str, ast.expr]]:
    """Every value that a sentence is given for one of these placeholders."""
    for module in modules(APP):
        if module.name.startswith(SPEAKING_TO_WRITERS):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("text", "ntext"):
                for given in node.keywords:
                    if given.arg in CODES:
                        yield f"{module.name}:{node.lineno}", given.arg, given.value


def _is_a_word(value: ast.expr) -> bool:
    """A look-up in a table of words, or a function that says one."""
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Name) and value.value.id.isupper()
    if isinstance(value, ast.Call):
        return bool(re.fullmatch(r"text|\w+_said", getattr(value.func, "id", "")))
    return False


def test_a_sentence_is_given_words_not_codes() -> None:
    given = list(_calls())
    assert given, "there are such sentences"
    assert [(where, name) for where, name, value in given if not _is_a_word(value)] == []


@pytest.mark.parametrize(
    "words", [REASON_WORDS, STATUS_WORDS, STEP_KINDS, CLASSES, ROLES, STOP_KINDS, CHECK_KINDS]
)
@pytest.mark.parametrize("language", ["de", "vi"])
def test_words_are_other_than_their_codes(words: dict[str, object], language: str) -> None:
    """`pilot` and `budget` are the same word in German; a code with an underscore is nobody's."""
    said = reader(language)
    assert [code for code, word in words.items() if "_" in said.say(word)] == []
    same = [code for code, word in words.items() if said.say(word) == str(code)]
    assert same == []


def test_every_code_has_its_word() -> None:
    assert REASON_WORDS.keys() == set(REASONS)
    assert STATUS_WORDS.keys() == set(Status)
    assert str(reason_said("rule:loss-not-finite")) == "Rule loss-not-finite"
