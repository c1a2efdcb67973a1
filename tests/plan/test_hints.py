"""The hints of a stop rule's fields: each kind's own, few words, and shown by the kind chosen."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from app.db import Database
from app.plan.rules.model import StopKind
from app.plan.rules.stopping import TAKEN
from app.plan.rules.typed.hints import HINTS
from app.plan.rules.typed.tables import STOP_RULE
from app.settings import ROOT
from tests.pages import read
from tests.plan.drafts import saved, small
from tests.plan.test_pages import PLAN, browser, words

__all__ = ["browser"]
MOST_WORDS = 10


@pytest.mark.parametrize("kind", list(StopKind))
def test_each_field_that_a_kind_takes_has_one_hint_for_it(kind: StopKind) -> None:
    hinted = {
        key: [str(said) for kinds, said in hints if kind.value in kinds]
        for key, hints in HINTS.items()
    }
    assert {key for key, said in hinted.items() if said} == set(TAKEN[kind])
    for said in hinted.values():
        assert len(said) <= 1
        assert all(len(one.split()) <= MOST_WORDS for one in said)


def test_the_form_holds_the_hints_with_their_kinds(browser: TestClient, sqlite: Database) -> None:
    saved(sqlite, small())
    form = read(browser.get(f"{PLAN}/edit/stop-rules"))
    for field in STOP_RULE:
        if not field.hints:
            continue
        control = form.css_first(f'[name^="stop_rules."][name$=".{field.name}"]')
        assert control is not None
        (about,) = (control.attributes["aria-describedby"] or "").split()
        shown = form.css(f"#{about} > [data-hint]")
        assert [((one.attributes["data-hint"] or "").split(), words(one)) for one in shown] == [
            (list(kinds), str(said)) for kinds, said in field.hints
        ]


def test_the_style_sheet_shows_the_hint_of_every_kind() -> None:
    sheet = (ROOT / "static" / "app.css").read_text()
    hides = re.findall(
        r'\.row:has\(option\[value="(\w+)"\]:checked\) \[data-hint\]:not\(\[data-hint~="(\w+)"\]\)',
        sheet,
    )
    assert sorted(hides) == sorted((kind.value, kind.value) for kind in StopKind)
