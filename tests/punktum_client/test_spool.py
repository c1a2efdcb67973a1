"""The spool: every event a line, whatever the disk, the process or a second writer does."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from punktum.events import Identity, encode, last_line, log_tail, plain
from punktum.ledger import Ledger, Standing, read_standing, refused_path
from punktum.marks import (
    StopRequest,
    mark_held,
    mark_stop,
    marked_held,
    marked_stop,
    settle,
    write_whole,
)
from punktum.spool import (
    SpoolWriter,
    file_name,
    identity_of,
    last_event,
    read_lines,
    spool_files,
    starts_with,
)
from punktum.unwritten import IN_MEMORY

WHO = Identity("a-01", "0f" * 16)


def write(folder: Path, *kinds: str, who: Identity = WHO) -> SpoolWriter:
    writer = SpoolWriter(folder, who)
    for kind in kinds:
        writer.append({"kind": kind})
    return writer


def test_each_event_is_one_line_at_once(tmp_path: Path) -> None:
    writer = write(tmp_path, "start", "beat")
    lines = writer.path.read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"run": "a-01", "attempt_id": WHO.attempt_id, "source": "main", "seq": 1, "kind": "start"},
        {"run": "a-01", "attempt_id": WHO.attempt_id, "source": "main", "seq": 2, "kind": "beat"},
    ]
    assert writer.path.name == file_name(WHO)
    assert identity_of(writer.path) == WHO


@pytest.mark.parametrize("kind", ["start", "checkpoint", "stop", "fail", "finish"])
def test_what_must_last_is_synced_before_the_call_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(descriptor))
    writer = write(tmp_path, "beat")
    assert synced == []
    writer.append({"kind": kind})
    assert len(synced) == 1
    writer.sync()
    assert len(synced) == 1


def test_what_need_not_last_is_synced_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(descriptor))
    writer = write(tmp_path, "start", "beat")
    writer.sync()
    writer.sync()
    assert len(synced) == 2


@pytest.mark.parametrize("end", ["stop", "fail", "finish"])
def test_after_an_end_nothing_more_is_written(tmp_path: Path, end: str) -> None:
    """The keeper's beat may fall into the seconds in which the end is being sent."""
    writer = write(tmp_path, "start", end, "beat", "checkpoint", end)
    assert [line.kind for line in read_lines(writer.path)] == ["start", end]
    assert writer.seq == 2


def test_marks_where_there_is_no_folder_are_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settle(tmp_path / "file", WHO)
    settle(tmp_path / "none", WHO)
    assert marked_held(tmp_path / "file", WHO) is None


def test_a_later_program_of_the_same_source_counts_on(tmp_path: Path) -> None:
    write(tmp_path, "start", "beat").close()
    second = write(tmp_path, "beat")
    assert second.seq == 3
    assert [line.seq for line in read_lines(second.path)] == [1, 2, 3]


def test_a_second_writer_at_the_same_time_gets_a_source_of_its_own(tmp_path: Path) -> None:
    first, second = write(tmp_path, "beat"), write(tmp_path, "beat")
    assert (first.identity.source, second.identity.source) == ("main", "main-2")
    assert second.seq == 1
    second.close()
    assert write(tmp_path).identity.source == "main-2"


def test_a_torn_line_is_passed_over_and_the_next_one_is_whole(tmp_path: Path) -> None:
    write(tmp_path, "start").close()
    path = tmp_path / file_name(WHO)
    with path.open("ab") as stream:
        stream.write(b'{"run": "a-01", "seq": 2, "ki')
    assert [line.seq for line in read_lines(path)] == [1]
    writer = write(tmp_path, "beat")
    assert [(line.seq, line.kind) for line in read_lines(path)] == [(1, "start"), (2, "beat")]
    writer.close()


def test_a_line_still_being_written_is_left_for_later(tmp_path: Path) -> None:
    writer = write(tmp_path, "start")
    with writer.path.open("ab") as stream:
        stream.write(encode({"seq": 2, "kind": "beat"})[:-1])
    assert [line.seq for line in read_lines(writer.path)] == [1]


def test_a_disk_that_takes_nothing_is_no_error(tmp_path: Path) -> None:
    os.symlink("/dev/full", tmp_path / file_name(WHO))
    writer = write(tmp_path, "start", "beat", "finish")
    assert writer.trouble == "No space left on device"
    kinds = [json.loads(raw)["kind"] for raw in writer.waiting_in_memory(10)]
    assert kinds == ["start", "beat", "finish"]
    assert writer.seq == 3
    writer.close()


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    writer = write(tmp_path / "file" / "spool", "start")
    assert writer.trouble is not None
    assert len(writer.waiting_in_memory(10)) == 1
    writer.close()


