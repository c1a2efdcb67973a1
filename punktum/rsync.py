"""rsync as ``punktum pull`` calls it: what it is asked, what it answers, what its end means.

Files grow in place, so that a transfer that broke off goes on from what is there, whatever ended
it, and no second copy of a large file needs room. A file whose size and time differ is compared
and mended; the hashes of the verification have the last word.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

OLDEST: Final = (3, 1)
ALWAYS: Final = (
    "--recursive", "--links", "--safe-links", "--times", "--executability",
    "--partial", "--inplace", "--ignore-missing-args", "--protect-args", "--no-human-readable",
    "--timeout=60",
)  # fmt: skip
NEVER: Final = (".punktum/spool/machine-id", ".punktum/spool/client")
"""Whose machine it was made on must not come here: this one would take it for its own."""
_SOURCE: Final = re.compile(
    r"(?P<host>(?:[^@:/\s-][^@:/\s]*@)?(?:[^@:/\s\[\]-][^@:/\s\[\]]*|\[[0-9A-Fa-f:.%]+\])):(?P<dir>(?!:|//).+)\Z"
)
_VERSION: Final = re.compile(r"rsync +version +v?(\d+)\.(\d+)")
_LISTED: Final = re.compile(r"(\d+) (.+)")
_RECEIVED: Final = re.compile(r"Total bytes received: ([\d.,]+)")
_PROGRESS: Final = re.compile(r"\s*([\d.,]+)\s+\d+%\s")
BROKEN_OFF: Final = frozenset({10, 12, 20, 30, 35, 255, -13, -9, -15})
SOME_MISSING, VANISHED, NOT_FOUND = 23, 24, 127


class NoRsync(Exception):
    """There is no rsync here that can do it; the text says what is there."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How one call ended: exit code, bytes that came over the wire (None: it did not say),
    seconds, and the last lines it said to stderr."""

    code: int
    received: int | None
    took_s: float
    said: str

    @property
    def is_missing_there(self) -> bool:
        """Whether the other machine has no rsync."""
        wording = re.search(r"rsync: (command )?not found|rsync: No such file", self.said)
        return self.code == NOT_FOUND or (self.code != 0 and wording is not None)

    @property
    def why(self) -> str:
        """The line that says most."""
        lines = [line for line in self.said.splitlines() if line.strip()]
        told = [line for line in lines if not line.startswith("rsync error:")]
        return (told or lines or [f"rsync left with {self.code}"])[-1][:300]


@dataclass(frozen=True, slots=True)
class File:
    """A file that is not here as it is there: its path, and its bytes there."""

    name: str
    size: int


class Rsync:
    """Calls of rsync between one folder there and one here."""

    def __init__(
        self, source: str, home: Path, ssh: str | None = None, skip: tuple[str, ...] = ()
    ) -> None:
        self.is_source = _SOURCE.match(source) is not None
        self.source, self.ssh, self.skip = source, ssh, skip
        self.home = Path(os.path.abspath(home))

    @property
    def host(self) -> str:
        """``USER@HOST``."""
        return (
            self.source.partition(":")[0]
            if "[" not in self.source
            else (self.source[: self.source.index("]") + 1])
        )

    @property
    def directory(self) -> str:
        """The folder there."""
        return self.source[len(self.host) + 1 :]

    def check(self) -> None:
        """Raises NoRsync where there is none here, or an older or another one."""
        path = shutil.which("rsync")
        if path is None:
            raise NoRsync("rsync is not on PATH here")
        try:
            said = subprocess.run(
                [path, "--version"], capture_output=True, timeout=30, check=False
            ).stdout.decode("utf-8", "replace")
        except (OSError, subprocess.SubprocessError) as error:
            raise NoRsync(f"{path} cannot be run: {error}") from None
        found = _VERSION.search(said)
        if found is None or "openrsync" in said:
            raise NoRsync(f"{path} is not the rsync that is meant: {said.splitlines()[:1]}")
        if (int(found[1]), int(found[2])) < OLDEST:
            raise NoRsync(f"{path} is rsync {found[1]}.{found[2]}; 3.1 or newer is needed")

    def missing(self) -> tuple[list[File], Ended]:
        """What would be fetched, without fetching it."""
        found: list[File] = []

        def hear(line: str) -> None:
            listed = _LISTED.match(line)
            if listed is not None and not listed[2].endswith("/"):
                found.append(File(_unescaped(listed[2]), int(listed[1])))

        ended = self._call(["--dry-run", "--out-format=%l %n"], None, hear)
        return found, ended

    def fetch(self, names: Iterable[str], on_bytes: Callable[[int], None] | None = None) -> Ended:
        """Fetch these files; ``on_bytes`` is told how many bytes of them are there."""

        def hear(line: str) -> None:
            seen = _PROGRESS.match(line)
            if seen is not None and on_bytes is not None:
                on_bytes(_number(seen[1]))

        return self._call(["--stats", "--info=progress2", "--outbuf=L"], names, hear)

    def _call(
        self, options: list[str], names: Iterable[str] | None, hear: Callable[[str], None]
    ) -> Ended:
        words = ["rsync", *ALWAYS, *options]
        words += ["-e", self.ssh] if self.ssh else []
        words += [f"--exclude=/{name}" for name in NEVER]
        words += [f"--exclude={name}" for name in self.skip]
        with tempfile.TemporaryFile() as listing:
            if names is not None:
                words += ["--from0", "--files-from=-"]
                listing.writelines(os.fsencode(name) + b"\0" for name in names)
                listing.seek(0)
            words += ["--", f"{self.source.rstrip('/')}/", f"{self.home}/"]
            return _run(words, listing if names is not None else subprocess.DEVNULL, hear)

    def other_ways(self) -> list[str]:
        """Lines that fetch the folder without rsync: what else works."""
        ssh = self.ssh or "ssh"
        left_out = " ".join(f"--exclude=./{name}" for name in NEVER)
        there = shlex.quote(f"tar -C {shlex.quote(self.directory)} {left_out} -cf - .")
        home = shlex.quote(str(self.home))
        return [f"mkdir -p {home} && {ssh} {shlex.quote(self.host)} {there} | tar -C {home} -xf -"]


def _run(words: list[str], stdin: IO[bytes] | int, hear: Callable[[str], None]) -> Ended:
    """Run it; lines of progress end with a carriage return. Its group is ended with us."""
    began = time.monotonic()
    received: list[int] = []
    environment = {**os.environ, "LC_ALL": "C"}
    process = subprocess.Popen(
        words,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    # Pipes are buffered readers, which the types of subprocess do not say.
    told_out = cast("io.BufferedReader", process.stdout)
    told_err = cast("io.BufferedReader", process.stderr)
    said: list[bytes] = []
    reader = threading.Thread(target=_keep_end, args=(told_err, said), daemon=True)
    reader.start()
    try:
        for raw in _pieces(told_out):
            line = raw.decode("utf-8", "surrogateescape")
            stated = _RECEIVED.match(line)
            if stated is not None:
                received.append(_number(stated[1]))
            hear(line)
        code = process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
        reader.join(timeout=5)
        for stream in (told_out, told_err):
            if not reader.is_alive():
                stream.close()
    told = b"".join(said)[-4096:].decode("utf-8", "replace")
    return Ended(code, received[-1] if received else None, time.monotonic() - began, told)


def _keep_end(stream: io.BufferedReader, said: list[bytes]) -> None:
    """The last of what it says, and what it asks (a passphrase, a host key) goes by the terminal
    itself."""
    while block := stream.read1(4096):
        said.append(block)
        del said[:-8]


def _pieces(stream: io.BufferedReader) -> Iterable[bytes]:
    waiting = b""
    while block := stream.read1(1 << 16):
        *whole, waiting = re.split(rb"[\r\n]", waiting + block)
        yield from whole
    if waiting:
        yield waiting


def _number(text: str) -> int:
    return int(re.sub(r"[.,]", "", text) or "0")


def _unescaped(name: str) -> str:
    """rsync writes what cannot be shown as ``\\#012``."""
    raw = os.fsencode(name)
    return os.fsdecode(
        re.sub(rb"\\#([0-7]{3})", lambda found: bytes([int(found[1], 8) & 255]), raw)
    )
