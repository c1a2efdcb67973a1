"""``punktum pull`` over a stand-in for rsync: order, going on, speed, proof, what is missing."""

from __future__ import annotations

import json
import os
import random
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from app.plan.rules.document.figures import RATE
from punktum.fetched import newest_checkpoints
from punktum.manifest_file import NAME
from punktum.pulling import Pull
from punktum.rsync import Ended, Rsync
from punktum.settings import Settings
from punktum.transfer import Speed, rate_line
from tests.punktum_client import fake_rsync
from tests.punktum_client.box import Box, Done
from tests.punktum_client.loopback import Loopback
from tests.punktum_client.test_retrieved import on_another_machine
from tests.punktum_client.test_verify import announce, put

CHECKPOINT = (
    "import punktum\n"
    "with punktum.run('control', output='out') as run:\n"
    "    run.checkpoint('out/ck/step-1.pt')\n"
    "    run.checkpoint('out/ck/step-2.pt')\n"
)
HOST = "root@203.0.113.7"


@pytest.fixture
def there(box: Box, server: Loopback) -> Path:
    """An output folder on "another machine", verified there, and rsync on PATH here."""
    script = box.folder / "bin" / "rsync"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {box.python} {fake_rsync.__file__} "$@"\n')
    script.chmod(0o755)
    box.environment = {
        "PATH": f"{script.parent}:{os.environ['PATH']}",
        "FAKE_RSYNC_LOG": str(box.folder / "calls.jsonl"),
    }
    box.reports_to(server)
    announce(server, {"kind": "non_empty"}, name="notes")
    server.sheet["deliverables"][0]["essential"] = False
    announce(server, {"kind": "non_empty"}, name="predictions")
    big = random.Random(1).randbytes(3_000_000)
    put(box.folder / "out", predictions__p_csv=big, notes__n_md="n", z_log="z")
    put(box.folder / "out", **{"ck__step-1_pt": "1", "ck__step-2_pt": "2"})
    box.run_job(CHECKPOINT, "--run", "a-01", "--output", "out")
    done = on_another_machine(box, "verify", "out", "--all", "--run", "a-01")
    assert done.code == 0, done.err
    put(box.folder / "out", **{"_punktum__spool__machine-id": "theirs"})
    server.submissions.clear()
    return box.folder / "out"


def pull(box: Box, *words: str, mode: str = "", home: str = "home") -> Done:
    box.environment["FAKE_RSYNC"] = mode
    return box.run("pull", f"{HOST}:{box.folder / 'out'}", home, *words)


def calls(box: Box) -> list[dict[str, Any]]:
    lines = (box.folder / "calls.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".punktum" not in path.parts
    }


def test_what_counts_most_comes_first_and_its_arrival_is_proven(
    box: Box, there: Path, server: Loopback
) -> None:
    done = pull(box, "--ssh", "ssh -p 40022")
    assert done.code == 0, done.err
    first, listing, *groups = calls(box)
    assert first["names"] == [NAME, ".punktum/spool/sheet.json"]
    assert listing["names"] is None
    assert "--dry-run" in listing["words"]
    tops = [sorted({name.split("/")[0] for name in group["names"]}) for group in groups]
    assert tops == [["predictions"], ["notes"], [".punktum"], ["ck"], ["ck", "z.log"]]
    assert groups[3]["names"] == ["ck/step-2.pt"], "the newest checkpoint goes before"
    for call in calls(box):
        assert call["words"][call["words"].index("-e") + 1] == "ssh -p 40022"
        assert {"--partial", "--inplace", "--safe-links"} <= set(call["words"])
    assert files(box.folder / "home") == files(there)
    assert {name: body["retrieved"] for name, body in server.submissions.values()} == {
        "predictions": True, "notes": True,
    }  # fmt: skip
    assert not (box.folder / "home/.punktum/spool/machine-id").exists()
    assert list((box.folder / "home/.punktum/spool").glob("a-01--*--main.jsonl"))


