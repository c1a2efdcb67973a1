"""``punktum replay SPOOL``: send what a spool holds, any number of times, beside a live writer.

Everything is sent from the first line on; the server knows each event by run, attempt, source and
number, so the record is the same however often it is done.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from punktum import reading
from punktum.delivery import MOST_EVENTS, Delivery, Refusal
from punktum.events import Identity
from punktum.ledger import Ledger
from punktum.locks import is_held
from punktum.server import Server
from punktum.spool import identity_of, read_lines, spool_files, starts_with
from punktum.submission import kept_submissions, post_kept

TRIES: Final = 4
LONGEST_WAIT_S: Final = 30.0
GO_ON, HELD, BROKEN = "go on", "held", "broken"


@dataclass(frozen=True, slots=True)
class Replayed:
    """Counts of one replay; ``trouble`` says why it broke off."""

    attempts: int = 0
    events: int = 0
    refused: int = 0
    submissions: int = 0
    submissions_refused: int = 0
    first_refusals: tuple[str, ...] = ()
    trouble: str | None = None

    def form(self) -> dict[str, object]:
        """For ``--json``."""
        return {
            "attempts": self.attempts,
            "events": self.events,
            "refused": self.refused,
            "submissions": self.submissions,
            "submissions_refused": self.submissions_refused,
            "refusals": list(self.first_refusals),
            "trouble": self.trouble,
        }


class Replay:
    """One pass over a spool folder or a single spool file."""

    def __init__(
        self,
        server: Server,
        spool: Path,
        *,
        step: str | None = None,
        run: str | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._server = server
        self._spool = spool
        self._step = step
        self._run = run
        self._pause = pause
        self._done = Replayed()

    def send(self) -> Replayed:
        """Send all attempts, oldest first, then kept submissions."""
        attempts = _by_attempt(self._files())
        for files in attempts:
            if not self._send_attempt(files):
                return self._done
            self._done = replace(self._done, attempts=self._done.attempts + 1)
        if self._spool.is_dir():
            self._send_submissions()
        return self._done

    def _files(self) -> list[Path]:
        if self._spool.is_dir():
            return spool_files(self._spool)
        return [self._spool]

    def _send_attempt(self, files: list[Path]) -> bool:
        """The start first, then what other sources measured, then the rest with the end.

        False when the server is not to be had. A refused start leaves the rest where it is.
        """
        deliveries = [self._delivery(path) for path in sorted(files, key=_starts_first)]
        first, others = deliveries[0], deliveries[1:]
        word = self._carry(first, most=1) if others else GO_ON
        for delivery in [*others, first]:
            if word != GO_ON:
                break
            word = self._carry(delivery)
        for delivery in deliveries:
            delivery.ledger.save()
        return word != BROKEN

    def _delivery(self, path: Path) -> Delivery:
        ledger = Ledger(path, kept=not is_held(path), fresh=True)
        return Delivery(
            self._server,
            path,
            identity=identity_of(path),
            ledger=ledger,
            rewrite=self._rewritten if self._step or self._run else None,
            on_refusal=self._refused,
            heed_marks=False,
        )

    def _carry(self, delivery: Delivery, most: int | None = None) -> str:
        """Send one file, or with ``most`` only its first batch of so many events."""
        tries = 0
        while True:
            carried = delivery.send_next(most or MOST_EVENTS)
            self._done = replace(self._done, events=self._done.events + carried.sent)
            if carried.held:
                return HELD
            if carried.idle or (most and carried.sent):
                return GO_ON
            if carried.wait_s is not None:
                tries = 1 if carried.sent else tries + 1
                if tries >= TRIES or carried.wait_s > LONGEST_WAIT_S:
                    self._done = replace(self._done, trouble=carried.why)
                    return BROKEN
                self._pause(carried.wait_s)

    def _refused(self, refusal: Refusal) -> None:
        why = refusal.problem.get("detail") or refusal.problem.get("title") or refusal.status
        named = f"{refusal.kind} {refusal.seq}: {why}"
        first = self._done.first_refusals
        self._done = replace(
            self._done,
            refused=self._done.refused + 1,
            first_refusals=(*first, named) if len(first) < 10 else first,
        )

    def _rewritten(self, event: dict[str, object]) -> dict[str, object]:
        changes: dict[str, object] = {}
        if self._step and "step" in event:
            changes["step"] = self._step
        if self._run:
            changes["run"] = self._run
        return {**event, **changes}

    def _send_submissions(self) -> None:
        for path in kept_submissions(self._spool):
            posted = post_kept(self._server, path)
            if posted.taken is None:
                self._done = replace(self._done, trouble=posted.text)
                return
            self._done = replace(
                self._done,
                submissions=self._done.submissions + 1,
                submissions_refused=self._done.submissions_refused + (not posted.taken),
            )


def _by_attempt(files: list[Path]) -> list[list[Path]]:
    """Files grouped by run and attempt, in the order in which the attempts began."""
    groups: dict[tuple[str, str], list[Path]] = {}
    for path in files:
        identity = identity_of(path) or _identity_inside(path)
        groups.setdefault((identity.run, identity.attempt_id), []).append(path)
    return list(groups.values())


def _identity_inside(path: Path) -> Identity:
    """A renamed file still says in its lines whose it is."""
    first = next(read_lines(path), None)
    event = first.event() if first is not None else {}
    return Identity(
        reading.text(event.get("run")) or path.name, reading.text(event.get("attempt_id")) or ""
    )


def _starts_first(path: Path) -> tuple[bool, str]:
    return starts_with(path) != "start", path.name
