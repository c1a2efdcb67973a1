"""The client as one file: the same client, in a folder with nothing else of ours."""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

import punktum
from app.db import Database
from app.main import create_app
from app.runs.pages.client_file import the_file
from app.runs.rules.single_file import module_name, single_file, version_in
from app.settings import Settings
from tests.house.source import ROOT
from tests.runs.boxes import TRAIN, Box, Served, ask, serving
from tests.runs.campaigns import opened, token

PACKAGE = ROOT / "punktum"
SOURCES = {
    path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in PACKAGE.rglob("*.py")
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path / "box")


@pytest.fixture
def file(box: Box) -> Path:
    """The file in the box's home."""
    made = box.home / "punktum.py"
    made.write_bytes(the_file().content)
    return made


def _carried(content: bytes) -> dict[str, tuple[bool, str]]:
    """The sources that a file carries, read as Python reads them."""
    names: dict[str, Any] = {"__name__": "read", "__file__": "punktum.py"}
    exec(compile(content, "punktum.py", "exec"), names)
    sys.meta_path[:] = [one for one in sys.meta_path if type(one).__name__ != "_Sources"]
    found: dict[str, tuple[bool, str]] = names["_SOURCES"]
    return found


def test_it_carries_every_module_as_it_is() -> None:
    made = the_file()
    assert made.version == punktum.__version__
    assert made.sha256 == hashlib.sha256(made.content).hexdigest()
    carried = _carried(made.content)
    assert carried == {
        module_name(path)[0]: (module_name(path)[1], text) for path, text in SOURCES.items()
    }
    assert {"punktum.cli", "punktum.checks", "punktum.checks.reload"} <= set(carried)
    assert made.content.decode().splitlines()[1].endswith("in one file: report training runs, and"
                                                          " be told when to stop.")  # fmt: skip


def test_its_sources_can_be_read_in_it() -> None:
    text = the_file().content.decode()
    unread = [path for path, source in SOURCES.items() if source not in text]
    assert unread == []


def test_the_same_sources_make_the_same_bytes() -> None:
    shuffled = list(SOURCES.items())
    random.Random(3).shuffle(shuffled)
    assert single_file(dict(shuffled), version_in(SOURCES)) == the_file()
    other = {**SOURCES, "cli.py": SOURCES["cli.py"] + "# more\n"}
    assert single_file(other, version_in(other)).sha256 != the_file().sha256


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r")))
def test_any_source_is_carried_letter_for_letter(source: str) -> None:
    whole = source if source.endswith("\n") else f"{source}\n"
    carried = _carried(single_file({"odd.py": source}, "1").content)
    assert carried == {"punktum.odd": (False, whole)}


@pytest.mark.parametrize(
    "source",
    ["'''", "\\", "r'''\\'''\n", "'''a\\'''\n", "x = '\\N{BULLET}'\n''''\n", "a\x00b\x0c\n"],
)
def test_quotes_and_backslashes_are_carried(source: str) -> None:
    test_any_source_is_carried_letter_for_letter.hypothesis.inner_test(source)  # type: ignore[attr-defined]


def test_it_is_the_command(box: Box, file: Path) -> None:
    done = box.run("python3", "-I", str(file), "--version", cwd=Path("/"))
    assert (done.returncode, done.stdout) == (0, f"punktum {punktum.__version__}\n")
    assert box.run("python3", "-m", "punktum", "--version").stdout == done.stdout
    helped = box.run("python3", "punktum.py", "run", "--help")
    assert (helped.returncode, "--step" in helped.stdout) == (0, True)


def test_it_is_the_package_beside_it_and_on_the_path(box: Box, file: Path) -> None:
    code = (
        "import punktum, punktum.checks.reload, inspect\n"
        "from punktum.recording import Run\n"
        "assert punktum.Run is Run\n"
        "assert 'def ' in inspect.getsource(punktum.checks.reload)\n"
        "print(punktum.__version__, punktum.__file__)\n"
    )
    elsewhere = box.home / "elsewhere"
    elsewhere.mkdir()
    for folder, variables in ((box.home, {}), (elsewhere, {"PYTHONPATH": str(box.home)})):
        (folder / "use.py").write_text(code)
        box.variables = variables
        done = box.run("python3", "use.py", cwd=folder)
        assert (done.stderr, done.stdout) == ("", f"{punktum.__version__} {file}\n")