def test_the_speed_is_measured_kept_and_written_as_the_plan_reads_it(box: Box, there: Path) -> None:
    done = pull(box, "--json")
    said = done.json()
    kept = json.loads((box.folder / "home/.punktum/spool/transfer.json").read_text())
    assert said["bits_per_s"] == kept["bits_per_s"] > 0
    assert said["transfer_rate"] == rate_line(kept["bits_per_s"])
    assert {item["deliverable"] for item in said["items"]} == {"predictions", "notes"}
    plain = pull(box, home="other")
    assert [line for line in plain.out.splitlines() if line.startswith("transfer_rate = ")]
    again = pull(box)
    assert again.code == 0
    assert "transfer_rate" not in again.out, "nothing came, so nothing was measured"


@pytest.mark.parametrize("bits", [1, 999, 1000, 93_400_000, 2_500_000_000, 999_950])
def test_a_rate_is_one_that_the_campaign_file_takes(bits: int) -> None:
    name, _, value = rate_line(bits).partition(" = ")
    assert (name, RATE.fullmatch(value.strip('"')) is not None) == ("transfer_rate", True)


def test_a_call_that_breaks_off_counts_what_grew() -> None:
    speed = Speed()
    speed.end(Ended(12, None, 2.0, ""), 3_000_000)
    speed.end(Ended(0, 1_000_000, 2.0, ""), 5_000_000)
    assert speed.bits_per_s == 8_000_000
    speed.begin("the rest", 4 << 30, 2 << 30)
    assert speed.line(1 << 30, 100.0) == (
        "the rest: 1.0 GiB of 4.0 GiB, 10.7 MB/s, all of it in about 8 min"
    )


def test_a_pull_that_breaks_off_goes_on_where_it_was(box: Box, there: Path) -> None:
    first = pull(box, "--tries", "1", mode="break:1200000")
    assert first.code == 1
    assert "the same line goes on" in first.err
    part = box.folder / "home" / "predictions" / "p.csv"
    assert part.read_bytes() == (there / "predictions" / "p.csv").read_bytes()[:1_200_000]
    assert "FAILED  retrieved  1 not the same: p.csv (of 1 file)" in first.out
    second = pull(box)
    assert second.code == 0, second.err
    assert files(box.folder / "home") == files(there)
    kept = json.loads((box.folder / "home/.punktum/spool/transfer.json").read_text())
    assert kept["received"] < 2_000_000, "what was there did not come again"


def in_process(box: Box, monkeypatch: pytest.MonkeyPatch, mode: str, tries: int) -> Any:
    for name, said in {**box.environment, "FAKE_RSYNC": mode}.items():
        monkeypatch.setenv(name, said)
    pauses: list[float] = []
    rsync = Rsync(f"{HOST}:{box.folder / 'out'}", box.folder / "home")
    done = Pull(rsync, Settings(), tries=tries, pause=pauses.append).run()
    return done, pauses


