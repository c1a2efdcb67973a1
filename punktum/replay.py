"""``punktum replay SPOOL``: send what a spool holds, any number of times, beside a live writer.

Everything is sent from the first line on; the server knows each event by run, attempt, source and
number, so the record is the same however often it is done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from punktum.calling import line
from punktum.carried import Refusal
from punktum.delivery import MOST_EVENTS, Delivery
from punktum.ledger import Ledger
from punktum.locks import is_held
from punktum.mending import Attempt, attempts_in, new_names
from punktum.server import Server
from punktum.spool import identity_of
from punktum.submission import Posted, kept_submissions, post_kept

TRIES: Final = 4
LONGEST_WAIT_S: Final = 30.0
MOST_SAID: Final = 10
GO_ON, HELD, BROKEN = "go on", "held", "broken"


@dataclass(frozen=True, slots=True)
class Replayed:
    """Counts of one replay; ``trouble`` says why it broke off, ``not_allowed`` that it was the
    token; ``kept`` what the record keeps although another step was asked for, or what waits;
    ``renamed`` which proposed ids were taken."""

    attempts: int = 0
    events: int = 0
    refused: int = 0
    submissions: int = 0
    submissions_refused: int = 0
    first_refusals: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    trouble: str | None = None
    not_allowed: bool = False

    def form(self) -> dict[str, object]:
        """For ``--json``."""
        return {
            "attempts": self.attempts,
            "events": self.events,
            "refused": self.refused,
            "submissions": self.submissions,
            "submissions_refused": self.submissions_refused,
            "refusals": list(self.first_refusals),
            "kept": list(self.kept),
            "renamed": list(self.renamed),
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
        """Raises NotClear where ``step`` or ``run`` may mean more than one run of the spool."""
        self._server = server
        self._spool = spool
        self._attempts = attempts_in(spool)
        self._changes = new_names(self._attempts, spool, run=run, step=step)
        self._pause = pause
        self._done = Replayed()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to send."""
        return not self._attempts and not kept_submissions(self._spool)

    def send(self) -> Replayed:
        """Send all attempts, oldest first, then kept submissions."""
        for attempt in self._attempts:
            if not self._send_attempt(attempt):
                return self._done
            self._done = replace(self._done, attempts=self._done.attempts + 1)
        if self._spool.is_dir():
            self._send_submissions()
        return self._done

    def _send_attempt(self, attempt: Attempt) -> bool:
        """The start first, then what other sources measured, then the rest with the end.

        False when the server is not to be had. A refused start leaves the rest where it is.
        """
        changes = self._changes.get(attempt.identity.attempt_id, {})
        names = {**attempt.names, **changes}
        own_id = "run" not in changes
        first = self._delivery(attempt.files[0], attempt, names, own_id)
        word = self._carry(first, most=1) if len(attempt.files) > 1 else GO_ON
        others = [self._delivery(path, attempt, first.names, False) for path in attempt.files[1:]]
        for delivery in [*others, first]:
            if word != GO_ON:
                break
            word = self._carry(delivery)
        for delivery in [first, *others]:
            delivery.ledger.save()
        self._note_names(attempt, first)
        if first.was_known and "step" in changes and names != attempt.names:
            run = names.get("run", attempt.identity.run)
            self._note_kept(f"{run} was recorded before; its step stays what it was then")
        return word != BROKEN

    def _note_names(self, attempt: Attempt, first: Delivery) -> None:
        """Say under which id it went, and what waits for a start that is not there."""
        run = attempt.identity.run
        if first.was_renamed and first.was_taken:
            said = f"{run} is taken: this run is recorded as {first.names['run']}"
            self._done = replace(self._done, renamed=(*self._done.renamed, said))
        elif first.waits_for_start:
            self._note_kept(
                f"{attempt.files[0].name} waits for the start of {run}: name its folder"
            )

    def _delivery(
        self, path: Path, attempt: Attempt, names: Mapping[str, str], may_rename: bool
    ) -> Delivery:
        return Delivery(
            self._server,
            path,
            identity=identity_of(path) or attempt.identity,
            ledger=Ledger(path, kept=not is_held(path), fresh=True),
            names=names,
            on_refusal=self._refused,
            heed_marks=False,
            may_rename=may_rename,
        )

    def _note_kept(self, said: str) -> None:
        self._done = replace(self._done, kept=(*self._done.kept, said))

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
                    self._done = replace(
                        self._done, trouble=carried.why, not_allowed=carried.not_allowed
                    )
                    return BROKEN
                self._pause(carried.wait_s)

    def _refused(self, refusal: Refusal) -> None:
        why = refusal.problem.get("detail") or refusal.problem.get("title") or refusal.status
        next_id = refusal.problem.get("next_id") if refusal.kind == "start" else None
        named = f"{refusal.kind} {refusal.seq}: {why}"
        if next_id:
            way = line("replay", self._spool, "--run", str(next_id))
            named = f"{named} Under another id: {way}"
        first = self._done.first_refusals
        self._done = replace(
            self._done,
            refused=self._done.refused + 1,
            first_refusals=(*first, named) if len(first) < MOST_SAID else first,
        )

    def _send_submissions(self) -> None:
        for path in kept_submissions(self._spool):
            posted = post_kept(self._server, path)
            if posted.taken is None:
                self._done = replace(
                    self._done, trouble=posted.text, not_allowed=posted.not_allowed
                )
                return
            self._done = replace(self._done, submissions=self._done.submissions + 1)
            if not posted.taken:
                self._note_refused_evidence(posted)

    def _note_refused_evidence(self, posted: Posted) -> None:
        first = self._done.first_refusals
        said = f"evidence of {posted.deliverable}: {posted.text}"
        self._done = replace(
            self._done,
            submissions_refused=self._done.submissions_refused + 1,
            first_refusals=(*first, said)
            if len(first) < MOST_SAID and said not in first
            else first,
        )
