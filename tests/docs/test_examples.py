"""What README and docs show is true: files import, calls are accepted, options and links exist."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import tomllib
from fastapi.testclient import TestClient
from httpx2 import Response

import app
from app import clock, rooms
from app.db import Database
from app.db.lockfile import FolderLock
from app.errors import AppError
from app.exchange.rules import read_campaign_file, write_campaign_file
from app.journal.verify import verify_database
from app.plan.rules.document.shape import Shape, TableOf, Tables
from app.plan.rules.document.tables import CAMPAIGN, SECTIONS
from app.plan.rules.model import CheckKind, Plan, StopKind
from app.runs.rules.reading import FIELDS
from app.settings import Settings
from punktum.configuration import NOT_CONFIG
from tests.conftest import NOW
from tests.house.catalogues import extracted
from tests.house.source import ROOT

README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = (README, ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md")))
BROWSER_MAKES = {DOCS / "timeline.png"}
"""Pictures that the browser tests make."""
MOST_ACTIONS = 22
STAND_IN = "5" * 64
"""Stands for what a command in a shell would work out."""
COMMANDS = ("check", "run", "init", "verify", "pull", "restore-check", "status", "replay")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language and its text."""

    language: str
    text: str


def blocks(page: Path, *languages: str) -> list[Block]:
    """The fenced blocks of a page in their order."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.S | re.M)
    return [Block(name, text) for name, text in found if not languages or name in languages]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.S | re.M)


def tables(page: Path) -> Iterator[tuple[str, list[list[str]]]]:
    """Each table of a page with the heading that it stands under; rows without the head."""
    heading, rows = "", []
    for line in [*prose(page).splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))])
            continue
        if rows:
            yield heading, rows[2:]
            rows = []
        if line.startswith("#"):
            heading = line.strip("# ")


def names_in(cell: str) -> list[str]:
    """What stands between backticks."""
    return re.findall(r"`([^`]+)`", cell)


def commands_of(text: str) -> Iterator[str]:
    """The commands of a block of shell, each whole: quotes closed, continued lines joined."""
    waiting = ""
    for line in text.splitlines():
        waiting += line
        if waiting.endswith("\\"):
            waiting = waiting[:-1]
            continue
        try:
            shlex.split(waiting)
        except ValueError:
            waiting += "\n"
            continue
        if waiting.strip() and not waiting.startswith("#"):
            yield waiting
        waiting = ""


# -- campaign files ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "source"),
    [(page.name, one.text) for page in PAGES for one in blocks(page, "toml")],
)
def test_a_campaign_file_is_read_and_written_back_the_same(page: str, source: str) -> None:
    plan = read_campaign_file(source)
    assert isinstance(plan, Plan), [str(problem) for problem in plan]
    assert read_campaign_file(write_campaign_file(plan)) == plan


def documented_file() -> str:
    """The example of the page on the campaign file."""
    (only,) = blocks(DOCS / "campaign-file.md", "toml")
    return only.text


def _shapes() -> dict[str, Shape]:
    """Every table of the campaign file by the heading that it has in the docs."""
    found = {"[campaign]": CAMPAIGN}

    def inner(shape: Shape) -> None:
        for key in shape.keys:
            if isinstance(key.kind, TableOf):
                found[f"{key.name} = {{ … }}"] = key.kind.shape
                inner(key.kind.shape)
            elif isinstance(key.kind, Tables):
                found[f"{key.name} = [{{ … }}]"] = key.kind.shape
                inner(key.kind.shape)

    inner(CAMPAIGN)
    for key in SECTIONS.keys:
        assert isinstance(key.kind, TableOf | Tables)
        name = f"[{key.name}]" if isinstance(key.kind, TableOf) else f"[[{key.name}]]"
        found[name] = key.kind.shape
        inner(key.kind.shape)
    return found


def test_every_key_of_the_campaign_file_is_documented_in_its_order() -> None:
    said: dict[str, list[str]] = {}
    for heading, rows in tables(DOCS / "campaign-file.md"):
        keys = [names_in(row[0])[0] for row in rows if len(row) == 4]
        if keys:
            said[heading.strip("`")] = keys
    assert said.pop("Top level") == ["format"]
    assert said == {name: [key.name for key in shape.keys] for name, shape in _shapes().items()}


def test_every_kind_of_stop_rule_and_check_is_documented() -> None:
    said = {
        heading.strip("`"): {name for row in rows for name in names_in(row[0])}
        for heading, rows in tables(DOCS / "campaign-file.md")
        if rows and len(rows[0]) == 3 and rows[0][0].startswith("`")
    }
    assert said == {
        "[[stop_rules]]": {str(kind) for kind in StopKind},
        "checks = [{ … }]": {str(kind) for kind in CheckKind},
    }


def test_the_refusal_shown_is_the_refusal_given() -> None:
    source = documented_file()
    wrong = source.replace('needed_if = "variant-a does not pass"', 'needed_if = "variant-a fails"')
    assert wrong != source
    found = read_campaign_file(wrong)
    assert not isinstance(found, Plan)
    shown = blocks(DOCS / "campaign-file.md", "text")[-1].text
    assert [str(problem) for problem in found] == [" ".join(shown.split())]


# -- calls ------------------------------------------------------------------------------------


@dataclass
class Shell:
    """Runs a page's curl commands against the app; other commands only set what they set."""

    client: TestClient
    folder: Path
    values: dict[str, str] = field(default_factory=dict)
    answers: list[Response] = field(default_factory=list)

    def run(self, text: str) -> None:
        """Each command of a block; a call that is not taken fails the test."""
        for command in commands_of(text):
            expanded = self._expanded(command)
            words = shlex.split(expanded)
            if words[0] == "curl":
                self._curl(words[1:])
            elif re.match(r"(export )?\w+=", expanded):
                self._set(words)

    def _set(self, words: list[str]) -> None:
        for word in words[1:] if words[0] == "export" else words:
            name, _, value = word.partition("=")
            if "…" not in value:
                self.values[name] = value

    def _expanded(self, command: str) -> str:
        command = re.sub(r"\$\([^)]*\)", STAND_IN, command)
        return re.sub(r"\$(\w+)", lambda found: self.values.get(found[1], found[0]), command)

    def _curl(self, words: list[str]) -> None:
        method, headers, data, urls = "", {}, [], []
        rest = iter(words)
        for word in rest:
            if word == "-X":
                method = next(rest)
            elif word == "-m":
                assert int(next(rest)) > 0
            elif word == "-H":
                name, _, value = next(rest).partition(":")
                headers[name] = value.strip()
            elif word in ("-d", "--data-binary"):
                given = next(rest)
                data.append(
                    (self.folder / given[1:]).read_bytes() if given[0] == "@" else given.encode()
                )
            else:
                assert not word.startswith("-"), f"the test does not know curl's {word}"
                urls.append(word)
        (url,) = urls
        if data:
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        answer = self.client.request(
            method or ("POST" if data else "GET"),
            url.removeprefix("http://127.0.0.1:8000"),
            content=b"&".join(data) if data else None,
            headers=headers,
        )
        assert answer.status_code in (200, 201, 204), f"{words}: {answer.text[:600]}"
        self.answers.append(answer)
        if answer.status_code == 201 and "token" in answer.json():
            self.values["TOKEN"] = answer.json()["token"]