def test_it_is_tried_again_as_long_as_something_comes(
    box: Box, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, pauses = in_process(box, monkeypatch, "break:500000", 2)
    assert (done.code, done.has_deliverables) == (0, True)
    assert pauses == [2.0] * 5
    assert files(box.folder / "home") == files(there)


def test_it_gives_up_where_nothing_comes(
    box: Box, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, pauses = in_process(box, monkeypatch, "stall:2", 4)
    assert done.code == 1
    assert pauses == [2.0, 4.0, 8.0]


@pytest.mark.parametrize(
    ("mode", "code", "says"),
    [
        ("missing", 1, f"rsync is missing on {HOST}. Install it, or copy the folder"),
        ("old", 2, "is rsync 3.0; 3.1 or newer is needed. Install it"),
        ("other", 2, "is not the rsync that is meant"),
        ("unreachable", 1, "Connection refused (rsync 255); nothing was fetched, try again"),
    ],
)
def test_what_does_not_work_is_said(
    box: Box, there: Path, server: Loopback, mode: str, code: int, says: str
) -> None:
    done = pull(box, mode=mode)
    assert (done.code, says in done.err) == (code, True), done.err
    assert server.submissions == {}
    if mode != "unreachable":
        assert "tar -C" in done.err
        assert "verify " in done.err


def test_without_rsync_here_it_says_what_else_works(box: Box, there: Path) -> None:
    box.environment["PATH"] = str(box.folder / "nothing")
    done = pull(box)
    assert done.code == 2
    assert "rsync is not on PATH here" in done.err
    (way,) = [line for line in done.err.splitlines() if "tar -C" in line]
    assert f"ssh {HOST} " in way
    assert way.count("machine-id") == 1


@pytest.mark.parametrize(
    "source",
    [
        "out",
        "/tmp/out",
        "host:",
        "-oProxyCommand=x:out",
        "a b:out",
        "rsync://h/m",
        ":out",
        "u@-h:x",
    ],
)
def test_a_source_that_is_none_is_a_usage_error(box: Box, there: Path, source: str) -> None:
    if source.startswith("-"):
        assert not Rsync(source, box.folder).is_source
        return
    done = box.run("pull", source, "home")
    assert done.code == 2
    assert not (box.folder / "calls.jsonl").exists()


@pytest.mark.parametrize("source", ["box:out", "u@box:/a b/ü", "u@[::1]:out", "box:~/x"])
def test_sources_that_are_taken(tmp_path: Path, source: str) -> None:
    rsync = Rsync(source, tmp_path)
    assert rsync.is_source
    assert f"{rsync.host}:{rsync.directory}" == source


def test_what_is_skipped_stays_there(box: Box, there: Path) -> None:
    assert pull(box, "--skip", "ck/step-1*").code == 0
    assert set(files(there)) - set(files(box.folder / "home")) == {"ck/step-1.pt"}


def test_names_that_cannot_be_shown_arrive(box: Box, there: Path) -> None:
    (there / "odd\n\\#name ü").write_text("odd")
    assert pull(box).code == 0
    assert files(box.folder / "home") == files(there)


def test_with_no_plan_nothing_is_proven_and_that_is_said(box: Box, there: Path) -> None:
    box.url = None
    (there / ".punktum" / "spool" / "sheet.json").unlink()
    done = pull(box)
    assert (done.code, "nothing is proven" in done.err) == (0, True)


def test_checkpoints_are_met_by_their_end_and_others_are_named(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    paths = {"a-01": "/workspace/out/ck/1", "b-01": "out/ck/2", "c-01": "/else/3", "d-01": "4.pt"}
    for run, path in paths.items():
        line = {"kind": "checkpoint", "seq": 1, "path": path}
        (spool / f"{run}--{'0' * 32}--main.jsonl").write_text(f"{json.dumps(line)}\n")
    found = newest_checkpoints(spool, "/workspace/out")
    assert found.inside == {"ck/1", "ck/2", "4.pt"}
    assert found.outside == [("c-01", "/else/3")]
    assert found.holds("ck/1/shard.bin")
    assert not found.holds("ck/10")


def test_the_speed_of_before_says_how_long_it_takes_and_whether_the_window_lasts(
    box: Box, there: Path, server: Loopback
) -> None:
    pull(box)
    spool = box.folder / "home" / ".punktum" / "spool"
    (spool / "transfer.json").write_text('{"bits_per_s": 1}')
    (there / "late.bin").write_bytes(bytes(200))
    ends = datetime.now(timezone.utc) + timedelta(minutes=20)
    server.sheet["windows"] = [{"lot": "l", "usable_until": ends.isoformat()}]
    said = pull(box).err
    assert "200 B left, about 27 min" in said
    assert "the window ends in 20 min: not all of it will arrive" in said
