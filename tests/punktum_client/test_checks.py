"""Checks on the box: parameters, schema, a value reproduced, supersets of ids, local bases."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import textwrap
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from punktum.checks import Subject, Verdict, fresh, rows, run_check
from punktum.checks.reproduce import last_number
from punktum.checks.temporary_paths import is_not_reloaded
from punktum.hashing import path_sha256
from punktum.manifest import make_manifest
from punktum.sheet import Sheet

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def verdict(folder: Path, waits: bool = True, /, **announced: Any) -> Verdict:
    subject = Subject(folder, make_manifest(folder), Sheet({}), waits)
    return run_check({name.rstrip("_"): value for name, value in announced.items()}, subject)


# -- parameters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "detail"),
    [
        ("p.json", '{"lr": 0.1, "optimizer": {"name": "adam"}}', "2 of 2 parameters"),
        ("p.json", '{"lr": 0, "optimizer.name": false}', "2 of 2 parameters"),
        ("p.json", '{"lr": null, "optimizer": {"name": ""}}', "2 missing: lr, optimizer.name"),
        ("p.json", '{"lr": 1, "optimizer": "adam"}', "1 missing: optimizer.name"),
        ("p.json", "[1]", "p.json: no object of names and values"),
        ("p.json", "{", "p.json: "),
        ("p.json", "[" * 100_000, "p.json: "),
        ("p.txt", "# made by hand\nlr: 0.1\noptimizer.name = 'adam' # x\n", "2 of 2 parameters"),
        ("p.txt", "lr =\n= 3\n", "2 missing: lr, optimizer.name"),
        ("p.txt", b"\xff\xfe", "p.txt: 'utf-8' codec"),
    ],
)
def test_parameters(tmp_path: Path, name: str, content: str | bytes, detail: str) -> None:
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    found = verdict(tmp_path, kind="parameters", file=name, keys=["lr", "optimizer.name"])
    assert found.detail.startswith(detail)
    assert found.passed is (detail == "2 of 2 parameters")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="TOML is read from Python 3.11 on")
def test_parameters_in_toml(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("lr = 0.1\n[optimizer]\nname = 'adam'\n")
    found = verdict(tmp_path, kind="parameters", file="p.toml", keys=["lr", "optimizer.name"])
    assert found.passed
    assert found.evidence["values"] == {"lr": 0.1, "optimizer.name": "adam"}


def test_a_file_that_is_too_large_for_parameters_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "p.json").open("wb") as stream:
        stream.truncate((16 << 20) + 1)
    found = verdict(tmp_path, kind="parameters", file="p.json", keys=["lr"])
    assert (found.passed, found.detail) == (
        False, "p.json: larger than 16 MiB, no file of parameters",
    )  # fmt: skip


# -- schema -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "announced", "detail"),
    [
        ("t.csv", "y,id\n1,a\n2,b\n", {"columns": ["id", "y"], "rows": 2},
         "2 rows, columns id, y"),
        ("t.csv", "id\na\n\nb\n", {"rows": 2}, "2 rows"),
        ("t.csv", 'id,t\na,"x\ny"\n', {"columns": ["id"], "min_rows": 1}, "1 row, columns id"),
        ("t.csv", "id\na\n", {"rows": 2}, "1 row, announced are 2"),
        ("t.csv", "id\n", {"min_rows": 1}, "0 rows, at least 1 are announced"),
        ("t.csv", "id,x\n", {"columns": ["y"]}, "t.csv: no column y; there is id, x"),
        ("t.csv", "id,id\n", {"rows": 0}, "t.csv: the column id is there twice"),
        ("t.csv", "id,y\na,1\nb\n", {"rows": 2}, "t.csv: row 3 has 1 cells, the head has 2"),
        ("t.csv", "", {"columns": ["y"]}, "t.csv: no column y; there is nothing"),
        ("t.tsv", "id\ty\na\t1\n", {"columns": ["y"], "rows": 1}, "1 row, columns y"),
        ("t.jsonl", '{"id": 1, "y": null}\n\n{"y": 2, "id": 1}\n',
         {"columns": ["id", "y"], "rows": 2}, "2 rows, columns id, y"),
        ("t.jsonl", '{"id": 1}\n{"y": 2}\n', {"columns": ["id"]},
         "t.jsonl: line 2: no column id; there is y"),
        ("t.jsonl", "[1]\n", {"rows": 1}, "t.jsonl: line 1 is no object"),
        ("t.jsonl", "nothing\n", {"rows": 1}, "t.jsonl: line 1 is not JSON"),
        ("t.bin", "x", {"rows": 1}, "t.bin: only .csv, .tsv, .tab, .jsonl, .ndjson have columns"),
    ],
)  # fmt: skip
def test_schema(
    tmp_path: Path, name: str, content: str, announced: dict[str, Any], detail: str
) -> None:
    (tmp_path / name).write_text(content)
    found = verdict(tmp_path, kind="schema", file=name, **announced)
    assert found.detail.startswith(detail)
    assert found.passed is (found.evidence != {} and "announced" not in detail)


@pytest.mark.parametrize("kind", ["parameters", "schema"])
@pytest.mark.parametrize("name", ["gone.csv", "../p.csv", "/etc/passwd", ""])
def test_a_file_that_is_not_there_or_lies_outside(tmp_path: Path, kind: str, name: str) -> None:
    (tmp_path / "p.csv").write_text("id\n1\n")
    (tmp_path / "out").mkdir()
    found = verdict(tmp_path / "out", kind=kind, file=name, keys=["id"], rows=1)
    assert (found.passed, found.detail) == (False, f"{name or 'file'} is not there")


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.txt"])
def test_an_endless_line_is_refused_without_being_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(rows, "LONGEST_LINE", 64)
    (tmp_path / name).write_text("id" + "x" * 100)
    found = verdict(tmp_path, kind="expected_ids", ids=["1"], file=name)
    assert (found.passed, found.detail) == (False, f"{name}: line 1 is longer than 64 characters")


# -- expected_ids -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "match", "detail", "passes"),
    [
        ("1\n2\n3\n", "superset", "2 of 2 ids, each once, and 1 more", True),
        ("1\n2\n", "superset", "2 of 2 ids, each once", True),
        ("1\n3\n", "superset", "1 missing: 2", False),
        ("1\n2\n3\n3\n", "superset", "1 twice: 3", False),
        ("1\n2\n3\n", "exact", "1 extra: 3", False),
        ("1\n2\n", "some", "match is 'some'; it is exact or superset", False),
    ],
)
def test_ids_may_be_a_superset(
    tmp_path: Path, content: str, match: str, detail: str, passes: bool
) -> None:
    (tmp_path / "p.txt").write_text(content)
    found = verdict(tmp_path, kind="expected_ids", ids=["1", "2"], file="p.txt", match=match)
    assert (found.passed, found.detail) == (passes, detail)


# -- no_temporary_paths -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["logs/train.txt", "a/train.LOG", "checkpoint-9/trainer_state.json", "events.out.tfevents.1"],
)
def test_logs_and_trainer_state_are_only_warned_of(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("cache: /tmp/x")
    found = verdict(tmp_path, kind="no_temporary_paths")
    assert found.passed
    assert found.detail == f"none in 1 file but for logs and trainer state: {name}: /tmp/x"
    assert found.evidence["warned"] == [{"file": name, "path": "/tmp/x"}]
    (tmp_path / "config.json").write_text('{"base": "/tmp/y"}')
    found = verdict(tmp_path, kind="no_temporary_paths")
    assert (found.passed, found.detail) == (False, "config.json: /tmp/y")
    assert verdict(tmp_path, kind="no_temporary_paths", except_=["*"]).evidence == {"files": 0}


@pytest.mark.parametrize("name", ["adapter_config.json", "logs.json", "catalog", "blog/x.json"])
def test_what_only_sounds_like_a_log_is_needed(name: str) -> None:
    assert not is_not_reloaded(name)


# -- base_revision ----------------------------------------------------------------------------


def adapter(folder: Path, base: str, revision: str | None) -> Path:
    folder.mkdir(exist_ok=True)
    config = {"base_model_name_or_path": base, "revision": revision}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize("by", ["absolute", "beside"])
def test_a_local_base_is_pinned_by_the_hash_of_its_files(tmp_path: Path, by: str) -> None:
    out = adapter(tmp_path / "out", "x", None)
    base = tmp_path / "base"
    base.mkdir()
    (base / "model.bin").write_text("weights")
    name = str(base) if by == "absolute" else "../base"
    pinned = path_sha256(base)
    for wrong in ("main", None, COMMIT, "0" * 64):
        adapter(out, name, wrong)
        found = verdict(out, kind="base_revision")
        assert not found.passed
        assert found.detail.endswith(f"the SHA-256 of the files of {name} is {pinned}")
    adapter(out, name, pinned)
    assert verdict(out, kind="base_revision").passed
    (base / "model.bin").write_text("other weights")
    assert not verdict(out, kind="base_revision").passed


def test_a_local_base_of_another_machine_must_at_least_be_pinned(tmp_path: Path) -> None:
    out = adapter(tmp_path / "out", "/data/gone/base", "main")
    assert "the SHA-256 of the files of /data/gone/base is needed" in (
        verdict(out, kind="base_revision").detail
    )
    adapter(out, "/data/gone/base", "0" * 64)
    assert verdict(out, kind="base_revision").passed


# -- reproduce --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "number"),
    [
        ("f1: 0.8231\n", "0.8231"), ("f1=0.82", "0.82"), ("0.1 then 2e-3", "0.002"),
        ("acc 0.5\ndone.", "0.5"), ("value .25", "0.25"), ("-3", "-3"), ("nothing", None),
        ("0.8 nan", "NaN"), ("loss: inf", "Infinity"), ("0.5 f1", "0.5"), ("took 3.1s", None),
        ("50%", None), ("0.82.", "0.82"), ("version 1.2.3", None), ("banana 4", "4"),
    ],
)  # fmt: skip
def test_the_last_number_that_stands_by_itself(output: str, number: str | None) -> None:
    found = last_number(output)
    assert (None if found is None else str(found)) == (
        None if number is None else str(Decimal(number))
    )


@pytest.mark.parametrize(
    ("printed", "tolerance", "detail", "passes"),
    [
        ("f1 0.8231", "0.0001", "printed 0.8231, announced is 0.823 ± 0.0001", True),
        ("f1 0.8232", "0.0001", "printed 0.8232, announced is 0.823, 0.0002 away", False),
        ("f1 0.823", None, "printed 0.823, announced is 0.823 ± 0", True),
        ("f1 nan", "9", "printed NaN, announced is 0.823", False),
        ("no number", "9", "the command printed no number", False),
    ],
)
def test_a_value_is_reproduced(
    tmp_path: Path, printed: str, tolerance: str | None, detail: str, passes: bool
) -> None:
    (tmp_path / "a.txt").write_text(printed)
    more = {} if tolerance is None else {"tolerance": tolerance}
    found = verdict(tmp_path, kind="reproduce", command="cat a.txt", value="0.823", **more)
    assert (found.passed, found.detail) == (passes, detail)
    assert found.evidence["command"] == "cat a.txt"
    assert found.evidence["output"] == printed


def test_a_command_that_fails_reproduces_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("0.823")
    found = verdict(tmp_path, kind="reproduce", command="cat a.txt; exit 3", value="0.823")
    assert (found.passed, found.detail) == (False, "exit 3: 0.823")
    found = verdict(tmp_path, kind="reproduce", command="cat a.txt")
    assert found.detail == "command and value were not announced"


# -- waiting ----------------------------------------------------------------------------------


@pytest.fixture
def going_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> subprocess.Popen[str]:
    """A run of ours that goes on until it is told to end; its spool lies with the deliverable."""
    for name in ("PUNKTUM_SPOOL", "PUNKTUM_ATTEMPT_ID", "PUNKTUM_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "a.txt").write_text("a")
    job = "import sys; print('ready', flush=True); sys.stdin.read()"
    command = [
        sys.executable, "-m", "punktum", "run", "--step", "control", "--run", "a-01",
        "--output", str(tmp_path), "--", sys.executable, "-c", job,
    ]  # fmt: skip
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.communicate()


@pytest.mark.parametrize("kind", ["reload", "reproduce"])
def test_without_waiting_a_command_is_left_out_while_a_run_goes_on(
    tmp_path: Path, going_on: subprocess.Popen[str], kind: str
) -> None:
    try:
        found = verdict(tmp_path, False, kind=kind, command="echo 1", value="1")
        assert (found.passed, found.not_run) == (False, True)
        assert found.detail == "a-01 goes on and may need the GPU"
        assert found.form()["not_run"] is True
    finally:
        end(going_on)
    assert verdict(tmp_path, False, kind=kind, command="echo 1", value="1").passed


def test_a_command_waits_until_the_run_is_over(
    tmp_path: Path,
    going_on: subprocess.Popen[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(fresh, "ASKED_EVERY_S", 0.01)
    found: list[Verdict] = []
    subject = Subject(tmp_path, make_manifest(tmp_path), Sheet({}))
    check = {"kind": "reload", "command": "true"}
    waiting = threading.Thread(target=lambda: found.append(run_check(check, subject)))
    waiting.start()
    waiting.join(0.3)
    assert waiting.is_alive()
    end(going_on)
    waiting.join()
    assert found[0].passed
    assert capsys.readouterr().err.count("waiting: a-01 goes on") == 1


def test_a_verification_inside_a_run_does_not_wait_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("a")
    code = """
        from pathlib import Path
        from punktum.checks import Subject, run_check
        from punktum.manifest import make_manifest
        from punktum.sheet import Sheet
        here = Path()
        subject = Subject(here, make_manifest(here), Sheet({}))
        print(run_check({"kind": "reload", "command": "true"}, subject).passed)
    """
    command = [
        sys.executable, "-m", "punktum", "run", "--step", "control", "--run", "a-01",
        "--output", ".", "--", sys.executable, "-c", textwrap.dedent(code),
    ]  # fmt: skip
    root = Path(fresh.__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "True\n"


@pytest.mark.parametrize(("used", "is_busy"), [("3", False), ("3\\n9000", True), ("[N/A]", True)])
def test_gpus_that_hold_nothing_are_not_waited_for(
    tmp_path: Path,
    going_on: subprocess.Popen[str],
    monkeypatch: pytest.MonkeyPatch,
    used: str,
    is_busy: bool,
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    smi = tools / "nvidia-smi"
    smi.write_text(f"#!/bin/sh\nprintf '{used}\\n'\n")
    smi.chmod(smi.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    try:
        subject = Subject(tmp_path, (), Sheet({}))
        assert (fresh.busy_with(subject) == "a-01") is is_busy
    finally:
        end(going_on)


# -- evidence ---------------------------------------------------------------------------------


def test_every_check_says_when_it_was_run(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    for kind in ("non_empty", "base_revision", "tomorrow"):
        evidence = verdict(tmp_path, kind=kind).form()["evidence"]
        assert isinstance(evidence, dict)
        assert str(evidence["at"]).endswith("Z")
