"""`punktum-server` as people type it: sentences and exit codes, never a traceback."""

from __future__ import annotations

import functools
import importlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from app import journal
from app.command_line.asking import cli
from app.db import WriteSession
from app.db.lockfile import FolderLock
from app.exchange.commands import import_sample
from app.journal import Actor
from app.serving import prepare
from app.settings import Settings
from tests.house.source import ROOT

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def _run(
    *words: object, data: Path | None = None, env: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "bench.start", *map(str, words)]
    if data is not None:
        command += ["--data", str(data)]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), **(env or {})}
    done = subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr[-1500:]
    return done.returncode, done.stdout, done.stderr


def _note(number: int, tx: WriteSession) -> None:
    actor = Actor("person", "local")
    journal.append(tx, "invoice-adapter", "note.made", actor, {"n": number}, NOW)


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A data folder with the sample's draft and three journal entries."""
    folder = tmp_path / "data"
    folder.mkdir()
    database = prepare(Settings(PUNKTUM_DATA=folder, _env_file=None))
    actor = Actor("person", "local")
    import_sample(database, actor, NOW)
    for number in range(3):
        database.write("invoice-adapter", functools.partial(_note, number))
    database.close()
    return folder


def test_every_act_shows_examples_that_can_be_typed() -> None:
    """The options and arguments of an example are those of its act."""
    for acts in ("serving", "keeping", "record", "plans"):
        importlib.import_module(f"app.command_line.{acts}")
    group = typer.main.get_command(cli)
    assert isinstance(group, TyperGroup)
    found = dict(_acts(group))
    assert {"serve", "demo", "backup", "import", "plan", "plan verify"} <= found.keys()
    for name, act in found.items():
        with act.make_context(f"punktum-server {name}", [], resilient_parsing=True) as context:
            said = act.get_help(context)
        typed_lines = (line.split() for line in said.splitlines())
        lines = [words for words in typed_lines if words[:1] == ["punktum-server"]]
        assert 1 <= len(lines) <= 2, name
        for _program, *typed in lines:
            own = name.split()
            assert typed[: len(own)] == own
            words = typed[len(own) :]
            act.make_context(name, words[: words.index(">")] if ">" in words else words)


def _acts(group: TyperGroup, above: str = "") -> Iterator[tuple[str, Any]]:
    """Every act by its words, also those of acts that have acts of their own."""
    for name, act in group.commands.items():
        yield f"{above}{name}", act
        if isinstance(act, TyperGroup):
            yield from _acts(act, f"{above}{name} ")


def test_audit_says_heads_and_counts(filled: Path) -> None:
    code, said, _ = _run("audit", data=filled)
    assert code == 0
    assert "3 entries in 1 campaigns, 0 findings" in said
    assert "head   invoice-adapter 3 " in said


def _tamper(folder: Path, statement: str) -> None:
    """As the database's owner would: guards dropped first."""
    with sqlite3.connect(folder / "punktum.sqlite") as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'journal'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE journal SET payload = '{\"n\":9}' WHERE number = 2", "entry 2"),
        ("UPDATE journal SET actor_name = 'eve' WHERE number = 1", "entry 1"),
        ("UPDATE journal SET at = '2020-01-01 00:00:00.000000' WHERE number = 3", "entry 3"),
        ("DELETE FROM journal WHERE number = 2", "entry 2"),
        ("UPDATE journal SET number = 4 WHERE number = 3", "entry 3"),
    ],
)
def test_an_edit_by_the_owner_is_found_and_the_first_wrong_entry_named(
    filled: Path, statement: str, named: str
) -> None:
    _tamper(filled, statement)
    code, said, _ = _run("audit", data=filled)
    assert code == 1
    assert named in said