def test_every_module_can_be_imported_from_it(box: Box, file: Path) -> None:
    """Those for other frameworks too, up to where they need theirs."""
    code = (
        "import importlib, sys\n"
        "import punktum\n"
        "finder = next(one for one in sys.meta_path if type(one).__name__ == '_Sources')\n"
        "for name in sys.argv[1:]:\n"
        "    try: module = importlib.import_module(name)\n"
        "    except ModuleNotFoundError as error:\n"
        "        assert name.startswith('punktum.integrations.'), name\n"
        "        assert not error.name.startswith('punktum'), error\n"
        "    else: assert name == 'punktum' or type(module.__loader__) is type(finder), name\n"
        "print('all')"
    )
    names = [module_name(path)[0] for path in SOURCES if not path.endswith("__main__.py")]
    assert "punktum.integrations" in names
    done = box.run("python3", "-c", code, *names)
    assert (done.stdout, done.stderr) == ("all\n", "")


def test_an_error_in_it_names_its_module_and_line(box: Box, file: Path) -> None:
    code = (
        "import traceback, punktum.stop_rules\n"
        "try: punktum.stop_rules.parse_rule(None)\n"
        "except Exception: print(traceback.format_exc())"
    )
    said = box.run("python3", "-c", code).stdout.splitlines()
    place = f'File "{file}/punktum/stop_rules.py", line '
    at = next(number for number, line in enumerate(said) if place in line)
    number = int(said[at].partition("line ")[2].partition(",")[0])
    assert said[at + 1].strip() == SOURCES["stop_rules.py"].splitlines()[number - 1].strip()


def test_files_beside_it_are_not_taken_for_the_standard_library(box: Box, file: Path) -> None:
    for name in ("random", "json", "typing", "types", "argparse"):
        (box.home / f"{name}.py").write_text("raise SystemExit('not the one')\n")
    done = box.run("python3", "punktum.py", "status")
    assert "no spool at" in done.stderr


@pytest.mark.parametrize(("name", "kind"), [("__main__", "SystemExit"), ("punktum", "ImportError")])
def test_an_older_python_is_told(box: Box, file: Path, name: str, kind: str) -> None:
    code = (
        "import sys, runpy\nsys.version_info = (3, 9, 18)\n"
        f"try: runpy.run_path('punktum.py', run_name='{name}')\n"
        "except BaseException as error: print(type(error).__name__, error)"
    )
    done = box.run("python3", "-c", code)
    assert done.stdout.startswith(f"{kind} punktum needs Python 3.10 or newer; this is ")


