"""Carries one spool file to the server, in order, batch by batch. Used by the sender and by replay.

``POST /api/v1/events`` with ``{"events": [...]}``, at most 1,000 events and 512 KiB. What the
answer means: 2xx stored; 401, 403, 408, 429 and 5xx tried again later (Retry-After respected);
413 split; any other 4xx kept in the spool and marked refused. A refused start holds back the rest
of its attempt, unless it is sent again under another id (``renaming.py``). Seq numbers the server
misses are sent once more.
"""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from punktum import instants, reading
from punktum.answers import Answer, Result, is_retried, read_answer, read_results
from punktum.carried import Carried, Refusal
from punktum.events import Identity
from punktum.ledger import Ledger
from punktum.marks import awaits_start, mark_held, mark_taken, marked_held, marked_named, settle
from punktum.naming import next_id
from punktum.renaming import Renaming, under_names
from punktum.server import Reply, Server, Unreachable
from punktum.spool import Line, SpoolWriter, identity_of, line_of, read_lines

MOST_EVENTS: Final = 1000
MOST_BYTES: Final = 512 << 10
LONGEST_WAIT_S: Final = 60.0
LONGEST_RETRY_AFTER_S: Final = 600.0
NOT_OURS: Final = (404, 405)
STILL_ALIVE_S: Final = 30  # another attempt reports: the start is taken once that one is silent


@dataclass(frozen=True, slots=True)
class _Batch:
    lines: list[Line]
    origin: str  # asked | file | memory


