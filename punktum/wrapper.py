"""``punktum run``: start a command, record its life and death, and never get in its way.

The command runs in a session of its own. TERM, INT and USR1 are passed on; a HUP from a lost
terminal is noted and the run goes on, or is passed on where that was wished. When a stop was asked
for, code inside that listens gets a grace to leave by itself, then TERM, a grace, and KILL. The
rules that time decides are judged here, whatever the command is.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Final

from punktum import talk
from punktum.answers import StartNews
from punktum.arguments import params_from_command, shown_command
from punktum.beats import Beats
from punktum.child import environment_of, signal_group, start_child
from punktum.death import Ending, ending_of_process, shell_exit_code
from punktum.detaching import HINT, Tell, needs_hint
from punktum.evaluating import OF_TIME
from punktum.events import Identity, last_line, log_tail, plain
from punktum.filling import Filler
from punktum.machine import memory_kills
from punktum.marks import waiting_place
from punktum.on_end import tell_owner
from punktum.pressure import Pressure
from punktum.recorder import CLOSE_WAIT_S, START_WAIT_S, Recorder
from punktum.rule_source import RuleSource
from punktum.server import Server
from punktum.settings import Settings, spool_folder
from punktum.siblings import deliver_siblings, is_listened_to, last_measured
from punktum.signals import SignalInbox
from punktum.starting import begin_attempt, gather_configuration, write_start
from punktum.tee import Tee, start_tee
from punktum.wish import Wish

TICK_S: Final = 0.2
HEARD: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP, signal.SIGCHLD)
NOT_FOUND, NOT_EXECUTABLE = 127, 126
GONE: Final = "terminal gone, the run continues"
GONE_PASSED_ON: Final = "terminal gone, passed on to the job as wished"


class WrappedRun:
    """One command under the wrapper."""

    def __init__(self, wish: Wish, settings: Settings, tell: Tell | None = None) -> None:
        """``tell`` hears the run id once the command runs, or the exit code where it never does."""
        self._wish = wish
        self._settings = settings
        self._tell = tell
        self._folder = Path(os.path.abspath(spool_folder(wish.output)))
        self._began = time.monotonic()
        self._beats = Beats(wish.beat_s, idle_beats=True)
        self._rules = RuleSource(wish.step, self._beats.use_rules, OF_TIME)
        self._tee: Tee | None = None
        self._recorder: Recorder | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._forwarded: list[int] = []
        self._pressure: Pressure | None = None
        self._told_how_to_end = False
        self._filler: Filler | None = None

    def run(self) -> int:
        """Do it all; the exit code is the command's."""
        if not self._wish.forward_hup and needs_hint(os.environ):
            talk.say(HINT)
        with contextlib.suppress(OSError):
            self._tee = start_tee()
        inbox = SignalInbox(HEARD)
        kills_before = memory_kills() or 0
        try:
            news = self._begin(inbox)
        except Exception as error:
            talk.say(f"NOT RECORDING: {type(error).__name__}: {error}. Training starts anyway")
            news = StartNews("refused", str(error))
        ended = self._start(news)
        if self._tell is not None:
            self._tell(self._recorder.run if self._recorder else None, ended)
        if ended is not None or self._child is None:
            return ended or 0
        returncode = self._attend(inbox, self._child)
        return self._finish(returncode, (memory_kills() or 0) - kills_before)

    def _start(self, news: StartNews) -> int | None:
        """Start the command; the exit code where that is not to be, or cannot be."""
        if self._wish.strict and news.word != "recorded":
            return self._decline(news)
        if self._forwarded:
            return self._never_started()
        try:
            self._child = start_child(self._wish.command, self._tee, self._environment())
        except OSError as error:
            return self._cannot_start(error)
        return None

    # -- beginning ----------------------------------------------------------------------------

    def _begin(self, inbox: SignalInbox) -> StartNews:
        wish = self._wish
        found = gather_configuration(
            {**params_from_command(wish.command), **wish.params},
            config=wish.config,
            corpora=wish.corpora,
            not_config=wish.not_config,
        )
        start = begin_attempt(
            self._folder,
            wish.step,
            found,
            named=wish.run,
            takeover=wish.takeover,
            command=shown_command(wish.command),
            links=wish.links,
        )
        output = Path(wish.output or ".")
        self._filler = Filler(output, self._folder, start.attempt_id)
        recorder = Recorder(
            self._folder,
            Identity(start.run, start.attempt_id, "wrapper"),
            self._settings,
            began=self._began,
            on_tick=self._tick,
            on_answer=self._rules.hear,
            anyway="Training starts anyway",
        )
        self._beats.attach(recorder)
        self._rules.look_at_sheet(self._folder)
        write_start(recorder, start, self._beats.expect_next_s)
        recorder.open()
        self._recorder = recorder
        news = self._await_start(recorder, inbox)
        recorder.speak()
        self._announce(recorder, news)
        return news

    def _await_start(self, recorder: Recorder, inbox: SignalInbox) -> StartNews:
        """At most 5 s, and not deaf to signals meanwhile."""
        ends = time.monotonic() + START_WAIT_S
        while self._settings.url is not None and time.monotonic() < ends and not self._forwarded:
            news = recorder.await_start(0.05)
            if recorder.start_news.word != "unknown":
                return news
            self._take(inbox.wait(0))
        return recorder.await_start(0)

    def _announce(self, recorder: Recorder, news: StartNews) -> None:
        run, url = recorder.run, self._settings.url
        if url is None:
            talk.say(recorder.without_server)
        elif news.word == "recorded":
            attempt = recorder.newest.attempt
            which = f", attempt {attempt}" if attempt is not None else ""
            talk.say(f"recording {run}{which} at {url}")
        elif recorder.start_news.word == "unknown":
            place = waiting_place(self._folder, recorder.identity)
            talk.say(f"{news.text}; events of {run} wait {place}")

    def _environment(self) -> dict[str, str]:
        return environment_of(
            self._recorder, self._wish.step, self._settings, self._folder, self._began
        )

    # -- going on -----------------------------------------------------------------------------

    def _tick(self) -> None:
        """From the keeper."""
        self._beats.tick()
        if self._filler is not None:
            self._filler.tick()

    def _attend(self, inbox: SignalInbox, child: subprocess.Popen[bytes]) -> int:
        """Until the child's end: pass signals on, and press when a stop was asked for."""
        while True:
            self._take(inbox.wait(TICK_S))
            returncode = child.poll()
            if returncode is not None:
                return returncode
            self._press()

    def _take(self, signals: list[int]) -> None:
        child = self._child
        for number in signals:
            if number == signal.SIGHUP:
                self._note(GONE_PASSED_ON if self._wish.forward_hup else GONE)
            if number in self._passed_on:
                if child is None or child.poll() is None:
                    if child is not None and number in self._forwarded:
                        self._say_how_to_end(child)
                    self._forwarded.append(number)
                    signal_group(child, number)
            elif number == signal.SIGUSR1 and child is not None and child.poll() is None:
                child.send_signal(number)

    def _say_how_to_end(self, child: subprocess.Popen[bytes]) -> None:
        """Once, to who asks again: the command hears the signal and goes on."""
        if not self._told_how_to_end:
            self._told_how_to_end = True
            talk.say(f"the command was told and goes on; at once: kill -KILL -{child.pid}")

    @property
    def _passed_on(self) -> tuple[int, ...]:
        """Signals that ask the command to end."""
        hup = (signal.SIGHUP,) if self._wish.forward_hup else ()
        return (signal.SIGTERM, signal.SIGINT, *hup)

    def _press(self) -> None:
        recorder = self._recorder
        if recorder is None or recorder.stop_requested is None:
            return
        if self._pressure is None:
            listens = is_listened_to(self._folder, recorder.identity)
            self._pressure = Pressure(time.monotonic(), self._wish.grace_s, listens)
        number = self._pressure.due(time.monotonic())
        if number is not None:
            signal_group(self._child, number)

    def _note(self, text: str) -> None:
        if self._recorder is not None:
            promise = self._beats.expect_next_s
            self._recorder.emit("beat", {"note": text, "expect_next_s": promise})

    # -- ending -------------------------------------------------------------------------------

    def _finish(self, returncode: int, kills: int) -> int:
        raw = self._tee.tail() if self._tee is not None else b""
        talk.on_a_new_line(raw)
        tail = log_tail(raw)
        stop = self._recorder.learn_of_stop() if self._recorder else None
        if stop is not None:
            signal_group(self._child, signal.SIGKILL)
        ending = ending_of_process(
            returncode,
            forwarded=tuple(self._forwarded),
            stop=stop,
            last_line=last_line(tail),
            memory_kills=kills,
        )
        self._record_end(ending, tail)
        if self._wish.on_end is not None:
            code = shell_exit_code(returncode)
            tell_owner(self._wish.on_end, ending, code, self._environment())
        return shell_exit_code(returncode)

    def _record_end(self, ending: Ending, tail: str) -> None:
        recorder = self._recorder
        if recorder is None:
            return
        identity = recorder.identity
        if recorder.start_is_taken(5.0 - CLOSE_WAIT_S):
            server = Server(self._settings, timeout_s=CLOSE_WAIT_S / 2)
            deliver_siblings(server, self._folder, identity, CLOSE_WAIT_S / 2)
            server.close()
        self._beats.flush()
        measured = last_measured(self._folder, identity)
        said = {**self._beats.last_fields(), **measured, **ending.fields()}
        recorder.emit(ending.kind, {**said, "log_tail": tail or None})
        all_sent = recorder.close(CLOSE_WAIT_S / 2)
        if self._filler is not None:
            self._filler.fill()
        reason = f" ({ending.reason_text})" if ending.reason_text else ""
        waits = not all_sent and (self._settings.url is not None or recorder.is_losing)
        where = f"; {recorder.way_to_send}" if waits else ""
        talk.say(f"{recorder.run} {ending.outcome}{reason}{where}")

    def _decline(self, news: StartNews) -> int:
        """``--strict`` and not recorded: the training does not start."""
        if self._recorder is None:
            talk.say(f"not started (--strict): {news.text}")
        ending = Ending("fail", "infra", plain(f"not started (--strict): {news.text}"))
        self._record_end(ending, "")
        return 5 if news.word == "unreachable" else 1

    def _never_started(self) -> int:
        """A signal came before the command was started."""
        number = self._forwarded[0]
        returncode = -number
        ending = ending_of_process(returncode, forwarded=(number,))
        self._record_end(ending, "")
        return shell_exit_code(returncode)

    def _cannot_start(self, error: OSError) -> int:
        code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
        text = f"{self._wish.command[0]}: {error.strerror}"
        if self._recorder is None:
            talk.say(text)
        self._record_end(Ending("fail", "code_error", plain(text), exit_code=code), "")
        return code
