"""The page Connect: a way is chosen, a token made, and each block runs as it stands."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from selectolax.lexbor import LexborHTMLParser as HTMLParser
from selectolax.lexbor import LexborNode as Node

from app.db import Database
from app.main import create_app
from app.runs.pages.client_file import the_file
from app.runs.pages.connect import restart
from app.runs.rules.pasting import Box as Named
from app.runs.rules.pasting import Way, read_box
from app.settings import Settings
from tests.conftest import NOW
from tests.pages import fields, read, submit
from tests.runs.boxes import TRAIN, Box, Served, serving
from tests.runs.campaigns import ID, closed, event, opened, recorded

CONNECT = f"/campaigns/{ID}/connect"
TOKENS = f"/api/v1/campaigns/{ID}/tokens"


@pytest.fixture
def browser(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    return _browser(settings, sqlite, monkeypatch)


@pytest.fixture
def tunnelled(settings: Settings, sqlite: Database, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """A browser at a server with a port for jobs."""
    return _browser(settings.model_copy(update={"jobs_port": 8123}), sqlite, monkeypatch)


def _browser(settings: Settings, sqlite: Database, patch: pytest.MonkeyPatch) -> TestClient:
    patch.setenv("PUNKTUM_NOW", NOW.isoformat())
    app = create_app(settings, sqlite, b"a secret of the tests")
    return TestClient(app, follow_redirects=False, headers={"Accept-Language": "en"})


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path / "box")


def words(node: HTMLParser | Node | None) -> str:
    assert node is not None
    return " ".join(node.text(separator=" ").replace("\xa0", " ").split())


def page(browser: TestClient, url: str = CONNECT) -> HTMLParser:
    answer = browser.get(url)
    assert answer.status_code == 200, answer.text
    return read(answer)


def pasted(tree: HTMLParser) -> list[str]:
    """The blocks of the chosen way."""
    return [node.text() for node in tree.css("#paste > .code code")]


def cells(tree: HTMLParser) -> list[list[str]]:
    return [[words(cell) for cell in row.css("th, td")] for row in tree.css("#tokens tbody tr")]


# -- the page ----------------------------------------------------------------------------------


def test_a_token_is_made_shown_once_and_revoked(browser: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    answer = submit(browser, CONNECT, "form#new-token", {"name": "box 7"})
    assert answer.status_code == 200
    tree = read(answer)
    secret = words(tree.css_first("#token .code code"))
    assert secret.startswith("pk_")
    headers = {"Authorization": f"Bearer {secret}"}
    assert browser.post("/api/v1/runs/a-01/beat", headers=headers).status_code == 200
    again = page(browser)
    assert secret not in (again.html or "")
    (row,) = cells(again)
    assert row[0].startswith("box 7")
    assert row[3] == "Tue, 1 Dec, 15:12"
    assert submit(browser, CONNECT, "#tokens form").status_code == 303
    assert cells(page(browser))[0][4] == "Revoked"
    assert browser.post("/api/v1/runs/a-01/beat", headers=headers).status_code == 403


def test_the_way_is_chosen_first_and_the_token_stands_beside_it(
    tunnelled: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    tree = page(tunnelled)
    cards = [node.attributes["id"] for node in tree.css("main section.card")]
    assert cards[:3] == ["way", "token", "paste"]
    form = tree.css_first("form#choose")
    assert form is not None
    assert form.attributes["method"] == "get"
    assert fields(form) == {"way": "here", "step": "control", "box": ""}
    ways = [node.attributes["value"] for node in form.css("input[name=way]")]
    assert ways == [way.value for way in Way]
    assert {len(pasted(page(tunnelled, f"{CONNECT}?way={way}"))) for way in ways} == {1, 2, 3}


def test_what_was_chosen_is_kept_when_a_token_is_made(
    tunnelled: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    chosen = f"{CONNECT}?way=tunnel&step=variant-a&box=root%40gpu-1"
    before = pasted(page(tunnelled, chosen))
    made = submit(tunnelled, chosen, "form#new-token", {"name": "box"})
    assert pasted(read(made)) == before
    assert "variant-a" in before[1]
    assert before[0].endswith(" root@gpu-1")
    refused = submit(tunnelled, chosen, "form#new-token", {"name": "x" * 101})
    assert refused.status_code == 422
    assert pasted(read(refused)) == before
    assert read(refused).css_first("#f-name-error") is not None


def test_no_block_holds_a_token_or_names_one_in_an_address(
    tunnelled: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    for way in Way:
        made = read(submit(tunnelled, f"{CONNECT}?way={way}", "form#new-token"))
        secret = words(made.css_first("#token .code code"))
        for block in pasted(made):
            assert secret not in block
            assert "pk_" not in block
            assert "token=" not in block
            assert "TOKEN=" not in block


@pytest.mark.parametrize("way", list(Way))
def test_a_block_names_this_server_the_step_and_the_hash(
    tunnelled: TestClient, sqlite: Database, way: Way
) -> None:
    opened(sqlite)
    tree = page(tunnelled, f"{CONNECT}?way={way}&step=variant-a")
    whole = "\n".join(pasted(tree))
    assert set(re.findall(r"--step (\S+)", whole)) == {"variant-a"}
    url = "http://127.0.0.1:8123" if way is Way.TUNNEL else "http://testserver"
    assert set(re.findall(r"PUNKTUM_URL=(\S+)", whole)) == {url}
    assert re.findall(r"([0-9a-f]{64})  \S*punktum.py' \| sha256sum -c -", whole) == [
        the_file().sha256
    ]
    assert the_file().sha256 in words(tree.css_first("#paste")).replace(" ", "")
    assert [link.attributes["href"] for link in tree.css("#paste p a")] == ["/punktum.py"]
    unknown = pasted(page(tunnelled, f"{CONNECT}?way={way}&step=nothing"))
    assert "--step control" in "\n".join(unknown)


def test_without_a_port_for_jobs_the_page_says_how_to_have_one(
    browser: TestClient, sqlite: Database, settings: Settings
) -> None:
    opened(sqlite)
    (line,) = pasted(page(browser, f"{CONNECT}?way=tunnel"))
    assert line == f"./bin/run --jobs-port 8001 --data {settings.data}"
    for way in (Way.HERE, Way.OFFLINE):
        assert "jobs-port" not in "\n".join(pasted(page(browser, f"{CONNECT}?way={way}")))


@pytest.mark.parametrize(
    ("port", "data", "is_demo", "line"),
    [
        (8000, "data", False, "./bin/run --jobs-port 8001"),
        (8010, "data", False, "./bin/run --port 8010 --jobs-port 8011"),
        (65535, "my data", False, "./bin/run --port 65535 --jobs-port 65534 --data 'my data'"),
        (8000, "throw-away", True, "./bin/run --jobs-port 8001 --demo"),
    ],
)
def test_the_line_that_starts_a_port_for_jobs(
    port: int, data: str, is_demo: bool, line: str
) -> None:
    assert restart(port, Path(data), is_demo) == line


@pytest.mark.parametrize(
    ("said", "box"),
    [
        ("root@203.0.113.7", Named("root@203.0.113.7")),
        ("gpu-1", Named("gpu-1")),
        ("root@203.0.113.7 -p 40022", Named("root@203.0.113.7", "-o Port=40022")),
        (
            "ssh -p 40022 root@host.example -i ~/.ssh/id_ed25519",
            Named("root@host.example", "-o Port=40022 -i ~/.ssh/id_ed25519"),
        ),
        ("", None),
        ("ssh", None),
        ("root@a; rm -rf ~", None),
        ("$(id)@a", None),
        ("root@a root@b", None),
        ("-oProxyCommand=id", None),
        ("root@-oProxyCommand=id", None),
        ("root@a -p 22x", None),
        ("root@a -p", None),
        ("root@a -i $(id)", None),
        ("root@a -i -oProxyCommand=id", None),
        ("root@a -L 1:b:2", None),
        ("root@a`id`", None),
        ("root@a|id", None),
        ("root@a\nid", None),
    ],
)
def test_a_box_is_what_ssh_takes_and_nothing_that_a_shell_would_run(
    said: str, box: Named | None
) -> None:
    assert read_box(said) == box


def test_a_box_that_is_none_is_refused_and_kept(tunnelled: TestClient, sqlite: Database) -> None:
    opened(sqlite)
    answer = tunnelled.get(f"{CONNECT}?way=tunnel&box=root%40a%3Bid")
    assert answer.status_code == 422
    tree = read(answer)
    field = tree.css_first("#f-box")
    assert field is not None
    assert (field.attributes["value"], field.attributes["aria-invalid"]) == ("root@a;id", "true")
    assert "USER@HOST" in words(tree.css_first("#f-box-error"))
    assert [block for block in pasted(tree) if ";id" in block] == []


def test_the_lines_one_by_one_name_this_server_and_the_step(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    tree = page(browser, f"{CONNECT}?step=variant-a")
    token, settings, wrapper, python, shell = [
        words(block) for block in tree.css("#how .code code")
    ]
    assert token == "(umask 077; cat > ~/.punktum-token)"
    assert settings.startswith("export PUNKTUM_URL=http://testserver ")
    assert (
        wrapper == "punktum check --step variant-a punktum run --step variant-a -- python train.py"
    )
    assert python.startswith('import punktum with punktum.run("variant-a") as run:')
    assert "http://testserver/api/v1/runs/variant-a-01/start" in shell


@pytest.mark.parametrize(
    ("taken", "free"),
    [
        ((), "variant-a-01"),
        (("variant-a-02",), "variant-a-01"),
        (("variant-a-01",), "variant-a-02"),
        (("variant-a-01", "variant-a-02", "variant-a-04", "control-03"), "variant-a-03"),
    ],
)
def test_the_lines_for_a_shell_name_a_run_id_that_is_free(
    browser: TestClient, sqlite: Database, taken: tuple[str, ...], free: str
) -> None:
    opened(sqlite)
    for number, run_id in enumerate(taken, start=1):
        attempt = f"{number:032x}"
        recorded(sqlite, event(1, "start", run=run_id, attempt_id=attempt), event(2))
    block = words(page(browser, f"{CONNECT}?step=variant-a").css("#how .code code")[4])
    assert re.findall(r"/api/v1/runs/([^/]+)/", block) == [free, free]
    job = {"Authorization": f"Bearer {browser.post(TOKENS).json()['token']}"}
    start = {"step": "variant-a", "config_sha256": "e" * 64}
    assert browser.post(f"/api/v1/runs/{free}/start", json=start, headers=job).status_code == 200


def test_a_closed_campaign_connects_no_job_and_still_takes_a_spool(
    browser: TestClient, sqlite: Database
) -> None:
    opened(sqlite)
    browser.post(TOKENS)
    closed(sqlite)
    tree = page(browser)
    assert [form.attributes["id"] for form in tree.css("main form")] == ["upload"]
    assert tree.css("#way, #token, #paste") == []
    assert "late evidence" in words(tree.css_first("#spool"))


# -- its blocks --------------------------------------------------------------------------------


def _coded(box: Box) -> Path:
    """A folder of the box with training code in it."""
    folder = box.home / "code"
    folder.mkdir()
    (folder / "train.py").write_text(TRAIN)
    return folder


def _kept_token(box: Box) -> tuple[str, int]:
    file = box.home / ".punktum-token"
    return file.read_text().strip(), stat.S_IMODE(file.stat().st_mode)


@pytest.mark.parametrize("open_before", [False, True])
def test_the_block_for_this_machine_runs_as_it_stands(
    served: Served, box: Box, open_before: bool
) -> None:
    code = _coded(box)
    if open_before:
        (box.home / ".punktum-token").write_text("pk_of-another-campaign\n")
        (box.home / ".punktum-token").chmod(0o644)
    before = len(served.runs())
    (block,) = served.blocks("?step=control")
    done = box.paste(block, typed=f"{served.token}\n", cwd=code)
    assert done.returncode == 0, done.stderr
    assert "punktum.py: OK" in done.stdout
    assert served.token not in done.stdout + done.stderr
    assert _kept_token(box) == (served.token, 0o600)
    again = box.paste(block, typed="\n", cwd=code)
    assert again.returncode == 0, again.stderr
    assert _kept_token(box) == (served.token, 0o600)
    runs = served.runs()
    assert len(runs) == before + 2
    assert {run["status"] for run in runs} == {"completed"}


def test_a_block_ends_where_something_fails_and_leaves_the_shell_alone(
    served: Served, box: Box
) -> None:
    code = _coded(box)
    before = served.runs()
    (block,) = served.blocks("?step=control")
    other = block.replace(the_file().sha256, "0" * 64)
    done = box.paste(f"{other}\necho still here", typed=f"{served.token}\n", cwd=code)
    assert done.stdout.endswith("still here\n")
    assert "punktum.py: FAILED" in done.stdout
    wrong = box.paste(f"{block}\necho still here", typed="pk_wrong\n", cwd=code)
    assert "fail  token" in wrong.stdout
    assert wrong.stdout.endswith("still here\n")
    assert served.runs() == before


def test_a_block_pasted_line_by_line_is_read_whole_before_it_asks(served: Served, box: Box) -> None:
    """As into a terminal: what follows the question is the answer, not the next line."""
    code = _coded(box)
    before = len(served.runs())
    (block,) = served.blocks("?step=control")
    done = box.run("bash", typed=f"{block}\n{served.token}\necho $? after\n", cwd=code)
    assert done.stdout.endswith("0 after\n"), done.stderr
    assert _kept_token(box) == (served.token, 0o600)
    assert len(served.runs()) == before + 1
