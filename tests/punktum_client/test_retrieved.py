"""Proof that files arrived: hashed on another machine, compared with ``MANIFEST.json``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from punktum.manifest_file import NAME
from tests.punktum_client.box import Box, Done
from tests.punktum_client.loopback import Loopback
from tests.punktum_client.test_verify import announce, put
from tests.punktum_client.test_with_the_dashboard import CAMPAIGN, Dashboard, _post, dashboard

__all__ = ["dashboard"]
ELSEWHERE = (
    "import sys, punktum.machine as machine\n"
    "machine.machine_id = lambda keep_in=None: '7' * 64\n"
    "from punktum.cli import main\n"
    "sys.exit(main(sys.argv[1:]))\n"
)


def on_another_machine(box: Box, *words: str) -> Done:
    """``punktum …`` as it runs on another machine with these folders."""
    return box.done(box.start(box.python, "-c", ELSEWHERE, *words))


@pytest.fixture
def home(box: Box, server: Loopback) -> Path:
    """A folder that was verified on another machine and copied here."""
    box.reports_to(server)
    announce(server, {"kind": "non_empty"}, {"kind": "reload", "command": "test -s p.csv"})
    announce(server, {"kind": "non_empty"}, name="report")
    put(box.folder / "out", predictions__p_csv="1", predictions__sub__q_csv="2", log_txt="l")
    done = on_another_machine(box, "verify", "out", "--deliverable", "predictions", "--run", "a")
    assert done.code == 0, done.err
    shutil.copytree(box.folder / "out", box.folder / "home")
    server.submissions.clear()
    return box.folder / "home"


def test_equal_hashes_are_proof_and_what_came_later_does_not_matter(
    box: Box, home: Path, server: Loopback
) -> None:
    put(home, predictions__later_txt="x")
    before = (home / NAME).read_bytes()
    done = box.run("verify", "home", "--all", "--retrieved")
    assert done.code == 0, done.err
    assert "passed  retrieved  2 files, 2 B: the same as on " in done.out
    assert "report: MANIFEST.json lists none of it" in done.err
    ((deliverable, body),) = server.submissions.values()
    assert (deliverable, body["retrieved"], body["checks"]) == ("predictions", True, [])
    assert [file["path"] for file in body["manifest"]["files"]] == ["p.csv", "sub/q.csv"]
    assert body["manifest"]["runs"] == ["a"]
    assert body["machine_id"] != "7" * 64
    assert (home / NAME).read_bytes() == before, "it is the maker's word"


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda home: (home / "predictions/p.csv").unlink(), "1 missing: p.csv (of 2 files)"),
        (lambda home: (home / "predictions/p.csv").write_text("9"), "1 not the same: p.csv"),
        (lambda home: (home / "predictions/sub/q.csv").write_text("22"), "1 not the same"),
    ],
)
def test_what_did_not_arrive_is_named_and_proves_nothing(
    box: Box, home: Path, server: Loopback, act: object, says: str
) -> None:
    assert callable(act)
    act(home)
    done = box.run("verify", "home", "--deliverable", "predictions", "--retrieved")
    assert done.code == 1
    assert f"FAILED  retrieved  {says}" in done.out
    assert server.submissions == {}


def test_the_machine_that_made_it_proves_nothing(box: Box, home: Path, server: Loopback) -> None:
    done = on_another_machine(box, "verify", "home", "--all", "--retrieved")
    assert done.code == 1
    assert "this is the machine that made it" in done.out
    assert server.submissions == {}


def test_loading_it_here_is_asked_for(box: Box, home: Path, server: Loopback) -> None:
    done = box.run("verify", "home", "--all", "--retrieved", "--reload", "--json")
    assert done.code == 0
    ((_, body),) = server.submissions.values()
    assert [(check["kind"], check["passed"]) for check in body["checks"]] == [("reload", True)]
    kinds = [check["kind"] for check in done.json()["items"][0]["checks"]]
    assert kinds == ["retrieved", "reload"]


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/hostname", "sub/../../p.csv"])
def test_a_manifest_that_leads_out_is_refused(
    box: Box, home: Path, server: Loopback, path: str
) -> None:
    put(box.folder, secret_txt="s")
    text = (home / NAME).read_text()
    (home / NAME).write_text(text.replace('"path": "p.csv"', f'"path": "{path}"'))
    done = box.run("verify", "home", "--all", "--retrieved")
    assert done.code == 1
    assert "leads out of the folder" in done.err
    (home / NAME).write_text(text.replace('"folder": "predictions"', '"folder": "../out"'))
    assert box.run("verify", "home", "--all", "--retrieved").code == 1
    assert server.submissions == {}


def test_without_a_manifest_the_server_compares(box: Box, home: Path, server: Loopback) -> None:
    (home / NAME).unlink()
    done = box.run("verify", "home", "--deliverable", "predictions", "--retrieved")
    assert done.code == 0
    assert "so the server compares" in done.out
    ((_, body),) = server.submissions.values()
    assert len(body["manifest"]["files"]) == 2


def test_with_no_answer_the_proof_waits_and_a_replay_posts_it(
    box: Box, home: Path, server: Loopback
) -> None:
    server.mode = "500"
    done = box.run("verify", "home", "--all", "--retrieved")
    assert done.code == 5
    assert "the evidence is kept; send it later with: " in done.err
    server.mode = "well"
    assert box.run("replay", "home").code == 0
    assert any(body.get("retrieved") for _, body in server.submissions.values())


def test_a_refused_proof_is_a_failure(box: Box, home: Path, server: Loopback) -> None:
    box.run("verify", "home", "--all", "--retrieved")
    server.mode = "409"
    assert box.run("verify", "home", "--all", "--retrieved").code == 1


@pytest.mark.parametrize("words", [("--all", "--reload"), ("--all", "--retrieved", "--files", "*")])
def test_options_that_do_not_go_together(box: Box, home: Path, words: tuple[str, ...]) -> None:
    assert box.run("verify", "home", *words).code == 2


def test_at_the_servers_own_machine_no_token_is_needed(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    """The token ends with the campaign; the proof may come later."""
    _post(f"{dashboard.url}/api/v1/campaigns/{CAMPAIGN}/seal", b"{}", "application/json")
    box = dashboard.box(tmp_path / "box")
    sheet = json.loads(box.python_code(
        "import json, os, urllib.request as u\n"
        "r = u.Request(os.environ['PUNKTUM_URL'] + '/api/v1/sheet', headers={'Authorization':"
        " 'Bearer ' + os.environ['PUNKTUM_TOKEN']})\n"
        "print(u.urlopen(r).read().decode())"
    ).out)  # fmt: skip
    name = sheet["deliverables"][0]["id"]
    put(box.folder / "out", **{f"{name}__a_txt": "a"})
    on_another_machine(box, "verify", "out", "--deliverable", name)
    del box.environment["PUNKTUM_TOKEN"]
    done = box.run("verify", "out", "--deliverable", name, "--retrieved")
    assert done.code == 0, done.err
    assert f"punktum: {name}: retrieved" in done.err
    (found,) = [
        one
        for one in dashboard.get(f"/campaigns/{CAMPAIGN}/deliverables")["items"]
        if one["id"] == name
    ]
    assert found["retrieved"] is not None
