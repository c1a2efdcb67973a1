"""``punktum pull USER@HOST:DIR HOME``: fetch an output folder, what counts most first.

In this order: manifest and sheet, essential deliverables, the others, spool and logs, the newest
checkpoint of every run, the rest. Where it broke off it goes on.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from punktum import instants, reading, talk
from punktum.fetched import Known, newest_checkpoints
from punktum.manifest_file import NAME
from punktum.marks import read_whole, write_whole
from punktum.rsync import BROKEN_OFF, SOME_MISSING, VANISHED, Ended, File, NoRsync, Rsync
from punktum.settings import Settings
from punktum.transfer import Speed, rate_line

FIRST: Final = (NAME, ".punktum/spool/sheet.json")
KEPT: Final = "transfer.json"
LONGEST_WAIT_S: Final = 60.0
NAMES: Final = (
    "essential deliverables", "other deliverables", "spool and logs", "newest checkpoints",
    "the rest",
)  # fmt: skip
CHECKPOINTS, REST = 3, 4


class NotPulled(Exception):
    """Nothing could be fetched; the text says why and what else works, with the exit code."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


@dataclass(slots=True)
class Pulled:
    """What came. ``code`` 1: not everything; ``bits_per_s`` None: too little to tell."""

    files: int = 0
    size: int = 0
    bits_per_s: int | None = None
    has_deliverables: bool = False
    code: int = 0
    remarks: list[str] = field(default_factory=list)

    @property
    def rate_line(self) -> str | None:
        """The line for the campaign file."""
        return rate_line(self.bits_per_s) if self.bits_per_s is not None else None

    def form(self) -> dict[str, object]:
        """For ``--json``."""
        return {
            "files": self.files,
            "size": self.size,
            "bits_per_s": self.bits_per_s,
            "transfer_rate": self.rate_line,
            "complete": self.code == 0,
        }


