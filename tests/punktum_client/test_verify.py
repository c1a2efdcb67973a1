"""Verifying a deliverable: manifest, announced checks, evidence."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from punktum.checks import Subject, Verdict, fresh, run_check, temporary_paths
from punktum.manifest import ManifestError, make_manifest
from punktum.sheet import Sheet, kept_sheet, sheet_of_campaign_file
from tests.punktum_client.box import Box
from tests.punktum_client.loopback import Loopback, wait_until

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def verdict(folder: Path, sheet: dict[str, Any] | None = None, /, **announced: Any) -> Verdict:
    subject = Subject(folder, make_manifest(folder), Sheet(sheet or {}))
    return run_check({name.rstrip("_"): value for name, value in announced.items()}, subject)


def put(folder: Path, **files: str | bytes) -> None:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


# -- manifest ---------------------------------------------------------------------------------


def test_the_manifest_lists_every_file_but_ours(tmp_path: Path) -> None:
    put(tmp_path, a_txt="a", sub__b_txt="bb", empty_txt="")
    put(tmp_path, **{"_punktum__spool__x": "x"})
    assert [(e.path, e.size) for e in make_manifest(tmp_path)] == [
        ("a.txt", 1),
        ("empty.txt", 0),
        ("sub/b.txt", 2),
    ]
    assert make_manifest(tmp_path)[0].sha256 == hashlib.sha256(b"a").hexdigest()
    assert [entry.path for entry in make_manifest(tmp_path, ["sub/*"])] == ["sub/b.txt"]


def test_large_files_are_read_in_blocks(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as stream:
        stream.truncate(5 << 20)
    lengths: list[int] = []
    entry = make_manifest(tmp_path, on_bytes=lengths.append)[0]
    assert entry.sha256 == hashlib.sha256(bytes(5 << 20)).hexdigest()
    assert sum(lengths) == 5 << 20
    assert max(lengths) <= 1 << 20


def test_a_link_inside_is_a_file_and_one_that_leads_out_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    put(out, a_txt="a")
    (out / "b.txt").symlink_to("a.txt")
    assert [entry.path for entry in make_manifest(out)] == ["a.txt", "b.txt"]
    (out / "c.txt").symlink_to("/etc/hostname")
    with pytest.raises(ManifestError, match=r"c\.txt is a link that leads out"):
        make_manifest(out)


@pytest.mark.parametrize("kind", ["pipe", "folder link"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(tmp_path / "pipe")
    else:
        (tmp_path / "real").mkdir()
        (tmp_path / "linked").symlink_to("real")
    with pytest.raises(ManifestError, match=r"no regular file|link to a folder"):
        make_manifest(tmp_path)


# -- non_empty --------------------------------------------------------------------------------


def test_non_empty(tmp_path: Path) -> None:
    assert verdict(tmp_path, kind="non_empty").detail == "there is no file"
    put(tmp_path, a_txt="a", b_txt="b")
    assert verdict(tmp_path, kind="non_empty") == Verdict(
        "non_empty", True, "2 files, none empty", {"files": 2, "empty": []}
    )
    put(tmp_path, logs__x_log="", c_csv="")
    failed = verdict(tmp_path, kind="non_empty")
    assert (failed.passed, failed.detail) == (False, "empty: c.csv, logs/x.log (4 files)")
    assert verdict(tmp_path, kind="non_empty", except_=["logs/*", "c.csv"]).passed


# -- expected_ids -----------------------------------------------------------------------------

SHEET = {"corpora": [{"id": "eval", "ids": ["1", "2", "3"]}]}
IDS = {"kind": "expected_ids", "corpus": "eval", "file": "p.csv", "column": "id"}


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        ("id,y\n3,a\n1,b\n2,c\n", "3 of 3 ids, each once"),
        ('\ufeffy,id\n"a\nb",1\nx,2\nx,3\n', "3 of 3 ids, each once"),
        ("id,y\n1,a\n", "2 missing: 2, 3"),
        ("id\n1\n2\n3\n4\n5\n", "2 extra: 4, 5"),
        ("id\n1\n2\n2\n3\n3\n3\n", "2 twice: 2, 3"),
        ("id\n01\n2\n3\n", "1 missing: 1; 1 extra: 01"),
        ("name\n1\n", "p.csv: no column 'id'; there is name"),
        ("y,id\na,1\nb\n", "p.csv: row 3 has no 'id'"),
        ("", "p.csv: no column 'id'; there is nothing"),
        (b"id\n\xff\xfe\n", "p.csv: 'utf-8' codec can't decode byte 0xff in position 3"),
    ],
)
def test_expected_ids_in_a_table(tmp_path: Path, content: str | bytes, detail: str) -> None:
    put(tmp_path, p_csv=content)
    found = verdict(tmp_path, SHEET, **IDS)
    assert found.detail.startswith(detail)
    assert found.passed is detail.endswith("once")


@pytest.mark.parametrize(
    ("name", "content", "detail"),
    [
        ("p.jsonl", '{"id": 1}\n{"id": "2"}\n\n{"id": 3}\n', "3 of 3 ids, each once"),
        ("p.jsonl", '{"id": 1}\nnothing\n', "p.jsonl: line 2 is not JSON"),
        ("p.jsonl", '{"x": 1}\n', "p.jsonl: line 1 has no 'id'"),
        ("p.tsv", "id\ty\n1\ta\n2\tb\n3\tc\n", "3 of 3 ids, each once"),
        ("p.txt", "1\n2\n3\n", "3 of 3 ids, each once"),
    ],
)
def test_expected_ids_in_other_files(tmp_path: Path, name: str, content: str, detail: str) -> None:
    (tmp_path / name).write_text(content)
    assert verdict(tmp_path, SHEET, **{**IDS, "file": name}).detail == detail


def test_expected_ids_of_the_check_itself_and_none_at_all(tmp_path: Path) -> None:
    put(tmp_path, p_csv="id\n7\n")
    own = {**IDS, "ids": ["7"]}
    assert verdict(tmp_path, **own).passed
    assert verdict(tmp_path, **IDS).detail == "the sheet holds no ids for it"


@pytest.mark.parametrize("name", ["gone.csv", "../p.csv", "/etc/passwd", ""])
def test_a_file_that_is_not_there_or_lies_outside(tmp_path: Path, name: str) -> None:
    put(tmp_path, p_csv="id\n1\n2\n3\n", out__a="a")
    found = verdict(tmp_path / "out", SHEET, **{**IDS, "file": name})
    assert (found.passed, found.detail) == (False, f"{name or 'file'} is not there")


def test_a_long_list_is_named_in_part(tmp_path: Path) -> None:
    put(tmp_path, p_csv="id\n")
    ids = [str(number) for number in range(100)]
    found = verdict(tmp_path, **{**IDS, "ids": ids})
    assert found.detail == "100 missing: 0, 1, 2, 3, 4 and 95 more"
    assert found.evidence["missing"] == {"count": 100, "first": ids[:20]}


# -- no_temporary_paths -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"base": "/tmp/adapter"}',
        "cache: /var/tmp/x",
        "see file:///tmp/tmpab12cd/model.bin",
        "dir = /tmp",
        "x=$TMPDIR/y",
        "x=${TMPDIR}/y",
        "C:\\Users\\me\\AppData\\Local\\Temp\\x.bin",
        '"C:\\\\Windows\\\\TEMP\\\\x"',
        "%TEMP%\\x",
        "/private/var/folders/ab/cd/T/x",
        "/dev/shm/torch_1",
    ],
)
def test_a_path_into_a_temporary_folder_is_found(tmp_path: Path, text: str) -> None:
    put(tmp_path, a_json="{}", b_json=f"line\n{text}\n")
    found = verdict(tmp_path, kind="no_temporary_paths")
    assert not found.passed
    assert found.detail.startswith("b.json: ")
    assert verdict(tmp_path, kind="no_temporary_paths", except_=["b.*"]).passed


@pytest.mark.parametrize(
    "text",
    [
        "/data/tmp/x",
        "https://example.org/tmp/x",
        "/tmpfiles/x",
        "attempt/tmp",
        "C:\\data\\template\\x",
        "$TEMPERATURE",
        "temporary",
    ],
)
def test_what_only_looks_like_one_is_not(tmp_path: Path, text: str) -> None:
    put(tmp_path, a_txt=text)
    assert verdict(tmp_path, kind="no_temporary_paths").detail == "none in 1 file"


@pytest.mark.parametrize("name", ["tmp/a.txt", "x/.TMP/a.txt", "temp/x/a.txt"])
def test_a_file_in_a_temporary_folder_is_found(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text("a")
    found = verdict(tmp_path, kind="no_temporary_paths")
    assert (found.passed, found.detail) == (False, f"{name}: {name}")
    assert verdict(tmp_path, kind="no_temporary_paths", except_=[name]).passed


def test_a_path_across_two_blocks_is_found(tmp_path: Path) -> None:
    edge = temporary_paths.BLOCK
    for shift in range(-6, 3):
        put(tmp_path, a_txt=b"x" * (edge + shift - 1) + b" /tmp/abcd ")
        found = verdict(tmp_path, kind="no_temporary_paths")
        assert (shift, found.passed) == (shift, False)
        put(tmp_path, a_txt=b"x" * (edge + shift - 1) + b"x/tmp/abcd ")
        assert (shift, verdict(tmp_path, kind="no_temporary_paths").passed) == (shift, True)


def test_a_binary_file_needs_more_than_four_chance_bytes(tmp_path: Path) -> None:
    put(tmp_path, model_bin=b"\0\1\2 /tmp\3\4")
    assert verdict(tmp_path, kind="no_temporary_paths").passed
    put(tmp_path, model_bin=b"\0\1\2 /tmp/tmpabcd/base\0")
    found = verdict(tmp_path, kind="no_temporary_paths")
    assert found.detail == "model.bin: /tmp/tmpabcd/base"


# -- base_revision ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "detail"),
    [
        ({"base_model_name_or_path": "org/m", "revision": COMMIT}, "org/m at 0123456789ab"),
        ({"base_model_name_or_path": "org/m", "revision": "main"},
         "adapter_config.json: revision is 'main', the full commit hash of org/m is needed"),
        ({"base_model_name_or_path": "org/m", "revision": None},
         "adapter_config.json: no revision, the full commit hash of org/m is needed"),
        ({"base_model_name_or_path": "org/m", "revision": COMMIT[:7]},
         "adapter_config.json: revision is '0123456', the full commit hash of org/m is needed"),
        ({"revision": COMMIT}, "adapter_config.json: no base_model_name_or_path"),
    ],
)  # fmt: skip
def test_base_revision(tmp_path: Path, config: dict[str, Any], detail: str) -> None:
    (tmp_path / "adapter_config.json").write_text(json.dumps(config))
    found = verdict(tmp_path, kind="base_revision")
    assert found.detail == detail
    assert found.passed is ("at" in detail.split())


def test_base_revision_without_an_adapter_and_with_a_hint_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    put(out, a_txt="a")
    assert verdict(out, kind="base_revision").detail == "adapter_config.json is not there"
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    refs = tmp_path / "hub" / "models--org--m" / "refs"
    refs.mkdir(parents=True)
    (refs / "main").write_text(COMMIT)
    (out / "adapter_config.json").write_text('{"base_model_name_or_path": "org/m"}')
    assert verdict(out, kind="base_revision").detail.endswith(f"the local cache holds {COMMIT}")


# -- reload -----------------------------------------------------------------------------------


def test_reload_passes_in_a_new_process_and_a_fresh_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "s")
    monkeypatch.setenv("KEPT", "k")
    put(tmp_path, model_txt="42", reload_py=(
        "import os, pathlib\n"
        "assert pathlib.Path('model.txt').read_text() == '42'\n"
        "pathlib.Path('model.txt').write_text('broken')\n"
        "print(sorted(os.environ), os.environ.get('KEPT'))\n"
    ))  # fmt: skip
    found = verdict(tmp_path, kind="reload", command="python3 reload.py", keep_env=["PATH", "KEPT"])
    assert found.passed, found
    assert re.fullmatch(r"exit 0 in [\d.]+ s, new process", found.detail)
    assert "SECRET" not in str(found.evidence["output"])
    assert str(found.evidence["output"]).endswith(" k\n")
    assert (tmp_path / "model.txt").read_text() == "42"
    assert found.evidence["files"] == "copy"


def test_reload_fails_with_the_last_line(tmp_path: Path) -> None:
    put(tmp_path, reload_py="raise SystemExit('cannot load')")
    found = verdict(tmp_path, kind="reload", command="python3 reload.py")
    assert (found.passed, found.detail) == (False, "exit 1: cannot load")
    gone = verdict(tmp_path, kind="reload", command="python3 gone.py")
    assert gone.detail.startswith("exit 2: ")
    assert verdict(tmp_path, kind="reload").detail == "no command was announced"


def test_reload_that_does_not_end_is_ended_with_all_its_children(tmp_path: Path) -> None:
    put(tmp_path, a_txt="a")
    command = "sleep 61 & echo $!; sleep 62"
    found = verdict(tmp_path, kind="reload", command=command, timeout_s=1)
    assert (found.passed, found.detail) == (False, "not done after 1 s")
    child = Path("/proc") / str(found.evidence["output"]).strip() / "cmdline"
    wait_until(lambda: not child.exists() or not child.read_bytes())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_verification_that_is_ended_ends_its_reload_too(
    box: Box, server: Loopback, number: int
) -> None:
    box.reports_to(server)
    announce(server, {"kind": "reload", "command": "echo $$ > $AT; sleep 63", "keep_env": ["AT"]})
    put(box.folder / "out", a_txt="a")
    child = box.folder / "child"
    box.environment = {"AT": str(child), "TMPDIR": str(box.folder)}
    process = box.punktum("verify", "out", "--all")
    wait_until(lambda: child.exists() and child.read_text().strip())
    process.send_signal(number)
    assert box.done(process).code == 128 + number
    # The kernel takes a moment to take the killed process off its list.
    wait_until(lambda: not (Path("/proc") / child.read_text().strip()).exists())
    assert list(box.folder.glob("punktum-reload-*")) == []


@pytest.mark.parametrize("largest", [0, 1 << 30])
def test_a_reload_that_changes_what_it_was_to_load_does_not_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    monkeypatch.setattr(fresh, "COPIED_UP_TO", largest)
    put(tmp_path, a_txt="four")
    command = f"echo more >> {'a.txt' if largest == 0 else tmp_path / 'a.txt'}"
    found = verdict(tmp_path, kind="reload", command=command)
    assert (found.passed, found.detail) == (False, "the command changed a.txt")


def test_large_files_are_linked_instead_of_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fresh, "COPIED_UP_TO", 3)
    put(tmp_path, a_txt="four", sub__b_txt="b")
    found = verdict(tmp_path, kind="reload", command="cat a.txt sub/b.txt")
    assert (found.passed, found.evidence["files"], found.evidence["output"]) == (
        True, "links", "fourb",
    )  # fmt: skip


def test_a_check_this_version_does_not_know_does_not_pass(tmp_path: Path) -> None:
    found = verdict(tmp_path, kind="tomorrow")
    assert not found.passed
    assert found.detail.startswith("this version cannot run it")


# -- the command ------------------------------------------------------------------------------


def announce(server: Loopback, *checks: dict[str, Any], name: str = "predictions") -> None:
    server.sheet.update(SHEET)
    announced = server.sheet.setdefault("deliverables", [])
    announced.append({"id": name, "title": name, "checks": list(checks)})


def test_all_checks_pass_and_the_evidence_is_posted(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    announce(server, {"kind": "non_empty"}, IDS, {"kind": "reload", "command": "test -s p.csv"})
    put(box.folder / "out", p_csv="id\n1\n2\n3\n")
    done = box.run("verify", "out", "--deliverable", "predictions", "--run", "control-01")
    assert done.code == 0, done.err
    assert "passed  expected_ids  3 of 3 ids, each once" in done.out
    assert "punktum: predictions: accepted" in done.err
    ((deliverable, body),) = server.submissions.values()
    assert deliverable == "predictions"
    assert body["manifest"] == {
        "files": [
            {
                "path": "p.csv",
                "size": 9,
                "sha256": hashlib.sha256(b"id\n1\n2\n3\n").hexdigest(),
            }
        ],
        "runs": ["control-01"],
        "reload_command": "test -s p.csv",
    }
    assert [(check["kind"], check["passed"]) for check in body["checks"]] == [
        ("non_empty", True),
        ("expected_ids", True),
        ("reload", True),
    ]
    assert re.fullmatch(r"[0-9a-f]{64}", body["machine_id"])
    assert re.fullmatch(r"[0-9a-f]{32}", body["submission_id"])


def test_a_failed_check_is_shown_posted_and_told_by_the_exit_code(
    box: Box, server: Loopback
) -> None:
    box.reports_to(server)
    announce(server, {"kind": "non_empty"}, IDS)
    put(box.folder / "out", p_csv="id\n1\n")
    done = box.run("verify", "out", "--deliverable", "predictions", "--json")
    assert done.code == 1
    item = done.json()["items"][0]
    assert (item["passed"], item["posted"], item["answer"]) == (False, True, "submitted")
    assert [check["passed"] for check in item["checks"]] == [True, False]


def test_all_deliverables_each_from_its_own_folder(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    announce(server, {"kind": "non_empty"}, name="predictions")
    announce(server, {"kind": "non_empty"}, name="report")
    put(box.folder / "out", predictions__p_csv="1", notes_txt="n")
    done = box.run("verify", "out", "--all", "--json")
    assert done.code == 0
    files = {
        item["deliverable"]: [entry["path"] for entry in item["files"]]
        for item in done.json()["items"]
    }
    assert files == {"predictions": ["p.csv"], "report": ["notes.txt", "predictions/p.csv"]}


def test_an_adapters_base_is_part_of_the_manifest(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    announce(server, {"kind": "base_revision"})
    config = {"base_model_name_or_path": "org/m", "revision": COMMIT}
    put(box.folder / "out", a_txt="a")
    (box.folder / "out" / "adapter_config.json").write_text(json.dumps(config))
    assert box.run("verify", "out", "--deliverable", "predictions").code == 0
    ((_, body),) = server.submissions.values()
    assert body["manifest"]["base_revision"] == {"base": "org/m", "revision": COMMIT}


def test_without_an_answer_the_evidence_waits_and_a_replay_posts_it_once(
    box: Box, server: Loopback
) -> None:
    box.reports_to(server)
    announce(server, {"kind": "non_empty"})
    put(box.folder / "out", a_txt="a")
    assert box.run("verify", "out", "--deliverable", "predictions").code == 0
    server.submissions.clear()
    server.mode = "500"
    done = box.run("verify", "out", "--deliverable", "predictions")
    assert done.code == 5
    assert "checks are taken from the kept sheet" in done.err
    server.mode = "well"
    spool = str(box.folder / "out" / ".punktum" / "spool")
    for _ in range(2):
        assert box.run("replay", spool).code == 0
    assert len(server.submissions) == 2


def test_evidence_that_a_replay_brings_and_is_refused_says_why_once(
    box: Box, server: Loopback
) -> None:
    box.reports_to(server)
    announce(server, {"kind": "non_empty"})
    put(box.folder / "out", a_txt="a")
    box.run("check", "--output", "out")
    server.mode = "500"
    for _ in range(2):
        box.run("verify", "out", "--deliverable", "predictions")
    server.mode = "409"
    done = box.run("replay", "out")
    assert done.code == 1
    assert done.out.endswith("; 2 submissions sent, 2 refused\n")
    assert done.err.count("evidence of predictions: told to say 409 (409)") == 1


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise ValueError('no')",
         "a-01 failed (exit 1: ValueError: no); no output of it is accepted"),
        ("import os; os.kill(os.getpid(), 9)", "a-01 failed (signal 9)"),
        ("import os; os.kill(os.getppid(), 15); import time; time.sleep(9)",
         "a-01 was interrupted: finish it"),
        ("import punktum\nwith punktum.run('control') as run: run.stop('enough', rule='r')",
         "a-01 was stopped by the rule r (enough)"),
        ("import os; os.kill(os.getppid(), 9)", "a-01 wrote no end: its process is gone"),
        ("pass", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_down", [True, False])
def test_with_no_server_the_spool_says_how_a_run_stands(
    box: Box, server: Loopback, code: str, says: str | None, is_down: bool
) -> None:
    box.run_job(code, "--run", "a-01", "--output", "out")
    (box.folder / "c.toml").write_text(CAMPAIGN)
    put(box.folder, ids_txt="1\n", out__p_csv="id\n1\n")
    if is_down:
        server.close()
        box.reports_to(server)
    words = ("verify", "out", "--all", "--campaign", "c.toml", "--run", "a-01")
    said = box.run(*words).err
    assert ("interrupted" in said) is ("interrupted" in (says or ""))
    assert (f"punktum: {says}" in said) if says else ("a-01" not in said)
    assert said.count("the evidence is kept; send it later with: ") == 1
    assert "a-01" not in box.run(*words[:-1], "b-01").err


def test_a_run_that_goes_on_has_not_ended(box: Box) -> None:
    job = box.job("import time; print('ready', flush=True); time.sleep(60)", "--run", "a-01")
    assert job.stdout is not None
    assert job.stdout.readline() == b"ready\n"
    (box.folder / "c.toml").write_text(CAMPAIGN)
    put(box.folder, ids_txt="1\n")
    said = box.run("verify", ".", "--all", "--campaign", "c.toml", "--run", "a-01").err
    job.terminate()
    assert "punktum: a-01 has not ended; no output of it is accepted" in said
    assert box.done(job).code == 143


def test_a_refused_submission_is_a_failure(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    announce(server, {"kind": "non_empty"})
    put(box.folder / "out", a_txt="a")
    box.run("verify", "out", "--deliverable", "predictions")
    server.mode = "409"
    done = box.run("verify", "out", "--deliverable", "predictions")
    assert done.code == 1
    assert "punktum: predictions: told to say 409 (409)" in done.err


@pytest.mark.parametrize("state", ["submitted", "rejected"])
def test_what_passed_here_and_is_not_accepted_there_is_told_by_the_exit_code(
    box: Box, server: Loopback, state: str
) -> None:
    box.reports_to(server)
    server.standing = state
    announce(server, {"kind": "non_empty"})
    put(box.folder / "out", a_txt="a")
    assert box.run("verify", "out", "--deliverable", "predictions").code == 1


def test_what_a_person_decides_is_no_failure(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    server.standing = "submitted"
    announce(server)
    put(box.folder / "out", a_txt="a")
    done = box.run("verify", "out", "--deliverable", "predictions")
    assert (done.code, server.submissions != {}) == (0, True)
    assert "no run is named (--run ID), so a person decides" in done.err


CAMPAIGN = """\
format = "punktum/1"
[campaign]
id = "digits"
[decision_rule]
metrics = { f1 = "eval_f1" }
[[corpora]]
id = "eval"
ids_file = "ids.txt"
[[steps]]
id = "control"
[[stop_rules]]
id = "r"
kind = "non_finite"
metric = "loss"
[[deliverables]]
id = "predictions"
checks = [{ kind = "expected_ids", corpus = "eval", file = "p.csv" }, { kind = "non_empty" }]
"""


def test_a_campaign_file_needs_no_server(box: Box) -> None:
    (box.folder / "campaign.toml").write_text(CAMPAIGN)
    (box.folder / "ids.txt").write_text("1\n2\n")
    put(box.folder / "out", p_csv="id\n1\n2\n")
    done = box.run("verify", "out", "--all", "--campaign", "campaign.toml")
    assert done.code == 0, done.err
    assert "no PUNKTUM_URL: the evidence is kept; send it later with: " in done.err
    sheet = sheet_of_campaign_file(box.folder / "campaign.toml")
    assert sheet.campaign == "digits"
    assert sheet.steps == ["control"]
    assert [rule.id for rule in sheet.rules] == ["r"]
    assert sheet.metric_names == {"f1": "eval_f1"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("verify", "gone", "--all"), "gone is not a folder"),
        (("verify", "out", "--all"), "no PUNKTUM_URL, and no sheet is kept"),
        (("verify", "out", "--all", "--campaign", "no.toml"), "no.toml: No such file"),
        (("verify", "out", "--all", "--campaign", "bad.toml"), "bad.toml: "),
        (("verify", "out", "--all", "--campaign", "old.toml"), 'format is None, "punktum/1"'),
        (("verify", "out", "--deliverable", "predictoins", "--campaign", "c.toml"),
         'deliverable "predictoins" is unknown; did you mean "predictions"?'),
        (("verify", "out", "--deliverable", "x", "--campaign", "c.toml"), "announced: predictions"),
        (("verify", "out"), "one of the arguments --deliverable --all is required"),
    ],
)  # fmt: skip
def test_what_cannot_be_verified_is_a_usage_error(
    box: Box, words: tuple[str, ...], said: str
) -> None:
    put(box.folder, bad_toml="format =", old_toml="a = 1", ids_txt="1\n", c_toml=CAMPAIGN)
    (box.folder / "out").mkdir()
    done = box.run(*words)
    assert (done.code, said in done.err) == (2, True), done.err
    assert done.err.startswith("punktum: ")


def test_no_answer_and_no_sheet_is_code_5(box: Box, server: Loopback) -> None:
    server.close()
    box.reports_to(server)
    (box.folder / "out").mkdir()
    assert box.run("verify", "out", "--all").code == 5


def test_a_folder_with_a_link_out_is_not_verified(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    announce(server, {"kind": "non_empty"})
    (box.folder / "out").mkdir()
    (box.folder / "out" / "x").symlink_to("/etc/hostname")
    done = box.run("verify", "out", "--deliverable", "predictions")
    assert done.code == 1
    assert "x is a link that leads out of the folder" in done.err
    assert server.submissions == {}


def test_a_sheet_of_another_format_is_none(tmp_path: Path) -> None:
    (tmp_path / "sheet.json").write_text('{"format": "punktum-sheet/9"}')
    assert kept_sheet(tmp_path) is None
