"""Campaign files into drafts: the ids beside them, the sample, and both ways round."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.db import Database
from app.errors import Conflict, Malformed
from app.exchange.commands import import_path, import_sample, import_text
from app.exchange.queries import file_of
from app.exchange.rules import write_campaign_file
from app.plan.queries import draft
from app.plan.rules.model import Corpus, Plan
from tests.conftest import NOW, PERSON
from tests.plan.drafts import sealed, small


def _with_corpus(*, ids_file: str | None = "ids.txt", rows: int | None = None) -> str:
    plan = small()
    corpus = Corpus("eval", revision="1", rows=rows, ids_file=ids_file)
    return write_campaign_file(
        Plan(**{**{name: getattr(plan, name) for name in plan.__slots__}, "corpora": (corpus,)})
    )


def _corpus(database: Database) -> Corpus:
    with database.read() as session:
        view = draft(session, "small")
    assert view is not None
    return view.plan.corpora[0]


def test_import_export_import_is_identity(database: Database) -> None:
    source = write_campaign_file(small())
    assert import_text(database, source, PERSON, NOW).created
    with database.read() as session:
        exported = file_of(session, "small")
    assert exported == source
    again = import_text(database, exported, PERSON, NOW)
    assert (again.created, again.changed) == (False, False)


def test_the_file_of_a_sealed_plan_holds_the_prices_and_is_the_same_plan(
    database: Database,
) -> None:
    import_text(database, write_campaign_file(small()), PERSON, NOW)
    sealed(database, "small")
    with database.read() as session:
        now, as_draft = file_of(session, "small"), file_of(session, "small", 0)
        first, second = file_of(session, "small", 1), file_of(session, "small", 2)
    assert now == first
    assert now is not None
    assert 'price = "47.14"' in now
    assert as_draft == write_campaign_file(small())
    assert second is None
    assert not import_text(database, now, PERSON, NOW).changed


def test_ids_beside_the_file_are_read_into_the_plan(database: Database, tmp_path: Path) -> None:
    (tmp_path / "campaign.toml").write_text(_with_corpus(rows=2), "utf-8")
    (tmp_path / "ids.txt").write_text("a-1\n\n b-2 \r\n", "utf-8")
    assert import_path(database, tmp_path / "campaign.toml", PERSON, NOW).campaign_id == "small"
    assert _corpus(database).ids == ("a-1", "b-2")


def test_ids_that_were_read_before_stay_when_the_file_comes_alone(
    database: Database, tmp_path: Path
) -> None:
    (tmp_path / "campaign.toml").write_text(_with_corpus(), "utf-8")
    (tmp_path / "ids.txt").write_text("a-1\n", "utf-8")
    import_path(database, tmp_path / "campaign.toml", PERSON, NOW)
    again = import_text(database, _with_corpus(), PERSON, NOW)
    assert (again.changed, again.warnings) == (False, ())
    assert _corpus(database).ids == ("a-1",)


def test_a_file_that_comes_without_its_ids_says_what_is_missing(database: Database) -> None:
    done = import_text(database, _with_corpus(), PERSON, NOW)
    (said,) = done.warnings
    assert said.values == {"corpus": "eval", "file": "ids.txt"}


@pytest.mark.parametrize(
    ("content", "rows", "field"),
    [(b"a\nb\na\n", None, "corpora[0].ids[2]"), (b"a\nb\n", 3, "corpora[0].rows"),
     (b"\xff\xfe", None, "ids_file")],
)  # fmt: skip
def test_ids_that_cannot_be_are_refused(
    database: Database, content: bytes, rows: int | None, field: str
) -> None:
    with pytest.raises(Malformed) as refused:
        import_text(database, _with_corpus(rows=rows), PERSON, NOW, beside={"ids.txt": content}.get)
    assert refused.value.field == field
    with database.read() as session:
        assert draft(session, "small") is None


@pytest.mark.parametrize("name", ["../ids.txt", "inner/../../ids.txt"])
def test_a_file_names_nothing_outside_its_folder(
    database: Database, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "inner").mkdir()
    (tmp_path / "ids.txt").write_text("secret\n", "utf-8")
    (folder / "campaign.toml").write_text(_with_corpus(ids_file=name), "utf-8")
    import_path(database, folder / "campaign.toml", PERSON, NOW)
    assert _corpus(database).ids is None


def test_every_problem_is_named_with_its_line(database: Database) -> None:
    source = write_campaign_file(small()).replace('kind = "human"', 'kind = "person"')
    source = source.replace('p50 = "10h"', 'p50 = "10"')
    with pytest.raises(Malformed) as refused:
        import_text(database, source, PERSON, NOW)
    problems = refused.value.extra["problems"]
    assert isinstance(problems, list)
    lines = source.splitlines()
    assert [(one["field"], lines[one["line"] - 1]) for one in problems] == [
        ("steps[0].kind", 'kind = "person"'),
        ("steps[1].p50", 'p50 = "10"'),
    ]
    assert "10 h" in problems[1]["detail"] or "10h" in problems[1]["detail"]


def test_the_sample_loads_and_loads_again(database: Database) -> None:
    assert import_sample(database, PERSON, NOW).created
    assert not import_sample(database, PERSON, NOW).changed


def test_the_sample_does_not_overwrite_what_was_made_of_it(database: Database) -> None:
    done = import_sample(database, PERSON, NOW)
    with database.read() as session:
        source = file_of(session, done.campaign_id)
    assert source is not None
    import_text(database, source.replace("Pilot", "First pilot"), PERSON, NOW, replace=True)
    with pytest.raises(Conflict):
        import_sample(database, PERSON, NOW)