class Pull:
    """One pull; ``tries``: so many calls without any progress before it gives up."""

    def __init__(
        self,
        rsync: Rsync,
        settings: Settings,
        *,
        tries: int = 5,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._rsync, self._settings = rsync, settings
        self._tries, self._pause = tries, pause
        self._spool = rsync.home / ".punktum" / "spool"
        self._done = Pulled()
        self._speed = Speed()
        self._told_left: int | None = None

    def run(self) -> Pulled:
        """Fetch it all. Raises NotPulled where nothing can be had."""
        self._prepare()
        self._first_word(self._rsync.fetch(FIRST))
        files, ended = self._rsync.missing()
        self._first_word(ended)
        known = Known.at(self._rsync.home, self._settings)
        groups = known.in_order(files)
        self._announce(groups, known)
        self._done.has_deliverables = known.has_deliverables
        for number, _ in enumerate(NAMES):
            if number == CHECKPOINTS:
                self._lift_checkpoints(groups)
            if groups[number] and not self._fetch(number, groups, known):
                self._done.code = 1
                break
        self._keep_speed()
        self._sum_up(known)
        return self._done

    def _prepare(self) -> None:
        if not self._rsync.is_source:
            raise NotPulled(f"{self._rsync.source!r} is not USER@HOST:DIR", 2)
        try:
            self._rsync.check()
        except NoRsync as error:
            raise NotPulled(f"{error}. {self._what_else()}", 2) from None
        try:
            self._spool.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotPulled(f"{error.filename}: {error.strerror}", 2) from None

    def _what_else(self) -> str:
        from punktum.calling import line

        way = self._rsync.other_ways()
        proof = line("verify", self._rsync.home, "--all", "--retrieved")
        return "\n".join(["Install it, or copy the folder in another way:", *way, proof])

    def _first_word(self, ended: Ended) -> None:
        """Whether the other machine can be talked to at all."""
        if ended.is_missing_there:
            there = f"rsync is missing on {self._rsync.host}"
            raise NotPulled(f"{there}. {self._what_else()}", 1)
        if ended.code not in (0, VANISHED):
            where = f"{self._rsync.source}: {ended.why}"
            raise NotPulled(f"{where} (rsync {ended.code}); nothing was fetched, try again", 1)

    def _announce(self, groups: list[list[File]], known: Known) -> None:
        sizes = [sum(file.size for file in group) for group in groups]
        for name, group, size in zip(NAMES, groups, sizes, strict=True):
            if group:
                counted = talk.count(len(group), "file", "files")
                talk.say(f"to fetch: {name}, {counted}, {talk.size(size)}")
        earlier = reading.whole((read_whole(self._spool / KEPT) or {}).get("bits_per_s"))
        if earlier:
            self._warn(sum(sizes), earlier, known)

    def _warn(self, left: int, bits_per_s: int, known: Known) -> None:
        """How long the rest takes, and whether the window lasts as long."""
        takes_s = left * 8 / bits_per_s
        if left == self._told_left:
            return
        self._told_left = left
        talk.say(f"{talk.size(left)} left, about {talk.duration(takes_s)}")
        ends_s = known.window_ends_s
        if ends_s is not None and 0 < ends_s - time.time() < takes_s:
            window = talk.duration(ends_s - time.time())
            talk.say(f"the window ends in {window}: not all of it will arrive")

    def _lift_checkpoints(self, groups: list[list[File]]) -> None:
        """With the spool here it is known which checkpoints are the newest."""
        newest = newest_checkpoints(self._spool, self._rsync.directory)
        lifted = [file for file in groups[REST] if newest.holds(file.name)]
        groups[CHECKPOINTS] += lifted
        groups[REST] = [file for file in groups[REST] if not newest.holds(file.name)]
        self._done.remarks += [
            f"the newest checkpoint of {run} lies elsewhere, {path}: fetch it too if it is to stay"
            for run, path in newest.outside
        ]

    def _fetch(self, number: int, groups: list[list[File]], known: Known) -> bool:
        """Fetch one group, again and again while something comes; False where it gave up."""
        group, failures = groups[number], 0
        size = sum(file.size for file in group)
        later = sum(file.size for rest in groups[number + 1 :] for file in rest)
        self._speed.begin(NAMES[number], size, later)
        while True:
            before = _here(self._rsync.home, group)
            ended = self._rsync.fetch((file.name for file in group), self._speed.see)
            grown = _here(self._rsync.home, group) - before
            self._speed.end(ended, grown)
            if ended.code in (0, VANISHED):
                break
            if ended.code not in BROKEN_OFF:
                return self._note_missing(ended)
            failures = 1 if grown > 0 else failures + 1
            if failures >= self._tries:
                self._done.remarks.append(f"broken off ({ended.why}); the same line goes on")
                return False
            wait_s = min(LONGEST_WAIT_S, 2.0**failures)
            talk.say(f"broken off ({ended.why}); goes on in {talk.duration(wait_s)}")
            self._pause(wait_s)
        self._done.files += len(group)
        self._done.size += size
        bits_per_s = self._speed.bits_per_s
        if later and bits_per_s and size:
            self._warn(later, bits_per_s, known)
        return True

    def _note_missing(self, ended: Ended) -> bool:
        """Some files could not be read there: the others are here. Anything else ends it."""
        self._done.code = 1
        self._done.remarks.append(f"not everything came: {ended.why} (rsync {ended.code})")
        return ended.code == SOME_MISSING

    def _keep_speed(self) -> None:
        self._done.bits_per_s = bits_per_s = self._speed.bits_per_s
        if bits_per_s is None:
            return
        kept = {
            "bits_per_s": bits_per_s,
            "received": self._speed.received,
            "took_s": round(self._speed.took_s, 1),
            "from": self._rsync.host,
            "at": instants.now_text(),
        }
        write_whole(self._spool / KEPT, kept)
        talk.say(f"measured: {bits_per_s / 1e6:.1f} Mbit/s; for the campaign file:")

    def _sum_up(self, known: Known) -> None:
        if self._done.code == 0 and not any(self._spool.glob("*--*.jsonl")):
            where = f"{self._rsync.directory}/.punktum/spool"
            self._done.remarks.append(f"no events lie in {where}: is PUNKTUM_SPOOL set there?")
        self._done.remarks += self._about_proof(known)

    def _about_proof(self, known: Known) -> Iterator[str]:
        from punktum.calling import line

        if not known.has_deliverables:
            way = line("verify", self._rsync.home, "--all", "--retrieved", "--campaign", "FILE")
            yield f"no deliverable is known here, so nothing is proven; with the plan: {way}"


def _here(home: Path, group: list[File]) -> int:
    """Bytes of a group that lie here. Files grow in place, so this is what a call brought; what
    rsync shows on the way counts also what it found here."""
    length = 0
    for file in group:
        with contextlib.suppress(OSError):
            length += (home / file.name).lstat().st_size
    return length