class Delivery:
    """One spool file on its way. Not to be shared between threads.

    ``names`` are the ``run`` and ``step`` to send instead of those in the lines; the attempt keeps
    them once its start was taken, also in the process that still writes. ``may_rename`` False: a
    person named the id.
    """

    def __init__(
        self,
        server: Server,
        spool_file: Path,
        *,
        identity: Identity | None = None,
        writer: SpoolWriter | None = None,
        ledger: Ledger | None = None,
        names: Mapping[str, str] | None = None,
        on_answer: Callable[[Answer], None] | None = None,
        on_refusal: Callable[[Refusal], None] | None = None,
        heed_marks: bool = True,
        may_rename: bool = True,
    ) -> None:
        self._server = server
        self._file = spool_file
        self._writer = writer
        self._identity = identity or identity_of(spool_file)
        self.ledger = ledger or Ledger(spool_file)
        self._names = names
        self._on_answer = on_answer
        self._on_refusal = on_refusal
        self._limit = MOST_EVENTS
        self._failures = 0
        self._missing: set[int] = set()
        self._sent_again: set[int] = set()
        self._heed_marks = heed_marks
        self._is_held = False  # where the disk took no mark that says so
        self._renaming = (
            Renaming(spool_file.parent, self._identity) if may_rename and self._identity else None
        )
        self.was_known = False
        """Whether the server had the start already, by its answer."""
        self.was_taken = False
        """Whether the server has the start by now."""

    def send_next(self, most: int = MOST_EVENTS) -> Carried:
        """Send the next batch, if there is one. Never raises for what a server does."""
        if self._is_held or self.waits_for_start:
            return Carried(held=True)
        if self._heed_marks and self._identity and marked_held(self._file.parent, self._identity):
            return Carried(held=True)
        batch = self._next(min(most, self._limit))
        if batch is None:
            return Carried(idle=True)
        try:
            reply = self._server.post_bytes("/api/v1/events", self._body(batch))
        except Unreachable as error:
            return self._later(f"{self._server.url} does not answer: {error}")
        return self._judge(batch, reply)

    @property
    def waits_for_start(self) -> bool:
        """Whether another source's start has yet to decide which run this belongs to."""
        return self._identity is not None and awaits_start(self._file.parent, self._identity)

    @property
    def names(self) -> Mapping[str, str]:
        """The names that are sent instead of those in the lines."""
        if self._names is not None:
            return self._names
        return marked_named(self._file.parent, self._identity) if self._identity else {}

    def _next(self, most: int) -> _Batch | None:
        """What the server misses first, then the file, then what the disk did not take."""
        wanted = self._missing_lines(most)
        if wanted:
            return _Batch(wanted, "asked")
        fresh = self._fresh_lines(most)
        if fresh:
            return _Batch(fresh, "file")
        waiting = self._writer.waiting_in_memory(most) if self._writer else []
        found = [line for raw in waiting if (line := line_of(0, raw)) is not None]
        most = 1 if found and found[0].kind == "start" else most  # it travels alone here too
        return _Batch(found[:most], "memory") if found else None

    def _missing_lines(self, most: int) -> list[Line]:
        """Lines the server asked for; what this spool does not hold is not looked for again."""
        if not self._missing:
            return []
        found: list[Line] = []
        with contextlib.suppress(OSError):
            for line in read_lines(self._file):
                if line.seq in self._missing and len(found) < most:
                    found.append(line)
        self._sent_again |= self._missing
        self._missing = {line.seq for line in found}
        return found

    def _fresh_lines(self, most: int) -> list[Line]:
        """The next lines; a start travels alone, since its answer decides about the rest."""
        found: list[Line] = []
        size = 0
        with contextlib.suppress(OSError):
            for line in read_lines(self._file, self.ledger.now.offset):
                size += len(line.raw)
                is_start = line.kind == "start"
                if found and (is_start or size > MOST_BYTES or len(found) >= most):
                    break
                found.append(line)
                if is_start:
                    break
        return found

    def _body(self, batch: _Batch) -> bytes:
        raws = [line.raw for line in batch.lines]
        names = self.names
        if names:
            renamed = [under_names(line.event(), names) for line in batch.lines]
            raws = [json.dumps(event, ensure_ascii=False).encode() for event in renamed]
        return b'{"events":[' + b",".join(raws) + b"]}"

    def _judge(self, batch: _Batch, reply: Reply) -> Carried:
        if 200 <= reply.status < 300:
            results = read_results(reply.body, len(batch.lines))
            if results is None:
                return self._later("the answer could not be read")
            return self._taken(batch, results, reply)
        if is_retried(reply.status) or reply.status in NOT_OURS or not 400 <= reply.status < 500:
            strange = "" if is_retried(reply.status) else " (is this the address of a Punktum?)"
            why = f"{reply.problem}{strange}{self._server.reads_again(reply.status)}"
            later = self._later(why, reply.retry_after_s, slowly=bool(strange))
            return replace(later, not_allowed=reply.status in (401, 403))
        if len(batch.lines) > 1:
            self._limit = max(1, len(batch.lines) // 2)
            return Carried()
        return self._taken(batch, [Result(reply.status, reply.body)], reply)

    def _taken(self, batch: _Batch, results: list[Result], reply: Reply) -> Carried:
        """Go through the results in order, up to the first that has to be sent again."""
        done, held = 0, False
        for line, result in zip(batch.lines, results, strict=True):
            if result.retried or held:
                break
            if not result.stored and line.kind == "start" and self._renamed(result):
                return Carried()
            if line.kind == "start" and self._writer is not None and result.meets_another:
                return self._meets_another(result)
            done += 1
            held = not result.stored and self._refused(line, result)
            if result.stored and line.kind == "start":
                self._start_taken(result)
        self._advance(batch, done)
        if any(result.stored for result in results[:done]):
            self._heard(read_answer(reply.body))
        if held:
            self.ledger.save()
            return Carried(sent=done, held=True)
        if done < len(batch.lines):
            again = results[done]
            later = self._later(
                f"an event was put off ({again.status})", again.retry_after_s or reply.retry_after_s
            )
            return replace(later, sent=done, not_allowed=again.status in (401, 403))
        self._failures = 0
        self._limit = min(MOST_EVENTS, self._limit * 2)
        return Carried(sent=done)

    def _meets_another(self, result: Result) -> Carried:
        """The start is put off; who reads of it may have it recorded beside the other one."""
        run = self.names.get("run") or (self._identity.run if self._identity else "")
        beside = reading.text(result.problem.get("next_id")) or next_id(run)
        later = self._later(result.detail.rstrip("."), STILL_ALIVE_S)
        return replace(later, not_allowed=True, beside=beside)

    def _start_taken(self, result: Result) -> None:
        self.was_known, self.was_taken = result.duplicate, True
        if self._identity is None:
            return
        if self._names:
            mark_taken(self._file.parent, self._identity, self._names, result.duplicate)
        settle(self._file.parent, self._identity)

    def _renamed(self, result: Result) -> bool:
        """Whether the refused start is to be sent again, under another id."""
        if self._renaming is None or self._identity is None:
            return False
        refused = self.names.get("run", self._identity.run)
        names = self._renaming.after(refused, result.status, result.problem)
        if names is not None and self._names is not None:
            self._names = {**self._names, **names}
        return names is not None

    @property
    def was_renamed(self) -> bool:
        """Whether the start was refused under one id and sent again under another."""
        return self._renaming is not None and self._renaming.happened

    def _refused(self, line: Line, result: Result) -> bool:
        """Note a refusal; True when it was the start, so that the attempt is held back."""
        self.ledger.note_refused(line, result.status, result.problem)
        self._sent_again.add(line.seq)  # the server will miss it, rightly
        holds = line.kind == "start" and self._identity is not None
        if holds and self._identity is not None:
            self._is_held = not mark_held(self._file.parent, self._identity, result.problem)
        if self._on_refusal is not None:
            self._on_refusal(Refusal(line.kind, line.seq, result.status, result.problem))
        return holds

    def _advance(self, batch: _Batch, done: int) -> None:
        if done == 0:
            return
        lines = batch.lines[:done]
        now = self.ledger.now
        newest = max(now.acked_seq, *(line.seq for line in lines))
        offset = lines[-1].end if batch.origin == "file" else now.offset
        self._missing -= {line.seq for line in lines}
        if batch.origin == "memory" and self._writer is not None:
            self._writer.forget([line.raw for line in lines])
        self.ledger.update(replace(now, offset=offset, acked_seq=newest, trouble=None))

    def _heard(self, answer: Answer) -> None:
        now = self.ledger.now
        gaps = {seq for seq in answer.missing_seq if seq <= now.acked_seq}
        self._missing |= gaps - self._sent_again
        heard = replace(
            now,
            answered_at=instants.now_text(),
            status=answer.status or now.status,
            attempt=answer.attempt or now.attempt,
            window_ends_at=answer.window_ends_at or now.window_ends_at,
        )
        self.ledger.update(heard)
        if self._on_answer is not None:
            self._on_answer(answer)

    def _later(self, why: str, retry_after_s: int | None = None, slowly: bool = False) -> Carried:
        """Wait: what the server asked for, else twice as long each time, with jitter."""
        self._failures += 1
        if retry_after_s is not None:
            wait_s = min(float(retry_after_s), LONGEST_RETRY_AFTER_S)
        else:
            doubled = min(LONGEST_WAIT_S, 0.25 * 2 ** min(self._failures, 10))
            wait_s = (LONGEST_WAIT_S if slowly else doubled) * random.uniform(0.5, 1.0)
        self.ledger.update(replace(self.ledger.now, trouble=why))
        return Carried(wait_s=wait_s, why=why)
