"""A spool that grows too large, and a disk that is full: what binds finds its place."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

import punktum
from punktum.events import Identity
from punktum.limits import BINDING, DEFAULT_LIMIT, SPARSE_S, Bound, read_limit, size_text
from punktum.reserve import RESERVE_BYTES, Reserve
from punktum.spool import SpoolWriter, read_lines
from tests.punktum_client.box import Box
from tests.punktum_client.loopback import Loopback

WHO = Identity("a-01", "0f" * 16)
FLOOD = (
    "import punktum\n"
    "with punktum.run('control', params={}, run='a-01', beat_s=0.05) as run:\n"
    "    for step in range(400):\n"
    "        run._beats._beat_at = None\n"
    "        run.progress(step, 400)\n"
    "        if step == 200: run.checkpoint('x.pt', 1)\n"
    "        if step == 300: run.input_truncated('eval', 1, 2)\n"
    "    run.metric('f1', 0.5)\n"
    "print('trained')\n"
)


@pytest.mark.parametrize(
    ("said", "limit"),
    [
        ("", DEFAULT_LIMIT),
        ("0", 0),
        ("4096", 4096),
        ("500M", 500 << 20),
        ("500MB", 500 << 20),
        ("1.5 GiB", 3 << 29),
        ("64k", 64 << 10),
        ("1t", 1 << 40),
    ],
)
def test_a_limit_as_people_write_it(said: str, limit: int) -> None:
    assert read_limit({"PUNKTUM_SPOOL_LIMIT": said}) == (limit, None)


@pytest.mark.parametrize("said", ["much", "-1", "5 apples", "1e9", "M"])
def test_what_is_no_size_is_said_and_the_usual_limit_counts(said: str) -> None:
    limit, wrong = read_limit({"PUNKTUM_SPOOL_LIMIT": said})
    assert limit == DEFAULT_LIMIT
    assert wrong == f"PUNKTUM_SPOOL_LIMIT {said!r} is no size such as 500M: 1.0 GiB is taken"


def test_sizes_for_a_person() -> None:
    sizes = [0, 1023, 1536, 5 << 20, 3 << 40]
    assert [size_text(size) for size in sizes] == ["0 B", "1023 B", "1.5 KiB", "5.0 MiB", "3.0 TiB"]


@pytest.mark.parametrize("kind", ["start", "checkpoint", "stop", "fail", "finish"])
def test_what_must_last_fits_always(kind: str) -> None:
    bound = Bound(100)
    assert bound.fit({"kind": kind, "path": "x"}, 10**9, 0.0) == {"kind": kind, "path": "x"}
    assert bound.left_out == 0


@pytest.mark.parametrize("field", BINDING)
def test_a_beat_that_binds_fits_always(field: str) -> None:
    bound = Bound(100)
    for _ in range(3):
        assert bound.fit({"kind": "beat", field: "x"}, 100, 0.0) is not None
    assert bound.left_out == 0


def test_beats_beyond_the_limit_are_rare_and_promise_no_more_than_they_keep() -> None:
    bound = Bound(100)
    beat = {"kind": "beat", "progress": 1, "expect_next_s": 60}
    assert bound.fit(beat, 99, 0.0) == beat
    first = bound.fit(beat, 100, 0.0)
    assert first == {**beat, "note": bound.beyond, "expect_next_s": 1200}
    assert [bound.fit(beat, 100, second) for second in (1.0, 2.0, SPARSE_S - 1)] == [None] * 3
    later = bound.fit(beat, 100, SPARSE_S)
    assert later is not None
    assert str(later["note"]).startswith("3 beats left out")
    end = bound.fit({"kind": "finish", "exit_code": 0}, 100, SPARSE_S)
    assert end is not None
    assert str(end["note"]).startswith("3 beats left out: the spool has reached its limit of 100 B")


def test_a_flood_is_bounded_and_the_numbers_have_no_gaps(box: Box, server: Loopback) -> None:
    box.environment["PUNKTUM_SPOOL_LIMIT"] = "4k"
    done = box.python_code(FLOOD)
    assert (done.code, done.out) == (0, "trained\n")
    assert done.err.count("beats are left out") == 1
    (path,) = box.spool.glob("a-01--*--main.jsonl")
    events = [line.event() for line in read_lines(path)]
    assert path.stat().st_size < 8 << 10
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    kinds = [event["kind"] for event in events]
    assert (kinds[0], kinds[-1], kinds.count("checkpoint")) == ("start", "finish", 1)
    assert [event["inputs"] for event in events if event["kind"] == "beat" and "inputs" in event]
    end = events[-1]
    assert (end["progress"], end["metrics"]) == (399, {"f1": 0.5})
    told = int(str(end["note"]).split()[0])
    assert told + kinds.count("beat") > 400
    status = box.run("status")
    assert f", {told} beats left out for its limit" in status.out
    box.reports_to(server)
    assert box.run("replay", str(box.spool)).code == 0
    assert server.of("a-01") == events


def test_what_runs_inside_says_what_it_left_out(box: Box) -> None:
    """Its wrapper writes the end, and knows nothing of the file beside its own."""
    box.environment["PUNKTUM_SPOOL_LIMIT"] = "2k"
    code = (
        "import punktum\n"
        "with punktum.run('control') as run:\n"
        "    for step in range(100):\n"
        "        run._beats._beat_at = None\n"
        "        run.progress(step)\n"
    )
    assert box.run_job(code).code == 0
    inside = [event for event in box.spooled() if event["source"] == "main"]
    assert inside[-1]["note"].endswith("beats left out: the spool has reached its limit of 2.0 KiB")


def test_a_wrong_limit_is_said_and_nothing_else(
    box: Box, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PUNKTUM_SPOOL_LIMIT", "lots")
    with punktum.run("control", params={}) as run:
        run.progress(1)
    assert box.spooled_end()["kind"] == "finish"
    assert capsys.readouterr().err.count("PUNKTUM_SPOOL_LIMIT 'lots' is no size") == 1


# -- a full disk ------------------------------------------------------------------------------


class SmallDisk:
    """A disk of so many bytes below a folder: what is too much is refused as a real one does.

    Every write, cut and close of a file goes through here at the system's boundary; a file that is
    open counts also when it has no name any more.
    """

    def __init__(self, folder: Path, capacity: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.capacity = capacity
        self._open: dict[int, int] = {}
        self._closed = 0
        real_open, real_write, real_close = os.open, os.write, os.close

        def opened(path: Any, flags: int, *rest: Any, **named: Any) -> int:
            descriptor = real_open(path, flags, *rest, **named)
            if str(path).startswith(str(folder)) and flags & (os.O_RDWR | os.O_WRONLY):
                self._open[descriptor] = os.fstat(descriptor).st_ino
            return descriptor

        def written(descriptor: int, block: bytes) -> int:
            if descriptor in self._open:
                free = self.capacity - self.used
                if free <= 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                block = block[:free]
            return real_write(descriptor, block)

        def closed(descriptor: int) -> None:
            if self._open.pop(descriptor, None) is not None and os.fstat(descriptor).st_nlink:
                self._closed += os.fstat(descriptor).st_size
            real_close(descriptor)

        monkeypatch.setattr(os, "open", opened)
        monkeypatch.setattr(os, "write", written)
        monkeypatch.setattr(os, "close", closed)

    @property
    def used(self) -> int:
        return self._closed + sum(os.fstat(descriptor).st_size for descriptor in self._open)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallDisk:
    """Room for the reserve and a few lines."""
    return SmallDisk(tmp_path, RESERVE_BYTES + 2000, monkeypatch)


def full(folder: Path, holds_room: bool) -> SpoolWriter:
    """A writer that has filled the disk with beats, and then saved a checkpoint."""
    writer = SpoolWriter(folder, WHO, holds_room=holds_room)
    writer.append({"kind": "start", "step": "control"})
    while not writer.trouble:
        writer.append({"kind": "beat", "progress": 1, "note": "x" * 100})
    return writer


def test_the_end_fits_on_a_full_disk(tmp_path: Path, disk: SmallDisk) -> None:
    """With its log, and with what binds and found no place before."""
    writer = full(tmp_path, holds_room=True)
    writer.append({"kind": "beat", "progress": 7})
    writer.append({"kind": "checkpoint", "path": "last.pt"})
    assert writer.trouble == "only part of the line was written"
    assert "checkpoint" not in [line.kind for line in read_lines(writer.path)]
    writer.append({"kind": "finish", "log_tail": "é" * 5000, "exit_code": 0})
    lines = list(read_lines(writer.path))
    assert [line.kind for line in lines[-2:]] == ["checkpoint", "finish"]
    assert lines[-1].event()["log_tail"] == "é" * 5000
    waiting = [json.loads(raw) for raw in writer.waiting_in_memory(99)]
    assert [event["kind"] for event in waiting] == ["beat"]
    assert waiting[0]["progress"] == 7
    writer.close()


def test_without_a_reserve_the_end_would_not_fit(tmp_path: Path, disk: SmallDisk) -> None:
    """What the test above shows is the reserve's doing."""
    disk.capacity = 2000
    writer = full(tmp_path, holds_room=False)
    writer.append({"kind": "finish", "exit_code": 0})
    assert "finish" not in [line.kind for line in read_lines(writer.path)]
    assert json.loads(writer.waiting_in_memory(99)[-1])["kind"] == "finish"
    writer.close()


