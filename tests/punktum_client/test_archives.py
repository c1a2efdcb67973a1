"""Archives are looked at without unpacking them: too large, paths and links that lead out."""

from __future__ import annotations

import gzip
import io
import os
import random
import stat
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from punktum import archives
from punktum.archives import archive_problem, leads_out, link_leads_out, most_unpacked
from punktum.manifest import ManifestError, make_manifest

FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
LONG = "d" * 90 + "/" + "ü" * 40


Members = Sequence[tuple[str, "str | bytes"]]


def problem(path: Path) -> str | None:
    with io.FileIO(path) as stream:
        return archive_problem(stream, path.name)


def write_tar(path: Path, members: Members, kind: int) -> Path:
    """A member with text is a link to it; ``=`` before it makes it a hard one."""
    mode = "w:gz" if path.name.lower().endswith("gz") else "w"
    with tarfile.open(path, mode, format=kind) as archive:  # type: ignore[call-overload]
        for name, held in members:
            info = tarfile.TarInfo(name)
            if isinstance(held, bytes):
                info.size = len(held)
                archive.addfile(info, io.BytesIO(held))
                continue
            info.type = tarfile.LNKTYPE if held.startswith("=") else tarfile.SYMTYPE
            info.linkname = held.lstrip("=")
            archive.addfile(info)
    return path


def write_zip(path: Path, members: Members, kind: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if kind else zipfile.ZIP_STORED) as out:
        for name, held in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = out.compression
            if isinstance(held, str):
                info.create_system = 3
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
            out.writestr(info, held)
    return path


Write = Callable[[Path, Members, int], Path]
KINDS = [(write_tar, name, kind) for name in ("a.tar", "a.tar.gz", "a.TGZ") for kind in FORMATS]
ALL = [*KINDS, (write_zip, "a.zip", 0), (write_zip, "a.zip", 1)]


@pytest.mark.parametrize(("write", "name", "kind"), ALL)
@pytest.mark.parametrize(
    ("members", "says"),
    [
        ([("a/b.txt", b"x" * 2000), (LONG, b"y"), ("a/l", "../c.txt"), ("c.txt", b"c")], None),
        ([("a.txt", b"x"), ("../b", b"y")], "holds a path out of its folder: '../b'"),
        ([("a/../../b", b"y")], "holds a path out of its folder"),
        ([("/etc/b", b"y")], "holds a path out of its folder: '/etc/b'"),
        ([("a/l", "../../b")], "holds a link out of its folder: 'a/l' to '../../b'"),
        ([("l", "/etc/passwd")], "holds a link out of its folder"),
    ],
)
def test_paths_and_links(
    tmp_path: Path,
    write: Write,
    name: str,
    kind: int,
    members: Members,
    says: str | None,
) -> None:
    found = problem(write(tmp_path / name, members, kind))
    assert (found is None) if says is None else (found is not None and says in found)


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz"])
def test_a_hard_link_counts_from_the_archives_root(tmp_path: Path, name: str) -> None:
    for kind in FORMATS:
        assert problem(write_tar(tmp_path / name, [("d/h", "=a")], kind)) is None
        assert problem(write_tar(tmp_path / name, [("d/h", "=../a")], kind)) is not None


@pytest.mark.parametrize(("write", "name", "kind"), ALL)
def test_one_that_is_cut_off_or_is_none(tmp_path: Path, write: Write, name: str, kind: int) -> None:
    random_ = random.Random(3)
    path = write(tmp_path / name, [("a", random_.randbytes(30_000)), ("b", b"b")], kind)
    whole = path.read_bytes()
    assert problem(path) is None
    for content in (whole[:20_000], whole[:400], b"", b"hello" * 300):
        path.write_bytes(content)
        assert "is no whole archive" in str(problem(path))


@pytest.mark.parametrize(("write", "name", "kind"), ALL)
def test_damage_anywhere_raises_nothing(tmp_path: Path, write: Write, name: str, kind: int) -> None:
    random_ = random.Random(5)
    path = write(tmp_path / name, [("a", b"x" * 700), ("d/l", "../a"), (LONG, b"b")], kind)
    whole = path.read_bytes()
    for _ in range(150):
        broken = bytearray(whole)
        for _ in range(random_.randint(1, 8)):
            broken[random_.randrange(len(broken))] = random_.randrange(256)
        path.write_bytes(broken)
        assert isinstance(problem(path), str | None)


def test_one_that_would_unpack_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "SMALL", 1 << 20)
    bomb = [("zeros", bytes(3 << 20))]
    for path in (
        write_zip(tmp_path / "a.zip", bomb, 1),
        write_tar(tmp_path / "a.tar.gz", bomb, tarfile.GNU_FORMAT),
    ):
        assert "would unpack to more than" in str(problem(path))
        with pytest.raises(ManifestError, match=rf"{path.name} is an archive of"):
            make_manifest(tmp_path, [path.name])
    assert problem(write_tar(tmp_path / "b.tar", bomb, tarfile.GNU_FORMAT)) is None


def test_zeros_behind_the_end_of_a_tar_are_not_unpacked(tmp_path: Path) -> None:
    """Whatever a member claims to hold is counted before it is read."""
    header = tarfile.TarInfo("huge")
    header.size = 1 << 50
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(header.tobuf()))
    assert "would unpack to more than" in str(problem(path))


def test_a_sparse_member_counts_with_what_it_becomes(tmp_path: Path) -> None:
    header = bytearray(tarfile.TarInfo("sparse").tobuf(tarfile.GNU_FORMAT))
    header[156:157] = b"S"
    header[483:495] = f"{1 << 33:011o}\0".encode()
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    (tmp_path / "a.tar").write_bytes(bytes(header) + bytes(1024))
    assert "would unpack to more than" in str(problem(tmp_path / "a.tar"))


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 5)
    members: Members = [(f"{number}", b"x") for number in range(6)]
    assert "more than 5 files" in str(problem(write_zip(tmp_path / "a.zip", members, 0)))
    assert problem(write_zip(tmp_path / "a.zip", members[:5], 0)) is None


def test_zips_beyond_32_bits_and_with_something_before_them(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive, archive.open("a", "w", force_zip64=True) as stream:
        stream.write(b"x" * 100)
    assert problem(path) is None
    plain = write_zip(tmp_path / "b.zip", [("l", "../x")], 0).read_bytes()
    path.write_bytes(b"#!/bin/sh\n" + plain)
    assert "holds a link out" in str(problem(path))


def test_what_is_named_otherwise_is_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(write_zip(tmp_path / "b.zip", [("../x", b"")], 0).read_bytes())
    os.unlink(tmp_path / "b.zip")
    assert [one.path for one in make_manifest(tmp_path)] == ["a.bin"]


@pytest.mark.parametrize("name", ["../a", "/a", "a/../../b", "..\\a", "\\a", "C:\\a", "a/.."])
def test_names_that_lead_out(name: str) -> None:
    assert leads_out(name)


def test_links_that_stay_and_links_that_do_not() -> None:
    assert not link_leads_out("a/b/c", "../../d")
    assert not link_leads_out("./a/c", "./../d")
    assert link_leads_out("a/b/c", "../../../d")
    assert link_leads_out("a/c", "../x/../../y")
    assert link_leads_out("c", "\\\\host\\share")


def test_how_much_may_come_of_an_archive() -> None:
    assert most_unpacked(1000) == 1 << 30
    assert most_unpacked(1 << 30) == 100 << 30
    assert most_unpacked(1 << 35) == 1 << 40
    assert most_unpacked(1 << 41) == 1 << 41
