"""What a manifest refuses to stand for, and the file that it is written to."""

from __future__ import annotations

import json
import os
import random
import socket
from pathlib import Path

import pytest

from punktum import manifest_file
from punktum.hashing import NotRegular, file_sha256, path_sha256
from punktum.hashing_progress import HashingProgress
from punktum.manifest import FileEntry, ManifestError, is_inside, make_manifest
from punktum.manifest_file import NAME, Listed, files_of, listed, write_manifest_file
from tests.punktum_client.box import Box
from tests.punktum_client.loopback import Loopback
from tests.punktum_client.test_verify import announce, put

# -- what is no file --------------------------------------------------------------------------


def _a_pipe(path: Path) -> None:
    os.mkfifo(path)


def _a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


def _a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _a_link_to_a_pipe(path: Path) -> None:
    os.mkfifo(path.parent / "a-real-pipe")
    path.symlink_to("a-real-pipe")


def _a_broken_link(path: Path) -> None:
    path.symlink_to("nowhere")


def _a_link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def _a_link_out(path: Path) -> None:
    path.symlink_to("../../outside.txt")


@pytest.mark.parametrize(
    "make",
    [_a_pipe, _a_socket, _a_device, _a_link_to_a_pipe, _a_broken_link, _a_link_to_itself,
     _a_link_out],
)  # fmt: skip
def test_what_is_no_file_of_the_folder_is_refused_and_never_waited_for(
    tmp_path: Path, make: object
) -> None:
    (tmp_path / "outside.txt").write_text("not ours")
    put(tmp_path / "out", a_txt="a", sub__b_txt="b")
    assert callable(make)
    make(tmp_path / "out" / "sub" / "x")
    with pytest.raises((ManifestError, OSError)) as found:
        make_manifest(tmp_path / "out")
    assert "x" in str(found.value) or "pipe" in str(found.value)


@pytest.mark.parametrize("make", [_a_pipe, _a_socket, _a_device])
def test_no_hash_is_made_of_what_is_no_file(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / "x")
    with pytest.raises(NotRegular):
        file_sha256(tmp_path / "x")
    with pytest.raises(NotRegular):
        path_sha256(tmp_path)


def test_a_pipe_for_a_corpus_does_not_keep_a_training_from_starting(box: Box) -> None:
    os.mkfifo(box.folder / "pipe")
    done = box.run_job("print('trained')", "--corpus", "eval=pipe")
    assert (done.code, done.out) == (0, "trained\n")
    assert "cannot read pipe: is no regular file" in done.err


def test_a_folder_that_cannot_be_read_is_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, a_txt="a", sub__b_txt="b")
    real = os.scandir

    def closed(path: str) -> object:
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(PermissionError):
        make_manifest(tmp_path)


