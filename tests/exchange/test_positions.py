"""The walk over a TOML text finds exactly the keys that tomllib finds, on their lines.

In the documents of these tests every whole number is the number of the line it stands on, so the
right answer is written into the document itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from random import Random

import tomllib
from hypothesis import given, settings
from hypothesis import strategies as st

from app.exchange.rules import write_campaign_file
from app.exchange.rules.positions import Path, line_of, positions
from app.plan.rules.model import Plan
from tests.plan.generated import plans

NASTY = '''\
# a comment with [brackets] = "and" \'quotes\'
a = 2
"quoted.key" = 3
'lit = eral' . "in\\"ner" = 4
[table] # [not.this]
b = 6 # = 99
c = """
one ] line
[[d]] = "" ""
\\""""
e = 11
f = \'\'\'
g = 1\'\'\'\'\'
h = [14, 14,
  15, # a comment, with ] and }
  [16, "]", [16,
17]], { x = 17, "y z" = [17, 17] },
]
   [  table . deeper  ]
i.j . k = 20
i.l = 21
m = { n.o = 22, p = \'}\', q = "}", r = {}, s = { t = 22 } }
[[list]]
u = 24
[[list]]
u = 26
[list.inner]
v = 28
[[list.many]]
w = 30
[[list.many]]
w = 32
[[list]]
[[list.many]]
w = 35
[[table.deeper.y]]
z = 37
when = 1979-05-27T07:32:00Z # [no]
half = [1.5, true, inf,\tnan]
empty = []
last = 41'''


def leaves(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Every path of a document with what stands there."""
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))


def assert_right(source: str) -> None:
    """All paths are found, none besides, and each number is on the line it names."""
    found = positions(source)
    expected = dict(leaves(tomllib.loads(source)))
    assert set(found) == set(expected)
    for path, value in expected.items():
        if type(value) is int:
            assert found[path] == value, path


def test_every_way_to_write_a_key() -> None:
    assert_right(NASTY)


def test_line_ends_of_windows() -> None:
    assert_right(NASTY.replace("\n", "\r\n"))


def test_tables_stand_where_they_begin() -> None:
    found = positions(NASTY)
    assert found[("table",)] == 5
    assert found[("table", "deeper")] == 19
    assert [found[("list", index)] for index in range(3)] == [23, 25, 33]
    assert found[("list", 1, "many", 1)] == 31
    assert found[("table", "h", 3, 2)] == 16


def test_what_is_missing_is_looked_for_in_what_is_around_it() -> None:
    found = positions(NASTY)
    assert line_of(("list", 1, "missing", 3, "deep"), found) == 25
    assert line_of(("nowhere",), found) == 1
    assert line_of((), found) == 1


def _statement(random: Random, name: str, line: int) -> str:
    """A key with a value, in which every number is its line."""
    key = random.choice([name, f'"{name} =.[]#"', f"'{name}'.deep", f"{name} . a . b"])
    value = random.choice([
        f"{line}",
        f"[{line}, [], [{line}, {{ x = {line} }}], ]",
        f"[ # ]\n\n  {line + 2},\n\t\"\"\"]\n\"\"\",\n{line + 5} # }}\n, ]",
        f"{{ a = {line}, b.c = [{line}], 'd e' = {{ }} }}",
        "'''\n[x]\ny = 1\n'''",
        '"a \\" = ] # b"',
        '""" "" \\""" # """',
    ])  # fmt: skip
    return f"{random.choice(['', '  '])}{key} = {value}{random.choice(['', ' # = [1]'])}"


TABLES = ["[t.{name}]\n", "[[{name}]]\n", "[[l]]\n", "[[l]]\n[[ l.'m n' ]]\n[[l.'m n']]\n"]


def _document(seed: int) -> str:
    """A TOML document made of statements, tables and lists of tables."""
    random = Random(seed)
    written = ""
    for number in range(random.randint(1, 12)):
        name = f"k{number}"
        written += random.choice(["", "\n", "# [no]\n"])
        if random.random() < 0.4:
            written += random.choice(TABLES).format(name=name)
        line = written.count("\n") + 1
        written += _statement(random, name, line) + "\n"
    return written


@settings(max_examples=300)
@given(st.integers(0, 2**32 - 1).map(_document))
def test_documents_made_up(source: str) -> None:
    assert_right(source)


@given(plans())
def test_every_key_of_an_exported_plan(plan: Plan) -> None:
    source = write_campaign_file(plan)
    found = positions(source)
    document = dict(leaves(tomllib.loads(source)))
    assert set(found) == set(document)
    rows = source.split("\n")
    for path, line in found.items():
        if isinstance(path[-1], str) and isinstance(document[path], (str, int)):
            assert path[-1].split('"')[0] in rows[line - 1].replace("\\\\", "\\")


SCRAPS = ["a", "b.c", '"d"', "=", "=", "1", '"x"', "[", "]", "{", "}", ",", "\n", "\n", " ", "#",
          "'''", '"""', "[[", "]]", ".", "\\", "'", "\r\n", "1.5", "true"]  # fmt: skip


@settings(max_examples=500)
@given(st.lists(st.sampled_from(SCRAPS), max_size=14).map("".join))
def test_scraps_that_happen_to_be_valid(source: str) -> None:
    with contextlib.suppress(tomllib.TOMLDecodeError):
        expected = dict(leaves(tomllib.loads(source)))
        assert set(positions(source)) == set(expected)