def test_a_job_in_another_folder_finds_it_last(box: Box, file: Path) -> None:
    """What else lies beside the file is not put before the installed packages."""
    (box.home / "evaluate.py").write_text("raise SystemExit('not the one')\n")
    packages = box.home / "packages"
    packages.mkdir()
    (packages / "evaluate.py").write_text("print('the installed one')\n")
    job = box.home / "job"
    job.mkdir()
    (job / "train.py").write_text(
        "import os, sys, punktum\n"
        f"sys.path.append({str(packages)!r})\n"
        "import evaluate\n"
        "print(os.environ['PYTHONPATH'].split(os.pathsep)[0])\n"
        "with punktum.run('control') as run: print(run.id)\n"
    )
    box.variables = {"PYTHONPATH": str(packages)}
    command = ("python3", "punktum.py", "run", "--step", "control", "--output", "out", "--")
    done = box.run(*command, "python3", "job/train.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"the installed one\n{packages}\ncontrol-01\n"
    box.variables = {}
    alone = box.run(*command, "python3", "-c", "import os; print(os.environ['PYTHONPATH'])")
    assert alone.stdout == f"{box.home / 'out/.punktum/spool/client'}\n"


def test_where_the_disk_takes_no_copy_the_folder_of_the_file_must_do(box: Box, file: Path) -> None:
    (box.home / "spool").write_text("no folder")
    box.variables = {"PUNKTUM_SPOOL": str(box.home / "spool")}
    (box.home / "job").mkdir()
    (box.home / "job" / "train.py").write_text("import punktum; print(punktum.__file__)")
    done = box.run("python3", "punktum.py", "run", "--step", "a", "--", "python3", "job/train.py")
    assert (done.returncode, done.stdout) == (0, f"{file}\n"), done.stderr


def test_an_installed_client_changes_no_path(box: Box) -> None:
    box.variables = {"PYTHONPATH": str(ROOT)}
    code = "import os; print(os.environ['PYTHONPATH'])"
    words = ("python3", "-m", "punktum", "run", "--step", "a", "--", "python3", "-c", code)
    assert box.run(*words).stdout == f"{ROOT}\n"
    assert not (box.home / ".punktum/spool/client").exists()


def test_it_is_fetched_checks_runs_and_replays(served: Served, box: Box) -> None:
    answer = ask(f"{served.url}/punktum.py")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/x-python; charset=utf-8"
    assert answer.body == the_file().content
    tag = answer.headers["etag"]
    assert ask(f"{served.url}/punktum.py", {"If-None-Match": tag}).status == 304
    assert ask(f"{served.url}/punktum.py", {"If-None-Match": '"other"'}).status == 200
    (box.home / "punktum.py").write_bytes(answer.body)
    (box.home / "job").mkdir()
    (box.home / "job" / "train.py").write_text(TRAIN)
    box.variables = {"PUNKTUM_URL": served.url, "PUNKTUM_TOKEN": served.token}
    checked = box.run("python3", "punktum.py", "check", "--step", "control")
    assert checked.returncode == 0, checked.stdout
    run = ("python3", "punktum.py", "run", "--step", "control", "--", "python3", "job/train.py")
    done = box.run(*run)
    assert done.returncode == 0, done.stderr
    before = served.runs()
    assert [(one["id"], one["status"]) for one in before] == [("control-01", "completed")]
    assert before[0]["metrics"][0]["final"] == "0.625"
    again = box.run("python3", "punktum.py", "replay", ".")
    assert again.returncode == 0, again.stderr
    assert served.runs() == before


def test_on_the_port_for_jobs_it_needs_a_token(served: Served) -> None:
    address = f"http://127.0.0.1:{served.jobs_port}/punktum.py"
    assert ask(address).status == 401
    for wrong in ("", "Bearer", "Bearer pk_unknown", "Basic YTpi"):
        assert ask(address, {"Authorization": wrong}).status == 401, wrong
    right = ask(address, {"Authorization": f"Bearer {served.token}"})
    assert (right.status, right.body) == (200, the_file().content)
    for path in ("/punktum.pyc", "/punktum.py/", "/punktum.py/x", "/Punktum.py"):
        beside = f"http://127.0.0.1:{served.jobs_port}{path}"
        assert ask(beside, {"Authorization": f"Bearer {served.token}"}).status == 404, path


def test_a_token_that_is_sent_is_judged_on_the_main_port_too(
    settings: Settings, sqlite: Database
) -> None:
    opened(sqlite)
    client = TestClient(create_app(settings, sqlite, b"secret"), follow_redirects=False)
    job = token(client)
    assert client.get("/punktum.py").status_code == 200
    assert client.get("/punktum.py", headers=job).status_code == 200
    (item,) = client.get("/api/v1/campaigns/rank/tokens").json()["items"]
    client.delete(f"/api/v1/campaigns/rank/tokens/{item['id']}")
    refused = client.get("/punktum.py", headers=job)
    assert refused.status_code == 403
    assert refused.headers["content-type"] == "application/problem+json"
    assert client.get("/punktum.py", headers={"Authorization": "Bearer pk_x"}).status_code == 401


@pytest.mark.parametrize("name", ["random", "tempfile", "inspect", "token", "json", "queue"])
def test_a_training_beside_it_is_not_ended_by_what_lies_there(
    box: Box, file: Path, name: str
) -> None:
    """A file that is named like a module of the standard library breaks no import of ours."""
    (box.home / f"{name}.py").write_text("x = 1\n")
    (box.home / "train.py").write_text("import punktum\nprint('trained', punktum.__version__)\n")
    done = box.run("python3", "train.py")
    assert (done.returncode, done.stdout) == (0, f"trained {punktum.__version__}\n"), done.stderr