def test_a_cut_tail_is_found_with_an_anchor_only(filled: Path, tmp_path: Path) -> None:
    _, said, _ = _run("audit", data=filled)
    _, number, sha256 = next(line for line in said.splitlines() if line.startswith("head")).split()[
        1:
    ]
    anchor = tmp_path / "anchor.json"
    anchor.write_text(json.dumps({"invoice-adapter": {"number": int(number), "sha256": sha256}}))
    assert _run("audit", "--anchor", anchor, data=filled)[0] == 0
    _tamper(filled, "DELETE FROM journal WHERE number = 3")
    assert _run("audit", data=filled)[0] == 0
    code, said, _ = _run("audit", "--anchor", anchor, data=filled)
    assert code == 1
    assert "the chain ends at entry 2, the anchor saw 3" in said


def test_backup_and_restore_set_nothing_on_fire(filled: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    assert _run("backup", copy, data=filled)[0] == 0
    assert _run("backup", copy, data=filled)[0] == 2
    _tamper(filled, "DELETE FROM journal WHERE number = 3")
    code, _, talk = _run("restore", copy, data=filled)
    assert code == 0
    assert "what was there lies in" in talk
    assert "3 entries" in _run("audit", data=filled)[1]
    (tmp_path / "torn").write_bytes(copy.read_bytes()[:5000])
    assert _run("restore", tmp_path / "torn", data=filled)[0] == 1
    assert "3 entries" in _run("audit", data=filled)[1]


def test_only_a_database_of_ours_takes_the_place(filled: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with sqlite3.connect(tmp_path / "other") as connection:
        connection.execute("CREATE TABLE notes (line TEXT)")
    assert _run("backup", tmp_path / "newer", data=filled)[0] == 0
    with sqlite3.connect(tmp_path / "newer") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    for name, code, talk in (
        ("empty", 1, "is not a database of Punktum"),
        ("other", 1, "is not a database of Punktum"),
        ("newer", 4, "the database is at revision 9999"),
    ):
        done, _, said = _run("restore", tmp_path / name, data=filled)
        assert (done, talk in said) == (code, True), said
    assert sorted(file.name for file in filled.iterdir()) == ["punktum.lock", "punktum.sqlite"]
    assert "3 entries" in _run("audit", data=filled)[1]


def test_a_file_that_differs_is_read_when_that_is_said(filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "changed.toml"
    _, said, _ = _run("export", "invoice-adapter", data=filled)
    file.write_text(said.replace("people = 1", "people = 2") + "\n", "utf-8")
    file.write_text(file.read_text("utf-8").replace("Which adapter", "Which other adapter"))
    code, _, talk = _run("import", file, data=filled)
    assert (code, "campaign.question" in talk) == (1, True), talk
    assert _run("import", "--replace", file, data=filled)[0] == 0
    assert "Which other adapter" in _run("export", "invoice-adapter", data=filled)[1]


def test_audit_for_scripts(filled: Path) -> None:
    code, said, _ = _run("audit", "--json", data=filled)
    report = json.loads(said)
    assert (code, report["findings"], report["entries"]) == (0, [], 3)
    assert report["heads"]["invoice-adapter"]["number"] == 3


@pytest.mark.parametrize(
    ("words", "env", "code", "talk"),
    [
        (["backup", "/nowhere/copy"], {}, 2, "there is no folder /nowhere"),
        (["import", "/"], {}, 2, "there is no file /"),
        (["config"], {"PUNKTUM_LOG_LEVEL": "loud"}, 2, "PUNKTUM_LOG_LEVEL"),
        (["config"], {"DATABASE_URL": "mysql://a:hidden@h/d"}, 2, "DATABASE_URL"),
        (["migrate"], {"DATABASE_URL": "postgresql://a:hidden@127.0.0.1:1/x"}, 1, "not answer"),
        (["rebuild"], {"DATABASE_URL": "postgresql://a:hidden@127.0.0.1:1/x"}, 1, "not answer"),
    ],
)
def test_other_slips_end_with_a_sentence_too(
    filled: Path, words: list[str], env: dict[str, str], code: int, talk: str
) -> None:
    done, _, said = _run(*words, data=filled, env=env)
    assert (done, talk in said) == (code, True), said
    assert "hidden" not in said


@pytest.mark.parametrize(
    "words",
    [["serve", "--port", "0"], ["audit"], ["rebuild"], ["migrate"], ["export", "x"],
     ["backup", "copy"], ["import", ROOT / "examples" / "digits" / "campaign.toml"]],
)  # fmt: skip
def test_a_file_that_is_no_database_is_said(tmp_path: Path, words: list[object]) -> None:
    (tmp_path / "punktum.sqlite").write_text("not a database, by far")
    named = [tmp_path / word if word == "copy" else word for word in words]
    code, _, said = _run(*named, data=tmp_path)
    assert code == 1
    assert "file is not a database" in said


def test_acts_that_write_refuse_while_the_folder_is_served(filled: Path, tmp_path: Path) -> None:
    with FolderLock(filled, "http://127.0.0.1:8123"):
        for words in (
            ["rebuild"],
            ["migrate"],
            ["import", ROOT / "README.md"],
            ["restore", ROOT / "README.md"],
        ):
            code, _, talk = _run(*words, data=filled)
            assert code == 3, words
            assert "http://127.0.0.1:8123" in talk
        assert _run("backup", tmp_path / "served", data=filled)[0] == 0
        assert _run("audit", data=filled)[0] == 0


@pytest.mark.parametrize(
    ("words", "code", "talk"),
    [
        (["audit"], 1, "there is no database"),
        (["export", "x"], 1, "there is no database"),
        (["backup", "x"], 1, "there is no database"),
        (["restore", "/nowhere"], 2, "there is no file"),
        (["import", "/nowhere"], 2, "there is no file"),
        (
            ["serve", "--host", "0.0.0.0", "--port", "0"],
            2,
            "without a login only this machine is served",
        ),
        (["serve", "--port", "99999"], 2, "less than or equal to 65535"),
        (["nothing"], 2, ""),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    tmp_path: Path, words: list[str], code: int, talk: str
) -> None:
    done, _, said = _run(*words, data=None if words == ["nothing"] else tmp_path / "none")
    assert done == code
    assert talk in said


def test_a_database_that_is_away_is_said(tmp_path: Path) -> None:
    away = {"DATABASE_URL": "postgresql://someone:hidden@127.0.0.1:1/x"}
    for words in (["serve", "--port", "0"], ["audit"], ["export", "x"]):
        code, _, said = _run(*words, data=tmp_path, env=away)
        assert code == 1, words
        assert "the database does not answer" in said
        assert "hidden" not in said


def test_config_hides_secrets(tmp_path: Path) -> None:
    secret = {"DATABASE_URL": "postgresql://a:hidden@h/d", "PUNKTUM_SECRET": "hidden too"}
    for words in (["config"], ["config", "--json"]):
        code, said, _ = _run(*words, data=tmp_path, env=secret)
        assert code == 0
        assert "hidden" not in said.replace("(hidden)", "")
        assert "PUNKTUM_PORT" in said


def test_a_wrong_campaign_file_is_refused_with_its_lines(filled: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('format = "punktum/1"\n[campaign]\nid = "x"\nquestoin = "?"\n')
    code, _, talk = _run("import", wrong, data=filled)
    assert code == 1
    assert "line 4: campaign.questoin" in talk


def test_export_gives_the_file_back(filled: Path, tmp_path: Path) -> None:
    code, first, _ = _run("export", "invoice-adapter", data=filled)
    assert code == 0
    again = tmp_path / "again.toml"
    again.write_text(first, "utf-8")
    assert _run("import", again, data=filled)[0] == 0
    assert _run("export", "invoice-adapter", data=filled)[1] == first
    assert _run("export", "nothing", data=filled)[0] == 1