def test_memory_is_bounded_and_beats_go_first(tmp_path: Path) -> None:
    os.symlink("/dev/full", tmp_path / file_name(WHO))
    writer = write(tmp_path, "start", *["beat"] * (IN_MEMORY + 50), "finish")
    kept = [json.loads(raw) for raw in writer.waiting_in_memory(2 * IN_MEMORY)]
    assert len(kept) == IN_MEMORY
    assert [event["kind"] for event in kept if event["kind"] != "beat"] == ["start", "finish"]
    assert kept[-1]["seq"] == IN_MEMORY + 52
    writer.close()


def test_a_forked_copy_writes_nothing(tmp_path: Path) -> None:
    writer = write(tmp_path, "start")
    writer.abandon()
    writer.append({"kind": "beat"})
    assert [line.kind for line in read_lines(writer.path)] == ["start"]


def test_ends_and_newest_events_are_found(tmp_path: Path) -> None:
    writer = write(tmp_path, "start", "beat")
    assert starts_with(writer.path) == "start"
    assert last_event(writer.path, lambda event: event["kind"] == "fail") is None
    writer.append({"kind": "fail", "exit_code": 3})
    newest = last_event(writer.path, lambda event: True)
    assert newest is not None
    assert newest["exit_code"] == 3


def test_spool_files_come_oldest_first_and_side_files_are_none(tmp_path: Path) -> None:
    for run, at in (("b", "2026-12-01T08:00:00.000Z"), ("a", "2026-12-01T09:00:00.000Z")):
        writer = SpoolWriter(tmp_path, Identity(run, "0f" * 16))
        writer.append({"kind": "start", "at": at})
        Ledger(writer.path).save()
    (tmp_path / "notes.jsonl").write_text("{}\n")
    found = [identity_of(path) for path in spool_files(tmp_path)]
    assert [who.run if who else None for who in found] == ["b", "a"]


def test_the_standing_is_kept_and_a_strange_one_forgotten(tmp_path: Path) -> None:
    writer = write(tmp_path, "start")
    ledger = Ledger(writer.path)
    size = writer.path.stat().st_size
    ledger.update(Standing(offset=size, acked_seq=1, status="running"))
    ledger.save()
    assert read_standing(writer.path) == Standing(offset=size, acked_seq=1, status="running")
    ledger.update(Standing(offset=size + 1))
    ledger.save()
    assert read_standing(writer.path) == Standing()


def test_a_refused_line_is_noted_once_and_kept(tmp_path: Path) -> None:
    writer = write(tmp_path, "start", "beat")
    before = writer.path.read_bytes()
    ledger = Ledger(writer.path)
    line = list(read_lines(writer.path))[1]
    for _ in range(2):
        ledger.note_refused(line, 422, {"detail": "no"})
    notes = [json.loads(text) for text in refused_path(writer.path).read_text().splitlines()]
    assert [(note["seq"], note["status"], note["problem"]) for note in notes] == [
        (2, 422, {"detail": "no"})
    ]
    assert ledger.now.refused == 1
    assert writer.path.read_bytes() == before


def test_marks_pass_between_processes_and_the_first_stop_stays(tmp_path: Path) -> None:
    mark_stop(tmp_path, WHO, StopRequest("loss-not-finite", "loss is nan", on_box=True))
    mark_stop(tmp_path, WHO, StopRequest(None, "enough"))
    beside = Identity(WHO.run, WHO.attempt_id, "wrapper")
    assert marked_stop(tmp_path, beside) == StopRequest("loss-not-finite", "loss is nan", True)
    mark_held(tmp_path, WHO, {"detail": "new id needed"})
    assert marked_held(tmp_path, beside) == {"detail": "new id needed"}
    settle(tmp_path, beside)
    assert marked_held(tmp_path, WHO) is None


def test_a_small_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    assert write_whole(tmp_path / "a.json", {"a": 1})
    assert not write_whole(Path("/dev/full/a.json"), {"a": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_log_tail_reads_as_a_terminal_shows_it() -> None:
    raw = b"\x1b[31mred\x1b[0m\r\n 1%\r 50%\r100%\nbell\x07 \xff\n"
    assert log_tail(raw) == "red\n100%\nbell\\x07 \ufffd\n"
    assert len(log_tail("é".encode() * 20_000).encode()) <= 10_240


def test_the_last_line_that_says_something() -> None:
    assert last_line("Traceback\nValueError: no\n\n  \n") == "ValueError: no"
    assert last_line("\n") == ""


def test_texts_are_one_visible_line() -> None:
    assert plain("a\n\tb\x00\x1b[1mc\ud800") == "a b\\x00c\\xd800"
    assert len(plain("x" * 1000)) == 500
