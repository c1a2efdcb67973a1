"""``punktum init``: every expected file has its place, and runs fill in what the client knows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from punktum.checks import CHECKS
from punktum.layout_texts import expectation
from punktum.manifest_file import NAME, listed
from tests.punktum_client.box import Box
from tests.punktum_client.loopback import Loopback
from tests.punktum_client.test_verify import announce, put

CHECK: dict[str, dict[str, Any]] = {
    "non_empty": {"except": ["logs/*"]},
    "expected_ids": {"corpus": "eval", "file": "p.csv", "column": "key"},
    "no_temporary_paths": {"except": ["logs/*"]},
    "base_revision": {},
    "parameters": {"file": "parameters.json", "keys": ["lr", "rank"]},
    "schema": {"file": "rows.jsonl", "columns": ["id", "y"], "rows": 12},
    "reload": {"command": "python reload.py"},
    "reproduce": {"command": "python value.py", "value": "0.78", "tolerance": "0.01"},
}
TRAIN = (
    "import punktum\n"
    "with punktum.run('control') as run:\n"
    "    for n in range(3): run.metric('loss', 1 / (n + 1))\n"
    "    raise ValueError('no')\n"
)


def laid_out(folder: Path) -> dict[str, bytes]:
    """Every file but those of the spool."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "spool" not in path.parts
    }


@pytest.fixture
def known(box: Box, server: Loopback) -> Box:
    """A box whose campaign announces a deliverable with every check, and one without any."""
    box.reports_to(server)
    checks = [{"kind": kind, **values} for kind, values in CHECK.items()]
    announce(server, *checks, name="predictions")
    announce(server, name="report")
    return box


def test_every_kind_of_check_is_described_in_words() -> None:
    assert set(CHECK) == set(CHECKS)
    for kind, values in CHECK.items():
        said = expectation({"kind": kind, **values})
        assert said != kind
        for value in values.values():
            for word in value if isinstance(value, list) else [value]:
                assert str(word) in said
    assert expectation({"kind": "tomorrow", "file": "x"}) == "tomorrow (file = x)"


def test_every_expected_file_has_its_place(known: Box) -> None:
    done = known.run("init", "out", "--json")
    assert done.code == 0, done.err
    out = known.folder / "out"
    assert set(done.json()["made"]) == {
        "predictions/", "report/", "runs/", "README.md", "RELOAD.md", NAME,
    }  # fmt: skip
    page = (out / "README.md").read_text()
    for name in ("p.csv", "parameters.json", "rows.jsonl", "adapter_config.json"):
        assert f"- `predictions/{name}`" in page
    assert "punktum verify . --deliverable predictions --run RUN" in page
    assert "    python reload.py" in (out / "RELOAD.md").read_text()
    assert [(one.id, one.is_verified) for one in listed(out)] == [
        ("predictions", False), ("report", False),
    ]  # fmt: skip
    assert list((out / "predictions").iterdir()) == []


def test_twice_is_once_and_what_a_person_wrote_stays(known: Box, server: Loopback) -> None:
    out = known.folder / "out"
    known.run("init", "out")
    first = laid_out(out)
    again = known.run("init", "out")
    assert (again.code, again.out) == (0, "out is laid out already\n")
    assert laid_out(out) == first
    (out / "README.md").write_text("mine")
    (out / "predictions" / "p.csv").write_text("id\n")
    announce(server, {"kind": "reload", "command": "python again.py"}, name="adapter")
    changed = known.run("init", "out")
    assert changed.code == 0
    assert "README.md is not as it was written here: it is left as it is" in changed.err
    assert (out / "README.md").read_text() == "mine"
    assert (out / "predictions" / "p.csv").read_text() == "id\n"
    assert "python again.py" in (out / "RELOAD.md").read_text()
    assert [one.id for one in listed(out)] == ["predictions", "report", "adapter"]


def test_a_readme_that_was_there_before_stays_and_ours_lies_beside_it(known: Box) -> None:
    put(known.folder / "out", README_md="mine", rows_jsonl="{}")
    for _ in range(2):
        assert known.run("init", "out").code == 0
        assert (known.folder / "out" / "README.md").read_text() == "mine"
    page = (known.folder / "out" / "README-punktum.md").read_text()
    assert "in this folder." in page, "its files lie there already"
    assert not (known.folder / "out" / "predictions").exists()


def test_links_are_not_written_through(known: Box) -> None:
    put(known.folder, outside_md="mine", out__a="")
    (known.folder / "out" / "README.md").symlink_to("../outside.md")
    (known.folder / "out" / "RELOAD.md").symlink_to("../gone.md")
    assert known.run("init", "out").code == 0
    assert (known.folder / "outside.md").read_text() == "mine"
    assert not (known.folder / "gone.md").exists()


