"""A stand-in for rsync, put on PATH by tests: it copies between folders of this machine.

It knows the options that ``punktum pull`` uses and refuses any other. The folder there is what
follows ``HOST:``. ``FAKE_RSYNC`` tells it to misbehave: ``missing`` (no rsync there),
``unreachable``, ``old``, ``other``, ``stall:CALLS`` (nothing comes after so many calls), or
``break:BYTES`` (breaks off after so many bytes in one call; ``break:BYTES:CALLS``: in the first
calls only). Each call is noted in ``FAKE_RSYNC_LOG``.
"""

from __future__ import annotations

import fnmatch
import json
import os
import sys
from pathlib import Path

KNOWN = {
    "--recursive", "--links", "--safe-links", "--times", "--executability", "--partial",
    "--inplace", "--ignore-missing-args", "--protect-args", "--no-human-readable", "--timeout=60",
    "--dry-run", "--out-format=%l %n", "--stats", "--info=progress2", "--outbuf=L", "--from0",
    "--files-from=-",
}  # fmt: skip


def main() -> int:
    mode = os.environ.get("FAKE_RSYNC", "")
    words = sys.argv[1:]
    if words == ["--version"]:
        number = "3.0.9" if mode == "old" else "3.2.7"
        print("openrsync: protocol version 29" if mode == "other" else
              f"rsync  version {number}  protocol version 31")  # fmt: skip
        return 0
    options, there, here = read(words)
    log = Path(os.environ["FAKE_RSYNC_LOG"])
    calls = len(log.read_text().splitlines()) if log.exists() else 0
    names = None
    if "--files-from=-" in options:
        names = [os.fsdecode(name) for name in sys.stdin.buffer.read().split(b"\0") if name]
    with log.open("a") as noted:
        noted.write(json.dumps({"words": words, "names": names}) + "\n")
    if mode == "missing":
        sys.stderr.write("bash: line 1: rsync: command not found\n")
        sys.stderr.write("rsync error: remote command not found (code 127) at io.c(228)\n")
        return 127
    if mode == "unreachable" or not there.is_dir():
        sys.stderr.write("ssh: connect to host box port 22: Connection refused\n")
        sys.stderr.write("rsync error: unexplained error (code 255) at io.c(228)\n")
        return 255
    excluded = [word.partition("=")[2] for word in options if word.startswith("--exclude=")]
    wanted = sorted(set(found(there)) if names is None else set(names) & set(found(there)))
    wanted = [name for name in wanted if not is_excluded(name, excluded)]
    lacking = [name for name in wanted if differs(there / name, here / name)]
    if "--dry-run" in options:
        for name in lacking:
            shown = "".join(sign if sign >= " " else f"\\#{ord(sign):03o}" for sign in name)
            print((there / name).lstat().st_size, shown)
        return 0
    return copy(there, here, lacking, allowance(mode, calls))


def read(words: list[str]) -> tuple[list[str], Path, Path]:
    """The options, and both folders. What is not known ends the test."""
    place = words.index("--")
    options, (source, target) = words[:place], words[place + 1 :]
    left = list(options)
    if "-e" in left:
        at = left.index("-e")
        del left[at : at + 2]
    unknown = [word for word in left if word not in KNOWN and not word.startswith("--exclude=")]
    assert not unknown, unknown
    assert source.endswith("/")
    return options, Path(source.partition(":")[2]), Path(target)


def found(folder: Path) -> list[str]:
    paths = (path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    return [path.relative_to(folder).as_posix() for path in paths]


def is_excluded(name: str, patterns: list[str]) -> bool:
    for pattern in patterns:
        bare = pattern.lstrip("/")
        if name == bare or name.startswith(f"{bare}/") or fnmatch.fnmatchcase(name, bare):
            return True
    return False


def differs(there: Path, here: Path) -> bool:
    if there.is_symlink():
        return not (here.is_symlink() and os.readlink(here) == os.readlink(there))
    if not here.is_file():
        return True
    one, other = there.stat(), here.stat()
    return (one.st_size, one.st_mtime_ns) != (other.st_size, other.st_mtime_ns)


def allowance(mode: str, calls: int) -> int | None:
    """How many bytes come before it breaks off; None: all."""
    if mode.startswith("stall:"):
        return 0 if calls >= int(mode.removeprefix("stall:")) else None
    if not mode.startswith("break:"):
        return None
    length, _, most = mode.removeprefix("break:").partition(":")
    return None if most and calls >= int(most) else int(length)


def copy(there: Path, here: Path, names: list[str], left: int | None) -> int:
    """Copy, in place and going on from what is there."""
    received = done = 0
    total = sum((there / name).lstat().st_size for name in names) or 1
    for name in names:
        source, target = there / name, here / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            if Path(os.path.realpath(source)).is_relative_to(os.path.realpath(there)):
                target.symlink_to(os.readlink(source))
            continue
        content = source.read_bytes()
        before = target.read_bytes() if target.exists() else b""
        kept = len(before) if content.startswith(before) else 0
        fresh = content[kept:]
        whole = left is None or len(fresh) <= left
        fresh = fresh if whole else fresh[: left or 0]
        with target.open("r+b" if target.exists() else "wb") as stream:
            stream.truncate(kept)
            stream.seek(kept)
            stream.write(fresh)
        received += len(fresh)
        done += kept + len(fresh)
        print(f"\r{done:>15}  {100 * done // total:>3}%   1.00MB/s    0:00:01", end="", flush=True)
        if not whole:
            sys.stderr.write("rsync: connection unexpectedly closed (1 bytes received so far)\n")
            sys.stderr.write("rsync error: error in rsync protocol data stream (code 12)\n")
            return 12
        left = None if left is None else left - len(fresh)
        os.utime(target, ns=(source.stat().st_atime_ns, source.stat().st_mtime_ns))
    print(
        f"\nNumber of files: {len(names)}\nTotal bytes sent: 20\nTotal bytes received: {received}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