def test_what_is_sent_from_memory_and_from_the_disk_is_recorded_once(
    tmp_path: Path, disk: SmallDisk, server: Loopback
) -> None:
    from punktum.delivery import Delivery
    from punktum.server import Server
    from punktum.settings import Settings

    writer = full(tmp_path, holds_room=True)
    writer.append({"kind": "checkpoint", "path": "last.pt"})
    client = Server(Settings(server.url, "pk_x"))
    disk.capacity = 10**9  # what the sender keeps beside the spool is not looked at
    delivery = Delivery(client, writer.path, writer=writer)
    disk.capacity = disk.used
    writer.append({"kind": "finish", "exit_code": 0})
    while not delivery.send_next().idle:
        pass
    numbers = [event["seq"] for event in server.of("a-01")]
    assert numbers == list(range(1, writer.seq + 1))
    assert server.end("a-01")["kind"] == "finish"
    client.close()


def test_the_reserve_has_no_name_and_goes_with_the_process(tmp_path: Path) -> None:
    reserve = Reserve(tmp_path)
    assert reserve.is_held
    assert list(tmp_path.iterdir()) == []
    reserve.free()
    reserve.free()
    assert not reserve.is_held


def test_a_forked_worker_does_not_keep_the_room_taken(tmp_path: Path) -> None:
    """Its copy of the open file holds nothing any more once the room was given free."""
    reserve = Reserve(tmp_path)
    assert reserve._descriptor is not None
    copy = os.dup(reserve._descriptor)
    assert os.fstat(copy).st_size == RESERVE_BYTES
    reserve.free()
    assert os.fstat(copy).st_size == 0
    os.close(copy)


@pytest.mark.parametrize("path", ["none", "file"])
def test_a_folder_that_takes_no_reserve_is_no_trouble(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").touch()
    assert not Reserve(tmp_path / path).is_held


def test_a_real_process_on_a_full_disk_says_what_is_lost(box: Box) -> None:
    """It may write 3 kB for each file: no server, no place, and the training goes on."""
    done = box.python_code(
        "import punktum, resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n"
        "with punktum.run('control', params={}, run='a-01') as run:\n"
        "    for step in range(100):\n"
        "        run._beats._beat_at = None\n"
        "        run.progress(step)\n"
        "print('trained')\n"
    )
    assert (done.code, done.out) == (0, "trained\n")
    assert done.err.count("events are kept in memory only") == 1
    (path,) = box.spool.glob("a-01--*--main.jsonl")
    assert next(read_lines(path)).kind == "start"