def test_a_verified_deliverable_stays_in_the_manifest(known: Box) -> None:
    known.run("init", "out")
    put(known.folder / "out", report__text_md="done")
    assert known.run("verify", "out", "--deliverable", "report", "--run", "a").code == 0
    before = (known.folder / "out" / NAME).read_bytes()
    known.run("init", "out")
    assert (known.folder / "out" / NAME).read_bytes() == before


def test_a_run_fills_in_its_configuration_measurements_and_reasons(known: Box) -> None:
    known.run("init", "out")
    done = known.run_job(TRAIN, "--run", "a-01", "--output", "out", "--param", "rank=16")
    assert done.code == 1
    record = known.folder / "out" / "runs" / "a-01"
    start = next(
        json.loads(line)
        for path in (known.folder / "out/.punktum/spool").glob("*wrapper.jsonl")
        for line in path.read_text().splitlines()
    )
    parameters = json.loads((record / "parameters.json").read_text())
    assert parameters["config_sha256"] == start["config_sha256"]
    assert parameters["parameters"]["rank"] == "16"
    lines = [json.loads(line) for line in (record / "measurements.jsonl").read_text().splitlines()]
    assert lines[0]["metrics"]["loss"] == 1
    assert len({(line["source"], line["seq"]) for line in lines}) == len(lines)
    (reason,) = map(json.loads, (record / "stop_reasons.jsonl").read_text().splitlines())
    assert (reason["outcome"], reason["reason_code"]) == ("failed", "code_error")
    assert "ValueError: no" in reason["reason_text"]


def test_a_second_attempt_adds_its_lines_and_init_adds_none_twice(known: Box) -> None:
    known.run("init", "out")
    for _ in range(2):
        known.run_job(TRAIN, "--run", "a-01", "--output", "out")
    before = laid_out(known.folder / "out")
    reasons = before["runs/a-01/stop_reasons.jsonl"].decode().splitlines()
    assert len({json.loads(line)["attempt_id"] for line in reasons}) == len(reasons) == 2
    known.run("init", "out")
    assert laid_out(known.folder / "out") == before


def test_code_without_a_wrapper_fills_in_too(known: Box) -> None:
    known.run("init", "out")
    known.python_code(
        "import punktum\n"
        "with punktum.run('control', run='b-01', params={'lr': 1}, output='out') as run:\n"
        "    run.metric('loss', 0.5)\n"
    )
    record = known.folder / "out" / "runs" / "b-01"
    assert json.loads((record / "parameters.json").read_text())["parameters"] == {"lr": "1"}
    assert json.loads((record / "measurements.jsonl").read_text())["metrics"] == {"loss": 0.5}
    assert json.loads((record / "stop_reasons.jsonl").read_text())["outcome"] == "completed"


def test_a_run_that_was_killed_is_filled_in_by_the_next_init(known: Box) -> None:
    known.run("init", "out")
    known.run_job("import os; os.kill(os.getppid(), 9)", "--run", "a-01", "--output", "out")
    record = known.folder / "out" / "runs" / "a-01"
    assert not record.exists()
    known.run("init", "out")
    assert json.loads((record / "parameters.json").read_text())["run"] == "a-01"


def test_a_folder_that_was_not_laid_out_is_left_alone(known: Box) -> None:
    known.run_job(TRAIN, "--run", "a-01", "--output", "out")
    assert laid_out(known.folder / "out") == {}


def test_parameters_that_a_person_put_there_stay(known: Box) -> None:
    known.run("init", "out")
    put(known.folder / "out", **{"runs__a-01__parameters_json": "mine"})
    known.run_job(TRAIN, "--run", "a-01", "--output", "out")
    assert (known.folder / "out/runs/a-01/parameters.json").read_text() == "mine"


def test_with_no_plan_it_says_so_and_how_to_do_it_later(box: Box, server: Loopback) -> None:
    done = box.run("init", "out")
    assert (done.code, (box.folder / "out" / "README.md").exists()) == (0, True)
    assert "the deliverables are not known yet; later: " in done.err
    server.close()
    box.reports_to(server)
    assert box.run("init", "out").code == 5


def test_a_deliverable_called_runs_has_its_folder_for_itself(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    announce(server, name="runs")
    box.run("init", "out")
    box.run_job("pass", "--run", "a-01", "--output", "out")
    assert list((box.folder / "out" / "runs").iterdir()) == []
    assert (box.folder / "out" / "run_records" / "a-01" / "parameters.json").exists()


@pytest.mark.parametrize("words", [("a.txt",), ("out", "--campaign", "gone.toml")])
def test_what_cannot_be_laid_out_is_a_usage_error(box: Box, words: tuple[str, ...]) -> None:
    put(box.folder, a_txt="a")
    done = box.run("init", *words)
    assert done.code == 2
    assert done.err.startswith("punktum: ")