@pytest.mark.parametrize("act", ["grows", "is cut", "is another"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path, act: str) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(bytes(3 << 20))

    def change(length: int) -> None:
        if act == "grows":
            with path.open("ab") as stream:
                stream.write(b"more")
        elif act == "is cut":
            os.truncate(path, 5)
        else:
            with path.open("r+b") as stream:
                stream.write(b"other")

    with pytest.raises(ManifestError, match=r"log\.txt changed while it was read"):
        make_manifest(tmp_path, on_bytes=change)


@pytest.mark.parametrize(
    "name", ["../a", "/a", "a/../b", "a//b", "", ".", "C:/a", "a\\..\\b", "./a"]
)
def test_paths_of_others_that_lead_out(name: str) -> None:
    assert not is_inside(name)


def test_a_named_file_behind_a_link_out_is_refused(tmp_path: Path) -> None:
    put(tmp_path, secret__a_txt="s", out__b_txt="b")
    (tmp_path / "out" / "in").symlink_to("../secret")
    with pytest.raises(ManifestError, match="behind a link"):
        make_manifest(tmp_path / "out", names=["in/a.txt"])
    assert [one.path for one in make_manifest(tmp_path / "out", names=["b.txt"])] == ["b.txt"]


# -- how far it is ----------------------------------------------------------------------------


def test_the_total_is_told_before_the_bytes(tmp_path: Path) -> None:
    put(tmp_path, a_txt="a" * 10, b_txt="b" * 20)
    told: list[tuple[str, int]] = []
    make_manifest(
        tmp_path,
        on_bytes=lambda length: told.append(("read", length)),
        on_total=lambda total: told.append(("total", total)),
    )
    assert told == [("total", 30), ("read", 10), ("read", 20)]


def test_the_line_of_progress() -> None:
    progress = HashingProgress()
    progress.begin(20 << 30)
    progress.add(5 << 30)
    assert progress.line(10.0) == "hashed 5.0 of 20.0 GiB, 537 MB/s, about 30 s left"


# -- MANIFEST.json ----------------------------------------------------------------------------


def _entries(random_: random.Random, count: int) -> tuple[FileEntry, ...]:
    parts = ("a", "é", '"', "⛄", "]},", "{")
    names = {f"{random_.choice(parts)}/{random_.randrange(10**6)}" for _ in range(count)}
    return tuple(
        FileEntry(name, random_.randrange(2**53), f"{random_.randrange(2**256):064x}")
        for name in sorted(names)
    )


def test_what_is_written_is_read_again_and_other_deliverables_stay(tmp_path: Path) -> None:
    random_ = random.Random(7)
    known: dict[str, tuple[FileEntry, ...]] = {}
    for _ in range(30):
        name = random_.choice(["one", "two", "three"])
        known[name] = _entries(random_, random_.randrange(5))
        head = Listed({"id": name, "folder": ".", "verified_at": "now", "title": "]},"})
        assert write_manifest_file(tmp_path, "c", {name: (head, known[name])})
        assert {one.id for one in listed(tmp_path)} == set(known)
        for other, files in known.items():
            assert tuple(files_of(tmp_path, other)) == files
        whole = json.loads((tmp_path / NAME).read_text())
        assert {one["id"]: len(one["files"]) for one in whole["deliverables"]} == {
            other: len(files) for other, files in known.items()
        }
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_a_manifest_that_somebody_changed_is_not_trusted(tmp_path: Path) -> None:
    head = Listed({"id": "one", "verified_at": "now"})
    write_manifest_file(tmp_path, "c", {"one": (head, _entries(random.Random(1), 3))})
    first, named, *files, end, last = (tmp_path / NAME).read_text().splitlines(keepends=True)
    for lines in (
        [first, named, "nothing\n", end, last],
        [first, named, '{"path": "a", "size": 1, "sha256": "z"}\n', end, last],
        [first, named, *reversed(files), end, last],
        [first, named, "x" * (manifest_file.LONGEST_LINE + 5)],
    ):
        (tmp_path / NAME).write_text("".join(lines))
        with pytest.raises(ValueError, match=r"not as it was written|has no end"):
            list(files_of(tmp_path, "one"))


def test_verify_writes_it_and_it_is_no_part_of_what_it_lists(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    announce(server, {"kind": "non_empty"}, name="predictions")
    announce(server, {"kind": "non_empty"}, name="report")
    out = box.folder / "out"
    put(out, predictions__p_csv="1", notes_txt="n")
    for words in (("--all",), ("--deliverable", "report"), ("--all",)):
        assert box.run("verify", "out", *words, "--run", "a-01").code == 0
        found = json.loads((out / NAME).read_text())
        assert found["campaign"] == "c"
        seen = {one["id"]: one for one in found["deliverables"]}
        assert seen["predictions"]["folder"] == "predictions"
        assert [file["path"] for file in seen["predictions"]["files"]] == ["p.csv"]
        assert [file["path"] for file in seen["report"]["files"]] == [
            "notes.txt", "predictions/p.csv",
        ]  # fmt: skip
        assert seen["report"]["runs"] == ["a-01"]
        assert seen["report"]["passed"] is True
    posted = [body["manifest"]["files"] for _, body in server.submissions.values()]
    assert all(file["path"] != NAME for files in posted for file in files)


def test_a_file_of_that_name_that_is_not_ours_is_left_and_counts(
    box: Box, server: Loopback
) -> None:
    box.reports_to(server)
    announce(server, {"kind": "non_empty"})
    put(box.folder / "out", a_txt="a")
    (box.folder / "out" / NAME).write_text('{"mine": true}')
    done = box.run("verify", "out", "--deliverable", "predictions", "--json")
    assert [file["path"] for file in done.json()["items"][0]["files"]] == [NAME, "a.txt"]
    assert (box.folder / "out" / NAME).read_text() == '{"mine": true}'
    assert f"{NAME} there is not ours" in done.err


def test_a_deliverable_without_a_file_is_not_submitted(box: Box, server: Loopback) -> None:
    box.reports_to(server)
    announce(server, name="predictions")
    announce(server, name="report")
    put(box.folder / "out", predictions__p_csv="1")
    (box.folder / "out" / "report").mkdir()
    done = box.run("verify", "out", "--all", "--run", "a-01")
    assert done.code == 1
    assert "FAILED  files  no file is there yet, so nothing is submitted" in done.out
    assert [deliverable for deliverable, _ in server.submissions.values()] == ["predictions"]
    assert "send it later" not in done.err
    assert [one.id for one in listed(box.folder / "out")] == ["predictions"]


def test_evidence_of_many_files_is_posted_whole(box: Box, server: Loopback) -> None:
    """It is written in pieces of 64 KiB: what arrives and what is kept is the same."""
    box.reports_to(server)
    announce(server, {"kind": "non_empty"})
    out = box.folder / "out"
    out.mkdir()
    for number in range(1500):
        (out / f"ä-{number:04}").write_text("x")
    assert box.run("verify", "out", "--deliverable", "predictions", "--run", "a").code == 0
    ((_, body),) = server.submissions.values()
    assert [file["path"] for file in body["manifest"]["files"]] == [
        f"ä-{number:04}" for number in range(1500)
    ]
    (kept,) = (out / ".punktum" / "spool" / "submissions").glob("*.json")
    found = json.loads(kept.read_text())
    assert (found["submission"], found["taken"]) == (body, True)
