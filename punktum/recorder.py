"""Records one source of one attempt: spool, heartbeat, sender, and what the server answered.

Shared by ``punktum.run`` and the wrapper. Calls from the training thread write one line and
return; two background threads do the rest: the keeper (syncs the spool at least once a second,
beats, reads marks, speaks) and the sender. Nothing here raises into the caller.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from punktum import instants, talk
from punktum.answers import Answer, StartNews
from punktum.calling import line
from punktum.carried import Carried
from punktum.delivery import Delivery
from punktum.events import Identity
from punktum.hearing import Hearing
from punktum.ledger import Ledger, note_left_out
from punktum.limits import Bound, read_limit
from punktum.losing import kept_in_memory, lost, note_place
from punktum.marks import StopRequest, mark_stop, marked_held, marked_named, marked_stop
from punktum.sender import Sender
from punktum.server import Server
from punktum.settings import Settings
from punktum.sheet import campaigns_differ, fetch_sheet, sheet_in
from punktum.spool import SpoolWriter

TICK_S: Final = 0.5
NOTE_EVERY_S: Final = 10.0
START_WAIT_S: Final = 5.0
CLOSE_WAIT_S: Final = 4.5


class Recorder:
    """One source's record. ``began`` is a reading of ``time.monotonic`` shared by the attempt;
    ``inside`` says that a wrapper around it speaks for the attempt."""

    def __init__(
        self,
        folder: Path,
        identity: Identity,
        settings: Settings,
        *,
        began: float | None = None,
        on_tick: Callable[[], None] | None = None,
        on_answer: Callable[[Answer], None] | None = None,
        anyway: str = "Training goes on",
        inside: bool = False,
    ) -> None:
        self.folder = folder
        self.settings = settings
        self._began = time.monotonic() if began is None else began
        self._on_tick = on_tick
        self._inside = inside
        self._anyway = anyway
        self._pid = os.getpid()
        self._to_say: deque[str] = deque()
        self._said: set[str] = set()
        self._stop: StopRequest | None = None
        self._ended = threading.Event()
        self._left_out = 0
        self._noted_at = 0.0
        self._writer = SpoolWriter(folder, identity, self._bound(), holds_room=not inside)
        self.identity = self._writer.identity
        note_place(self._writer)
        self._hearing = Hearing(
            folder,
            self.identity,
            self.say_once,
            anyway=anyway,
            inside=inside,
            on_stop=self.request_stop,
            on_answer=on_answer,
        )
        self._server = Server(settings) if settings.url else None
        self._sender = self._new_sender()
        self._keeper = threading.Thread(target=self._keep, name="punktum-keeper", daemon=True)

    def _bound(self) -> Bound:
        limit, wrong = read_limit(os.environ)
        if wrong:
            self.say(wrong)
        return Bound(limit)

    def _new_sender(self) -> Sender | None:
        if self._server is None:
            return None
        delivery = Delivery(
            self._server,
            self._writer.path,
            identity=self.identity,
            writer=self._writer,
            ledger=Ledger(self._writer.path),
            on_answer=self._heard,
            on_refusal=self._hearing.refusal,
        )
        self._ledger = delivery.ledger
        return Sender(delivery, self._writer.sync, self._carried)

    def open(self) -> None:
        """Start the background threads."""
        self._keeper.start()
        if self._sender is not None:
            self._sender.start()

    @property
    def is_copy(self) -> bool:
        """Whether this is a forked copy of the process that records: then it stays silent."""
        return os.getpid() != self._pid

    @property
    def run(self) -> str:
        """The id under which the attempt is recorded, as far as it is known by now."""
        return marked_named(self.folder, self.identity).get("run", self.identity.run)

    @property
    def elapsed_s(self) -> int:
        """Whole seconds since the attempt began."""
        return max(0, int(time.monotonic() - self._began))

    @property
    def spool_file(self) -> Path:
        """The spool file written."""
        return self._writer.path

    def emit(self, kind: str, fields: Mapping[str, object], elapsed_s: int | None = None) -> None:
        """Write one event and let the sender know. Absent (None) fields are left out."""
        if self.is_copy:
            return
        event: dict[str, object] = {
            "kind": kind,
            "at": instants.now_text(),
            "elapsed_s": self.elapsed_s if elapsed_s is None else elapsed_s,
        }
        event.update({name: value for name, value in fields.items() if value is not None})
        self._writer.append(event)
        if self._writer.trouble:
            self.say_once("disk", kept_in_memory(self._writer))
        if self._writer.bound.left_out:
            self.say_once("limit", f"{self._writer.path.name}: {self._writer.bound.beyond}")
        if self._sender is not None:
            self._sender.wake()

    def say(self, text: str) -> None:
        """Have the keeper say something, so that a blocked terminal blocks nobody."""
        self._to_say.append(text)

    def say_once(self, key: str, text: str) -> None:
        """Say something the first time only."""
        if key not in self._said:
            self._said.add(key)
            self.say(text)

    @property
    def stop_requested(self) -> StopRequest | None:
        """The stop asked for: by the server, on the box, or in a process beside this one."""
        return self._stop

    def request_stop(self, stop: StopRequest) -> None:
        """Note a stop; the first one stays. Other processes of the attempt learn of it."""
        if self._stop is not None or self.is_copy:
            return
        self._stop = stop
        mark_stop(self.folder, self.identity, stop)
        self.say(f"stop asked for by {stop.by}: {stop.text}")

    def learn_of_stop(self) -> StopRequest | None:
        """The stop asked for, also by a mark that was left this very moment."""
        self._look_for_marks()
        return self._stop

    @property
    def newest(self) -> Answer:
        """The server's newest answer."""
        return self._hearing.newest

    @property
    def now_s(self) -> float:
        """Seconds since 1970 by the server's clock, as far as it was heard; else by this one's."""
        return time.time() + self._hearing.clock_off_s

    @property
    def start_news(self) -> StartNews:
        """What is known about the start by now."""
        return self._hearing.start_news

    def await_start(self, timeout_s: float = START_WAIT_S) -> StartNews:
        """Wait for the first word about the start, at most ``timeout_s`` seconds."""
        if self._sender is None:
            return StartNews("unreachable", "no PUNKTUM_URL")
        self._hearing.started.wait(timeout_s)
        if self.start_news.word == "unknown":
            return StartNews("unreachable", f"{self.settings.url} does not answer")
        return self.start_news

    def start_is_taken(self, timeout_s: float) -> bool:
        """Whether the server has the start, after a last try of at most ``timeout_s`` seconds."""
        if self._sender is not None and self.start_news.word in ("unknown", "unreachable"):
            self._sender.drain(timeout_s)
        return self.start_news.word == "recorded"

    def close(self, timeout_s: float = CLOSE_WAIT_S) -> bool:
        """Send what is left, at most ``timeout_s`` seconds; True when the server has everything."""
        if self.is_copy:
            return False
        if self._inside and self._writer.bound.left_out:
            self.emit("beat", {"note": self._writer.bound.note})  # no end of its own says so
        self._writer.sync()
        all_sent = self._sender.drain(timeout_s) if self._sender is not None else False
        self._ended.set()
        self._keeper.join(timeout=TICK_S)
        self._note_left_out()
        if self._sender is not None:
            self._sender.end()
            self._ledger.save()
            self._hearing.close()
        self.speak()
        self._writer.close()
        is_held = marked_held(self.folder, self.identity) is not None
        is_refused = self.start_news.word == "refused"
        return all_sent and not (is_held or is_refused or self._writer.in_memory)

    @property
    def is_losing(self) -> bool:
        """Whether there are events that neither the disk nor the server has."""
        return bool(self._writer.in_memory)

    @property
    def without_server(self) -> str:
        """What to say at the start where there is no server."""
        why = self._anyway if self.settings.is_wrong else "no PUNKTUM_URL"
        if self.is_losing:
            return f"{why}: nothing is recorded of {self.run}"
        way = line("replay", self.folder)
        return f"{why}: events of {self.run} are kept; send them later with: {way}"

    @property
    def way_to_send(self) -> str:
        """What to do about the events that the server does not have, once this is closed."""
        if self._writer.in_memory:
            return lost(self._writer)
        held, next_id = self.start_news.word == "refused", self.start_news.next_id
        under = ("--run", next_id) if held and next_id else ()
        return f"events wait; send them with: {line('replay', self.folder, *under)}"

    # -- keeper thread ------------------------------------------------------------------------

    def _keep(self) -> None:
        while not self._ended.wait(TICK_S):
            try:
                self._writer.sync()
                self._look_for_marks()
                self._note_left_out()
                if self._on_tick is not None:
                    self._on_tick()
                self.speak()
            except Exception as error:  # the thread must live
                talk.say(f"{type(error).__name__} while keeping the record: {error}")

    def _note_left_out(self) -> None:
        """Keep for ``punktum status`` how many beats the limit left out."""
        left_out = self._writer.bound.left_out
        is_time = time.monotonic() - self._noted_at >= NOTE_EVERY_S
        if left_out != self._left_out and (is_time or self._ended.is_set()):
            self._left_out, self._noted_at = left_out, time.monotonic()
            note_left_out(self._writer.path, left_out)

    def _look_for_marks(self) -> None:
        if self._stop is None:
            self._stop = marked_stop(self.folder, self.identity)

    def speak(self) -> None:
        """Say what was left to be said."""
        while self._to_say:
            talk.say(self._to_say.popleft())

    # -- sender thread ------------------------------------------------------------------------

    def _heard(self, answer: Answer) -> None:
        self._hearing.answer(answer)
        if answer.rules is not None and self._server is not None:
            sheet = sheet_in(fetch_sheet(self._server, self.folder))
            differ = campaigns_differ(self.folder, sheet) if sheet is not None else None
            if differ is not None and not self._inside:
                self.say_once("campaign", f"{differ}, where this run is recorded")

    def _carried(self, carried: Carried) -> None:
        said = self._hearing.carried(carried)
        if said is not None:
            self.say(said)