@pytest.fixture
def shell(client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A folder with the documented campaign file and a log, at a time inside its window."""
    monkeypatch.setattr(clock, "now", lambda: NOW)
    (tmp_path / "campaign.toml").write_text(documented_file(), "utf-8")
    (tmp_path / "train.end").write_bytes(b"a line\nthe last line \xff\n")
    return Shell(client, tmp_path)


def _like(shown: object, given: object) -> bool:
    """Whether an answer has the members that are shown, where the dots stand for anything."""
    if isinstance(shown, dict) and isinstance(given, dict):
        return shown.keys() == given.keys() and all(_like(shown[key], given[key]) for key in shown)
    return (isinstance(shown, str) and "…" in shown) or shown == given


def test_the_calls_of_the_api_page_are_accepted_in_their_order(shell: Shell) -> None:
    shown = 0
    for block in blocks(DOCS / "api.md", "sh", "json"):
        if block.language == "sh":
            shell.run(block.text)
        elif shell.answers:
            given = shell.answers[-1].json()
            assert _like(json.loads(block.text), given), given
            shown += 1
    assert shown == 3
    assert len(shell.answers) > 20
    report = shell.answers[-1].json()
    assert (report["outcome"], report["closed_by"]) == ("negative", "local")
    stopped = {line["run"]: (line["reason"], line["value"]) for line in report["stops"]}
    assert stopped == {"variant-a-01": ("rule:loss-not-finite", "nan")}


def test_the_error_shown_is_the_error_given(shell: Shell) -> None:
    shell.run("".join(block.text for block in blocks(DOCS / "api.md", "sh")[:2]))
    order = {
        "provider": "IteraGPU", "reference": "IG-20931", "price": 47.14, "currency": "USD",
        "starts_at": "2026-11-30T08:00:00+01:00", "ends_at": "2026-12-03T08:00:00+01:00",
    }  # fmt: skip
    refused = shell.client.post("/api/v1/campaigns/invoice-adapter/orders", json=order)
    assert refused.json() == json.loads(blocks(DOCS / "api.md", "json")[0].text)


def test_the_curl_lines_of_the_readme_record_a_run(shell: Shell) -> None:
    api = blocks(DOCS / "api.md", "sh")
    shell.run("".join(block.text for block in api[:5]))
    shell.values |= {"PUNKTUM_URL": "http://127.0.0.1:8000", "code": "0"}
    lines = next(block.text for block in blocks(README, "sh") if "curl" in block.text)
    shell.run(re.sub(r"^PUNKTUM_TOKEN=.*\n", "", lines).replace("PUNKTUM_TOKEN", "TOKEN"))
    assert shell.answers[-1].json()["status"] == "completed"


def test_every_address_of_the_api_is_documented_and_no_other(client: TestClient) -> None:
    spec = client.get("/api/v1/openapi.json").json()
    there = {
        (method.upper(), re.sub(r"\{\w+\}", "{}", path))
        for path, methods in spec["paths"].items()
        for method in methods
    }
    said = {
        (method, re.sub(r"\{\w+\}", "{}", path))
        for _, rows in tables(DOCS / "api.md")
        for row in rows
        for method, path in re.findall(r"`(GET|POST|PUT|DELETE) (/api/v1/[^`]+)`", row[0])
    }
    assert said == there


def test_a_job_token_reads_nothing_but_the_sheet(client: TestClient) -> None:
    """The page on the API says so of every other address."""
    spec = client.get("/api/v1/openapi.json").json()
    token = {"Authorization": "Bearer pk_of-a-job"}
    answers = {
        path: client.get(re.sub(r"\{\w+\}", "x", path), headers=token).status_code
        for path, methods in spec["paths"].items()
        if "get" in methods
    }
    assert answers.pop("/api/v1/sheet") == 401  # the sheet knows this one not; others do not ask
    assert set(answers.values()) == {403}, answers


def test_every_problem_is_documented_and_no_other() -> None:
    for module in pkgutil.walk_packages(app.__path__, "app."):
        if module.name.rpartition(".")[2] in ("refusals", "commands", "errors"):
            importlib.import_module(module.name)
    rooms.register_projectors()

    def below(kind: type[AppError]) -> Iterator[type[AppError]]:
        for one in kind.__subclasses__():
            yield one
            yield from below(one)

    there = {(one.status, one.name) for one in below(AppError)}
    said = {
        (int(row[0]), name)
        for heading, rows in tables(DOCS / "api.md")
        if heading == "Errors"
        for row in rows
        for name in names_in(row[1])
    }
    assert said == there


def test_every_field_of_an_event_is_documented_and_no_other() -> None:
    (rows,) = (rows for heading, rows in tables(DOCS / "api.md") if heading == "Fields")
    said = {name: row[1] for row in rows for name in names_in(row[0])}
    everywhere = set.intersection(*({str(name) for name in fields} for fields in FIELDS.values()))
    there = dict.fromkeys(everywhere, "all")
    for kind, fields in FIELDS.items():
        for name in set(fields) - everywhere:
            there[name] = ", ".join(filter(None, (there.get(name), kind.value)))
    assert said == {**there, "run": "batch", "kind": "batch"}


# -- the client -------------------------------------------------------------------------------


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PUNKTUM_")}
    return {**kept, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(folder / "config")}


@pytest.mark.parametrize(
    ("page", "source"),
    [
        (page.name, one.text)
        for page in PAGES
        for one in blocks(page, "python")
        if page.name != "integrations.md"  # with real frameworks: tests/integrations
    ],
)
def test_a_python_example_runs_without_a_server(page: str, source: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", source],
        cwd=tmp_path,
        env=_environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (spool,) = tmp_path.rglob("*.jsonl")
    kinds = [json.loads(line)["kind"] for line in spool.read_text("utf-8").splitlines()]
    assert (kinds[0], kinds[-1]) == ("start", "finish")
    assert "beat" in kinds


def test_the_restore_check_of_the_client_page_passes(tmp_path: Path) -> None:
    """Its command and its training, as they stand there, with and without what a resume needs."""
    section = (DOCS / "client.md").read_text("utf-8").split("### punktum restore-check\n", 1)[1]
    command = re.search(r"```sh\n(.*?)```", section, re.S)
    training = re.search(r"```python\n(.*?)```", section, re.S)
    assert command is not None
    assert training is not None
    (tmp_path / "bin").mkdir()
    for name, words in (("python", ""), ("punktum", " -m punktum")):
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {sys.executable}{words} "$@"\n')
        program.chmod(0o755)
    environment = _environment(tmp_path)
    environment["PATH"] = f"{tmp_path / 'bin'}:{environment['PATH']}"

    def check(source: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "train.py").write_text(source)
        return subprocess.run(
            ["/bin/sh", "-c", command[1]],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    done = check(training[1])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("passed    loss agrees over 20 steps")
    forgets = training[1].replace("    source.setstate((version, tuple(numbers), rest))\n", "")
    assert forgets != training[1]
    done = check(forgets)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("FAILED    loss differs at step 1 after the checkpoint")


@cache
def _help(program: str, command: str = "") -> str:
    """What `--help` prints of `punktum` or `punktum-server`, or of one of their commands."""
    module = {"punktum": "punktum.cli", "punktum-server": "app.command_line"}[program]
    words = [command, "--help"] if command else ["--help"]
    done = subprocess.run(
        [sys.executable, "-c", f"from {module} import main; raise SystemExit(main())", *words],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{program} {command}: {done.stderr}"
    return done.stdout


def _server_commands() -> set[str]:
    listed = _help("punktum-server").split("Commands:\n", 1)[1].split("\n\n", 1)[0]
    return set(re.findall(r"^  (\w+)", listed, re.M))


def _options(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def _said_commands(page: Path) -> Iterator[str]:
    """Commands of ours in a page: in blocks of shell, and in backticks."""
    for block in blocks(page, "sh"):
        yield from commands_of(block.text)
    for quoted in names_in(prose(page)):
        yield from quoted.split(" && ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_that_is_named_exists(page: Path) -> None:
    wrong = []
    for said in _said_commands(page):
        ours = said.split(" -- ")[0]
        found = re.match(r"(?:\S+/)?(punktum-server|punktum|run)\b ?([a-z][\w-]*)?", ours)
        if found is None or not ours.startswith(("punktum", ".venv/bin/punktum", "./bin/run")):
            continue
        program, command = found[1], found[2] or ""
        if program == "run":
            known = _options((ROOT / "bin/run").read_text("utf-8"))
        elif command and command not in (COMMANDS if program == "punktum" else _server_commands()):
            wrong.append(said)
            continue
        else:
            known = _options(_help(program, command))
        wrong += [f"{said}: {name}" for name in _options(ours) - known - {"--help"}]
    assert wrong == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_the_client_is_documented(command: str) -> None:
    text = (DOCS / "client.md").read_text("utf-8")
    section = text.split(f"\n### punktum {command}\n", 1)[1].split("\n##", 1)[0]
    before = text.split("\n### punktum check\n", 1)[0]
    assert _options(_help("punktum", command)) - _options(section) - _options(before) == set()


def test_every_command_of_the_server_is_documented_with_its_options() -> None:
    said = {
        names_in(row[0])[0].split()[1]: _options(row[1])
        for heading, rows in tables(DOCS / "operations.md")
        if heading == "Commands"
        for row in rows
        if row[0].startswith("`punktum-server")
    }
    there = {name: _options(_help("punktum-server", name)) for name in _server_commands()}
    everywhere = {"--help", "--data"}  # the sentence below the table says what they do
    assert {name: options - everywhere for name, options in said.items()} == {
        name: options - everywhere for name, options in there.items()
    }


def test_the_exit_codes_of_the_table_are_those_of_the_commands(tmp_path: Path) -> None:
    def code(*words: str, **settings: str) -> int:
        start = "from app.command_line import main; main()"
        return subprocess.run(
            [sys.executable, "-c", start, *words, "--data", str(tmp_path)],
            cwd=tmp_path,
            env={**_environment(tmp_path), **settings},
            capture_output=True,
            check=False,
        ).returncode

    with FolderLock(tmp_path, "the test"):
        codes = {
            1: code("backup", "copy"),
            2: code("config", PUNKTUM_PORT="many"),
            3: code("migrate"),
        }
    assert code("serve", "--host", "0.0.0.0") == 2
    assert code("migrate") == 0
    assert all(found == wanted for wanted, found in codes.items()), codes
    (rows,) = (
        rows for _, rows in tables(DOCS / "operations.md") if {row[0] for row in rows} >= {"0", "1"}
    )
    assert [row[0] for row in rows] == ["0", "1", "2", "3", "4"]


def test_an_anchor_as_shown_is_understood(sqlite: Database) -> None:
    (shown,) = blocks(DOCS / "operations.md", "json")
    report = verify_database(sqlite.write_engine, json.loads(shown.text))
    assert [finding.campaign_id for finding in report.findings] == ["invoice-adapter"]


def test_the_arguments_that_do_not_count_are_documented() -> None:
    text = (DOCS / "client.md").read_text("utf-8")
    section = re.split(r"Not\s+counted, whatever their value:", text, maxsplit=1)[1]
    section = section.split("\n\n**", 1)[0]
    assert set(names_in(section)) == set(NOT_CONFIG)


# -- settings and names -----------------------------------------------------------------------


def test_every_setting_is_documented_with_its_default_and_no_other() -> None:
    (rows,) = (rows for heading, rows in tables(DOCS / "operations.md") if heading == "Settings")
    said = {names_in(row[0])[0]: "".join(names_in(row[1])) or row[1] for row in rows}
    there = {}
    for name, one in Settings.model_fields.items():
        default = one.default
        there[one.alias or name] = "none" if default in (None, "") else str(default).lower()
    assert said == there


def test_every_variable_that_is_named_is_read_somewhere() -> None:
    sources = [
        path
        for folder in ("app", "punktum", "bin")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix in ("", ".py", ".sh")
    ]
    known = set()
    for path in [*sources, ROOT / "docker-compose.yml"]:
        known |= set(re.findall(r"\bPUNKTUM_[A-Z_]+\b", path.read_text("utf-8")))
    named = {
        name
        for page in PAGES
        for name in re.findall(r"\bPUNKTUM_[A-Z_]+\b", page.read_text("utf-8"))
    }
    assert named - known == set()
    client = (DOCS / "client.md").read_text("utf-8")
    read = {
        name
        for path in (ROOT / "punktum").rglob("*.py")
        for name in re.findall(r"\bPUNKTUM_[A-Z_]+\b", path.read_text("utf-8"))
    }
    assert {name for name in read if name not in client} == set()


def _anchors(page: Path) -> set[str]:
    """The headings of a page as a repository's viewer names them."""
    found = re.findall(r"^#+ (.+)$", prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = unquote(target).partition("#")
        path = (page.parent / name).resolve() if name else page
        if (not path.exists() and path not in BROWSER_MAKES) or (
            anchor and anchor not in _anchors(path)
        ):
            broken.append(target)
    assert broken == []


# -- the first ten minutes --------------------------------------------------------------------


def _actions() -> list[str]:
    text = README.read_text("utf-8")
    section = text.split("\n## The first ten minutes\n", 1)[1].split("\n## ", 1)[0]
    return [" ".join(one.split()) for one in re.split(r"^\d+\. ", section, flags=re.M)[1:]]


def test_the_first_ten_minutes_are_few_actions() -> None:
    text = README.read_text("utf-8")
    numbers = [int(one) for one in re.findall(r"^(\d+)\. ", text, re.M)]
    assert numbers == list(range(1, len(_actions()) + 1))
    assert len(numbers) <= MOST_ACTIONS


def test_the_actions_name_buttons_and_pages_that_exist() -> None:
    sentences = set()
    for message in extracted():
        forms = message.id if isinstance(message.id, list | tuple) else (message.id,)
        sentences |= {re.sub(r"\{\w+\}", "0", str(form)).rstrip(":") for form in forms}
    named = {name for page in PAGES for name in re.findall(r"\*\*([A-Z][^*]+)\*\*", _ui_of(page))}
    missing = {name for name in named if re.sub(r"\d+", "0", name) not in sentences}
    assert missing == set()


def _ui_of(page: Path) -> str:
    """Where bold words name pages and buttons: actions, and the ways in and out of a file."""
    if page == README:
        return "\n".join(_actions()) + page.read_text("utf-8").split("closed campaign.", 1)[-1]
    return prose(page).split("\n## ", 1)[0] if page.name == "campaign-file.md" else ""


def test_the_actions_are_those_of_the_example() -> None:
    folder = ROOT / "examples/digits"
    plan: Mapping[str, Any] = tomllib.loads((folder / "campaign.toml").read_text("utf-8"))
    steps = {step["id"] for step in plan["steps"]}
    lines = [one for action in _actions() for one in names_in(action)]
    runs = [
        part
        for line in lines
        for part in line.split(" && ")
        if part.startswith(("punktum run ", "punktum restore-check "))
    ]
    assert {re.findall(r"--step (\S+)", run)[0] for run in runs} <= steps
    scripts = {name for line in lines for name in re.findall(r"python (\S+\.py)", line)}
    assert {name for name in scripts if not (folder / name).is_file()} == set()
    decided = {step["id"] for step in plan["steps"] if step["kind"] == "decision_point"}
    essential = {step["id"] for step in plan["steps"] if step["class"] == "essential"}
    walked = {re.findall(r"--step (\S+)", run)[0] for run in runs} | decided | {"data-check"}
    assert essential <= walked
