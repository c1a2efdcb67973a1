"""Links given to ``punktum run`` and ``punktum.run``: what is told with the start, and what not."""

from __future__ import annotations

import json
from typing import Any

import pytest

import punktum
from punktum.links import MOST
from punktum.starting import sound_links
from tests.punktum_client.box import Box

TRACKER = "https://mlflow.example/#/experiments/1"


def _start(box: Box) -> dict[str, Any]:
    (file,) = box.spool.glob("*.jsonl")
    told: dict[str, Any] = json.loads(file.read_text().splitlines()[0])
    assert told["kind"] == "start"
    return told


def test_the_command_tells_its_links_with_the_start(box: Box) -> None:
    words = ("--link", f"mlflow={TRACKER}", "--link", "wandb=http://w.example/a=b")
    assert box.run_job("pass", *words).code == 0
    assert _start(box)["links"] == {"mlflow": TRACKER, "wandb": "http://w.example/a=b"}


@pytest.mark.parametrize(
    "said", ["x=javascript:alert(1)", "x=data:,", "x=w.example", TRACKER, "x="]
)
def test_the_command_refuses_what_is_no_page(box: Box, said: str) -> None:
    done = box.run_job("pass", "--link", said)
    assert done.code == 2
    assert "--link" in done.err
    assert not list(box.spool.glob("*.jsonl"))


def test_the_block_tells_them_and_leaves_out_what_no_server_takes(
    box: Box, capsys: pytest.CaptureFixture[str]
) -> None:
    links = {"mlflow": TRACKER, "bad": "javascript:alert(1)", "own": "https://me:pw@w.example/"}
    with punktum.run("control", params={}, output=box.folder, links=links):
        pass
    (file,) = box.spool.glob("*.jsonl")
    told = json.loads(file.read_text().splitlines()[0])
    assert told["links"] == {"mlflow": TRACKER, "own": "https://me:(hidden)@w.example/"}
    assert "link 'bad' is left out" in capsys.readouterr().err


def test_so_many_links_are_sound_and_nothing_else_disturbs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    many = {str(n): TRACKER for n in range(MOST + 1)}
    assert len(sound_links(many)) == MOST
    assert sound_links([TRACKER]) == sound_links(7) == {}
    assert sound_links({"": TRACKER, "a\n": TRACKER, "b" * 129: TRACKER}) == {}
    assert capsys.readouterr().err.count("left out") == 6
