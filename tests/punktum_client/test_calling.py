"""How messages and help name the command: as a person can type it, paths quoted for a shell."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.punktum_client.box import Box, Done
from tests.punktum_client.loopback import Loopback

ROOT = Path(__file__).parents[2]
ACTS = ("run", "init", "verify", "pull", "restore-check", "replay", "status", "check")
WAYS = ("module", "one file", "script")
STRANGE = "aus gabe ü'$HOME"
"""A folder's name that a shell would take apart."""


def _loaded(path: Path) -> ModuleType:
    """A module by its file: the client's tests need no server's packages."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``punktum.py``, made from the sources as they are."""
    maker = _loaded(ROOT / "app" / "runs" / "rules" / "single_file.py")
    package = ROOT / "punktum"
    sources = {
        path.relative_to(package).as_posix(): path.read_text() for path in package.rglob("*.py")
    }
    made = tmp_path_factory.mktemp("one") / "punktum.py"
    made.write_bytes(maker.single_file(sources, maker.version_in(sources)).content)
    return made


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, box: Box, one_file: Path) -> list[str]:
    """The words before our own, as they are typed in the box's folder."""
    if request.param == "module":
        return [box.python, "-m", "punktum"]
    if request.param == "one file":
        shutil.copy(one_file, box.folder / "punktum.py")
        return [box.python, "punktum.py"]
    script = box.folder / "bin" / "punktum"
    script.parent.mkdir()
    script.write_text(f"#!{box.python}\nfrom punktum.cli import main\nraise SystemExit(main())\n")
    script.chmod(0o755)
    path = f"{script.parent}:/usr/bin:/bin"
    box.environment = {"PATH": path}
    return ["punktum"]


def said_by(box: Box, way: list[str], *words: str) -> Done:
    """What the command says, typed in a shell."""
    return box.typed(shlex.join([*way, *words]))


def test_help_names_the_command_as_it_was_typed(box: Box, way: list[str]) -> None:
    typed = shlex.join(way)
    assert said_by(box, way, "--help").out.split()[: len(way) + 1] == ["usage:", *way]
    for act in ACTS:
        said = said_by(box, way, act, "--help").out
        examples = said.partition("examples:\n")[2].splitlines()
        named = [line for line in examples if f"punktum {act}" in line or f".py {act}" in line]
        assert named
        assert all(f"{typed} {act}" in line for line in named), named
        assert said.split()[: len(way) + 2] == ["usage:", *way, act]


def test_a_message_names_a_line_that_can_be_pasted(
    box: Box, way: list[str], server: Loopback
) -> None:
    """From the run's own words to the record on the server, by pasting alone."""
    done = said_by(box, way, "run", "--step", "control", "--output", STRANGE, "--", "true")
    (line,) = re.findall(r"send them later with: (.*)", done.err)
    assert line.startswith(shlex.join(way))
    box.reports_to(server)
    assert box.typed(line).code == 0
    assert server.kinds("control-01") == ["start", "finish"]


def test_a_refused_run_names_the_line_with_the_next_id(
    box: Box, way: list[str], server: Loopback
) -> None:
    box.reports_to(server)
    problem = {"detail": "a-01 is taken", "next_id": "a-02"}
    server.refuse = lambda event: (409, problem) if event["run"] == "a-01" else None
    run = ["run", "--step", "control", "--run", "a-01", "--output", STRANGE, "--", "true"]
    done = said_by(box, way, *run)
    (first,) = re.findall(r"events wait; send them with: (.*)", done.err)
    again = said_by(box, way, "replay", STRANGE)
    (second,) = re.findall(r"Under another id: (.*)", again.err)
    for line in (first, second):
        assert box.typed(line).code == 0
    assert server.kinds("a-02") == ["start", "finish"]


def test_the_evidence_that_waits_names_its_line(box: Box, way: list[str], server: Loopback) -> None:
    server.sheet.update(deliverables=[{"id": "d", "checks": []}])
    box.reports_to(server)
    (box.folder / STRANGE).mkdir()
    (box.folder / STRANGE / "a.txt").write_text("a")
    assert said_by(box, way, "check", "--output", STRANGE).code == 0
    server.mode = "500"
    done = said_by(box, way, "verify", STRANGE, "--all")
    (line,) = re.findall(r"the evidence is kept; send it later with: (.*)", done.err)
    server.mode = "well"
    assert box.typed(line).code == 0
    assert len(server.submissions) == 1


def test_code_that_trains_names_a_command_of_this_box(box: Box, server: Loopback) -> None:
    code = (
        f"import punktum\nwith punktum.run('control', params={{}}, output={STRANGE!r}):\n    pass\n"
    )
    for path in (f"{box.folder}", "/usr/bin:/bin"):
        box.environment = {"PATH": path}
        done = box.python_code(code)
        (line,) = re.findall(r"send them later with: (.*)", done.err)
    box.reports_to(server)
    assert box.typed(line).code == 0
    assert server.kinds("control-01") == ["start", "finish"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--step", "control", "python", "train.py", "--lr", "0.1"],
         "-- is missing before the command: {way} run --step control -- python train.py --lr 0.1"),
        (["run", "--step", "a b"], "no command: {way} run --step 'a b' -- COMMAND …"),
        (["statsu"], 'command "statsu" unknown; did you mean "status"?'),
        (["dance"], 'command "dance" unknown; there are ' + ", ".join(ACTS)),
        (["status", "--outptu", "x"], "not understood: --outptu x; see {way} status --help"),
        (["run", "--stpe", "x", "--step", "control", "--", "true"],
         "not understood: --stpe x; see {way} run --help"),
    ],
)  # fmt: skip
def test_a_slip_is_told_with_what_would_be_right(
    box: Box, way: list[str], words: list[str], said: str
) -> None:
    done = said_by(box, way, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == "punktum: " + said.replace("{way}", shlex.join(way))
    assert not box.spool.exists()
