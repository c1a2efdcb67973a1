"""What the server said of one source: about its start, its run id, a stop, and what it refuses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from punktum import instants
from punktum.answers import Answer, StartNews
from punktum.calling import line, takeover_option
from punktum.carried import Carried, Refusal
from punktum.events import Identity
from punktum.heads import HeadWitness
from punktum.marks import StopRequest, mark_rules, marked_named, waiting_place
from punktum.spool import file_name
from punktum.stop_rules import as_dict

SayOnce = Callable[[str, str], None]
AWAY: Final = "away"
TURNED_AWAY: Final = "turned away"


class Hearing:
    """Called by the sender's thread with every answer; read by the others.

    ``anyway`` is what is said beside a refused start; ``inside`` says that a wrapper around this
    one speaks for the attempt.
    """

    def __init__(
        self,
        folder: Path,
        identity: Identity,
        say_once: SayOnce,
        *,
        anyway: str,
        inside: bool,
        on_stop: Callable[[StopRequest], None],
        on_answer: Callable[[Answer], None] | None,
    ) -> None:
        self._folder = folder
        self._identity = identity
        self._say_once = say_once
        self._anyway = anyway
        self._inside = inside
        self._on_stop = on_stop
        self._on_answer = on_answer
        self._heads = HeadWitness(folder)
        self.newest = Answer()
        self.started = threading.Event()
        self.start_news = StartNews()
        self.trouble: str | None = None
        """Why nothing is taken for now: ``away``, or ``turned away`` by a server that is there."""
        self.clock_off_s = 0.0
        """What to add to this machine's clock for the server's, as far as it was heard."""

    def answer(self, answer: Answer) -> None:
        """An answer to events that were taken."""
        self.newest = answer
        told = instants.epoch_s(answer.server_time) if answer.server_time else None
        if told is not None:
            self.clock_off_s = told - time.time()
        for warning in answer.warnings:
            self._say_once(f"warning {warning}", warning)
        if answer.stop_requested is not None:
            self._on_stop(answer.stop_requested)
        if self._on_answer is not None:
            self._on_answer(answer)
        self._heads.note(answer.head)
        if answer.rules is not None:
            rules = {"rules": [as_dict(rule) for rule in answer.rules]}
            mark_rules(self._folder, self._identity, {**rules, "metric_names": answer.metric_names})
        if not self._inside:
            self._tell_standing(answer)
        if self.start_news.word != "recorded":
            self.start_news = StartNews("recorded")
            self.started.set()

    def _tell_standing(self, answer: Answer) -> None:
        """Say once under which other id this is recorded, and once that it counts no more."""
        proposed = self._identity.run
        run = marked_named(self._folder, self._identity).get("run", proposed)
        if run != proposed:
            self._say_once("renamed", f"{proposed} is taken: this run is recorded as {run}")
        if answer.superseded_by is not None:
            over = f"attempt {answer.superseded_by} of {run} took over from this one"
            kept = f"its events are kept as evidence of attempt {answer.attempt}"
            self._say_once("superseded", f"{over}. It goes on, and {kept}")

    def refusal(self, refusal: Refusal) -> None:
        """A line that the server refused."""
        detail = str(refusal.problem.get("detail") or refusal.problem.get("title") or "")
        reason = detail or f"the server answered {refusal.status}"
        if refusal.kind != "start":
            self._say_once(f"refused {refusal.status}", f"refused, kept in the spool: {reason}")
            return
        next_id = refusal.problem.get("next_id")
        news = StartNews("refused", reason, next_id if isinstance(next_id, str) else None)
        self.start_news = news
        said = f"NOT RECORDING: {reason.rstrip('.')}{news.offer}. {self._anyway}"
        place = waiting_place(self._folder, self._identity)
        self._say_once(f"refused start: {reason}", f"{said}; events stay {place}")
        self.started.set()

    def carried(self, carried: Carried) -> str | None:
        """What came of one sending; what to say of it."""
        if carried.wait_s is None:
            return self._taken_again(carried)
        said, trouble = None, TURNED_AWAY if carried.not_allowed else AWAY
        if trouble != self.trouble:
            self.trouble = trouble
            word = f"NOT RECORDING: {carried.why}" if carried.not_allowed else carried.why
            place = waiting_place(self._folder, self._identity)
            said = f"{word}; events wait {place}{self._ways_on(carried.beside)}"
        if not self.started.is_set():
            word = "refused" if carried.not_allowed else "unreachable"
            self.start_news = StartNews(word, carried.why)
            self.started.set()
        return said

    def _taken_again(self, carried: Carried) -> str | None:
        """What to say where something was taken after a while; a refusal was told already."""
        before = self.trouble
        if before is None or not carried.sent:
            return None
        self.trouble = None
        if carried.held:
            return None
        run = marked_named(self._folder, self._identity).get("run", self._identity.run)
        what = "the server answers again" if before == AWAY else f"{run} is recorded now"
        return f"{what}; what waited is being sent"

    def _ways_on(self, beside: str | None) -> str:
        """What a person can do where another attempt of the run still reports."""
        if beside is None:
            return ""
        file = self._folder / file_name(self._identity)
        takeover = takeover_option()
        if not file.exists():
            ways = [f"--run {beside}", *([takeover] if takeover else [])]
            return f". Start it again with {' or '.join(ways)}"
        said = f". To record it as another run: {line('replay', file, '--run', beside)}"
        if takeover is None:
            return said
        return f"{said}. To take over: end this one and start it again with {takeover}"

    def close(self) -> None:
        """Keep the newest head that was seen."""
        self._heads.note(self.newest.head, at_once=True)
