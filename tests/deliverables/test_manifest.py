"""Manifests: paths that stay inside, one hash for the same files, readable differences."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.deliverables.rules.manifest import (
    File,
    difference,
    in_order,
    manifest_objection,
    manifest_sha256,
    path_problem,
    visible,
)
from app.deliverables.rules.words import size_said
from tests.deliverables.plans import FILES, file

PARTS = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=12)
GOOD = st.lists(PARTS, min_size=1, max_size=5).map("/".join)


@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/passwd", "\\share\\x", "C:/x", "c:x", "..", "../x", "a/../../x", "a\\..\\x",
        "a//b", "./a", "a/.", "a/", "a\nb", "a\x00", "a\x7f", "a\ud800", "x" * 1025,
    ],
)  # fmt: skip
def test_a_path_that_leaves_its_folder_or_hides_something_is_refused(path: str) -> None:
    assert path_problem(path) is not None


@pytest.mark.parametrize(
    "path",
    ["a", "~a", "a/b.csv", "..a", "a..b", "Vorhersagen für März.csv", "dự đoán.csv", ".hidden/x"],
)
def test_a_plain_path_is_taken(path: str) -> None:
    assert path_problem(path) is None


@given(GOOD)
def test_an_accepted_path_stays_inside(path: str) -> None:
    if path_problem(path) is None:
        assert not path.startswith("/")
        assert ".." not in path.split("/")
        assert "" not in path.split("/")


@pytest.mark.parametrize(
    ("files", "field"),
    [
        ((), "manifest.files"),
        ((file("a"), file("../b")), "manifest.files.1.path"),
        ((file("a"), file("a")), "manifest.files.1.path"),
        ((replace(file("a"), size=-1),), "manifest.files.0.size"),
        ((replace(file("a"), size=2**53),), "manifest.files.0.size"),
        ((replace(file("a"), sha256="abc"),), "manifest.files.0.sha256"),
        ((replace(file("a"), sha256="A" * 64),), "manifest.files.0.sha256"),
    ],
)
def test_what_makes_a_manifest_unreadable_is_named(files: tuple[File, ...], field: str) -> None:
    objection = manifest_objection(files)
    assert objection is not None
    assert objection.field == field


def test_a_good_manifest() -> None:
    assert manifest_objection(FILES) is None


@given(st.permutations(FILES))
def test_the_order_of_files_does_not_matter(files: list[File]) -> None:
    assert manifest_sha256(files) == manifest_sha256(FILES)
    assert in_order(files) == in_order(FILES)


def test_every_change_of_a_file_changes_the_hash() -> None:
    first, *rest = FILES
    others = (replace(first, path="x"), replace(first, size=99), replace(first, sha256="f" * 64))
    hashes = {manifest_sha256([other, *rest]) for other in (first, *others)}
    assert len(hashes) == 4


def test_a_difference_names_every_file() -> None:
    found = [FILES[0], replace(FILES[1], size=1), file("new.txt")]
    unlike = difference(FILES, found)
    assert unlike.missing == ("logs/run.txt",)
    assert unlike.added == ("new.txt",)
    assert unlike.changed == ("reload.py",)
    assert unlike
    assert not difference(FILES, FILES)


@given(st.text())
def test_made_visible_a_text_can_be_stored(given_: str) -> None:
    shown = visible(given_)
    shown.encode("utf-8")
    assert "\x00" not in shown


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
        (1024**2, "1.0 MiB"), (40 * 1024**3, "40.0 GiB"), (3 * 1024**5, "3072.0 TiB"),
    ],
)  # fmt: skip
def test_sizes_in_words(size: int, said: str) -> None:
    assert str(size_said(size)) == said
