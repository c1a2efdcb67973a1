"""``punktum.run``: record a run from inside the code that trains.

The training thread writes a line and goes on; it waits for no server and sees no exception of
ours but ``StopRun``, raised when a stop was asked for. Under ``punktum run`` the code attaches to
the wrapper's attempt, which then tells of start and end.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Final, Literal

from punktum import talk
from punktum.beats import Beats
from punktum.counts import Given, read_count
from punktum.death import ending_of_exception
from punktum.evaluating import OF_TIME
from punktum.events import Identity, log_tail, plain
from punktum.filling import Filler
from punktum.instants import attempt_began
from punktum.job_settings import settings_for_a_job
from punktum.naming import spool_identity
from punktum.raised import NotRecording, StopRun
from punktum.recorder import Recorder
from punktum.reports import Reports
from punktum.rule_source import RuleSource
from punktum.settings import Settings, SettingsError, read_settings, spool_folder
from punktum.stop_rules import KINDS
from punktum.values import number_of

BEAT_S: Final = 30.0


class Run(Reports):
    """One attempt while it lasts: ``with punktum.run("control") as run: …``.

    ``step`` is the plan's step, ``run`` the run's id (default: proposed from the spool).
    ``params`` (default: the command line), ``config`` (a file), ``corpora`` (name → path) and the
    git revision are the configuration; ``not_config`` names parameters that do not count.
    ``output`` is the folder that holds ``.punktum/spool``; ``beat_s`` seconds lie between beats.
    ``links`` names pages of the run, such as its tracker's; the start tells of them.
    ``takeover`` supersedes an attempt that still seems alive. ``resumed_at`` says how many steps a
    loaded checkpoint holds. With ``raise_on_stop`` False look at ``stop_requested`` yourself.
    ``strict`` raises NotRecording on entering when the server does not take the start within 5 s.

    Every method may be called at any time; none raises but for a stop that was asked for.
    """

    current: ClassVar[Run | None] = None
    """The run whose block this process is in: callbacks of trainers report to it."""

    def __init__(
        self,
        step: str,
        *,
        run: str | None = None,
        params: Mapping[str, object] | None = None,
        config: str | os.PathLike[str] | None = None,
        corpora: Mapping[str, str | os.PathLike[str]] | None = None,
        output: str | os.PathLike[str] | None = None,
        beat_s: float = BEAT_S,
        not_config: Iterable[str] = (),
        url: str | None = None,
        token_file: str | None = None,
        takeover: bool = False,
        raise_on_stop: bool = True,
        strict: bool = False,
        resumed_at: int | None = None,
        links: Mapping[str, str] | None = None,
    ) -> None:
        attempt = os.environ.get("PUNKTUM_ATTEMPT_ID")
        self._attached = bool(attempt and os.environ.get("PUNKTUM_RUN_ID"))
        beats = Beats(_beat_s(beat_s), idle_beats=not self._attached)
        super().__init__(str(step), beats, raise_on_stop)
        self._named = run or os.environ.get("PUNKTUM_RUN_ID") or None
        self._id = self._named or self.step
        self._params = params
        self._config = config
        self._corpora = corpora or {}
        self._not_config = tuple(not_config or ())
        self._output = output
        self._url, self._token_file = url, token_file
        self._takeover, self._strict = takeover, strict
        self._resumed_at = _steps(resumed_at)
        self._links = links
        self._filler: Filler | None = None
        self.is_sent = False
        """Whether the server has all of it; known after the end."""
        planned = os.environ.get("PUNKTUM_STEP") if self._attached else None
        kinds = frozenset(KINDS) - OF_TIME if self._attached else KINDS  # the wrapper has a clock
        self._rules = RuleSource(planned or self.step, self._beats.use_rules, kinds)

    @property
    def id(self) -> str:
        """The run's id; a proposed one that is taken gives way to the next free one."""
        return self._recorder.run if self._recorder else self._id

    @property
    def attempt_id(self) -> str | None:
        """The attempt's random id; None when nothing is recorded."""
        return self._recorder.identity.attempt_id if self._recorder else None

    @property
    def spool_file(self) -> Path | None:
        """The spool file written; None when nothing is recorded."""
        return self._recorder.spool_file if self._recorder else None

    @property
    def was_refused(self) -> bool:
        """Whether the server, or the token, did not let the run start."""
        return self._recorder is not None and self._recorder.start_news.word == "refused"

    def __enter__(self) -> Run:
        self._entered = True
        Run.current = self
        try:
            self._begin()
        except NotRecording:
            raise
        except Exception as error:
            self._recorder = None
            if self._strict:
                raise NotRecording(str(error)) from error
            talk.say(f"NOT RECORDING: {type(error).__name__}: {error}. Training goes on")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        Run.current = None if Run.current is self else Run.current
        self._guarded(lambda: self._finish(error))
        return False

    # -- beginning ----------------------------------------------------------------------------

    def _begin(self) -> None:
        if os.environ.get("RANK", "0") not in ("", "0") or self._check is not None:
            return  # only the first process of a group reports; a restore check takes the values
        settings = self._settings()
        folder = spool_folder(self._output)
        if self._attached:
            self._attach(folder, settings)
        else:
            self._start(folder, settings)

    def _settings(self) -> Settings:
        if not self._strict:
            return settings_for_a_job(self._url, self._token_file)
        try:
            return read_settings(self._url, self._token_file)
        except SettingsError as error:
            raise NotRecording(str(error)) from None

    def _attach(self, folder: Path, settings: Settings) -> None:
        named, self._id = self._named, os.environ["PUNKTUM_RUN_ID"]
        if named != self._id:
            talk.say(f"run {named} is recorded as {self._id}, as the wrapper says")
        identity = spool_identity(folder, self._id, os.environ["PUNKTUM_ATTEMPT_ID"])
        recorder = self._record(folder, identity, settings)
        if self._resumed_at is not None:
            recorder.emit("beat", self._beats.standing())
        if self._links:
            talk.say("links are told by the start: give them as punktum run --link NAME=URL")
        recorder.open()

    def _start(self, folder: Path, settings: Settings) -> None:
        from punktum.arguments import own_params
        from punktum.starting import begin_attempt, gather_configuration, write_start

        found = gather_configuration(
            own_params() if self._params is None else self._params,
            config=self._config,
            corpora=self._corpora,
            not_config=self._not_config,
        )
        start = begin_attempt(
            folder, self.step, found, named=self._named, takeover=self._takeover, links=self._links
        )
        self._id = start.run
        self._filler = Filler(Path(self._output or "."), folder, start.attempt_id)
        recorder = self._record(folder, Identity(start.run, start.attempt_id), settings)
        write_start(recorder, start, self._beats.expect_next_s, self._resumed_at)
        recorder.open()
        if settings.url is None:
            talk.say(recorder.without_server)
        if self._strict:
            self._insist(recorder)

    def _record(self, folder: Path, identity: Identity, settings: Settings) -> Recorder:
        recorder = Recorder(
            folder,
            identity,
            settings,
            began=attempt_began() if self._attached else None,
            on_tick=self._tick,
            on_answer=self._rules.hear,
            inside=self._attached,
        )
        self._beats.attach(recorder)
        if self._resumed_at is not None:
            self._beats.resume(self._resumed_at)
        self._recorder = recorder
        self._rules.look_at_sheet(folder)
        self._look_for_rules()
        return recorder

    def _insist(self, recorder: Recorder) -> None:
        news = recorder.await_start()
        if news.word == "recorded":
            return
        ending = {"reason_code": "infra", "reason_text": plain(f"not started: {news.text}")}
        recorder.emit("fail", ending)
        recorder.close()
        self._recorder = None
        offer = f" (next id: {news.next_id})" if news.next_id else ""
        raise NotRecording(f"{news.text}{offer}")

    # -- going on -----------------------------------------------------------------------------

    def _tick(self) -> None:
        """From the keeper."""
        self._look_for_rules()
        self._beats.tick()
        if self._filler is not None:
            self._filler.tick()

    def _look_for_rules(self) -> None:
        """Under a wrapper the sealed rules come by the mark it leaves."""
        if self._attached and self._recorder is not None:
            self._rules.look_for_mark(self._recorder.folder, self._recorder.identity)

    # -- ending -------------------------------------------------------------------------------

    def _finish(self, error: BaseException | None) -> None:
        recorder = self._recorder
        if recorder is None:
            return
        self._beats.flush()
        if not self._attached:
            self._end(recorder, error)
        all_sent = recorder.close()
        self.is_sent = all_sent
        if self._filler is not None:
            self._filler.fill()
        waits = not all_sent and (recorder.settings.url is not None or recorder.is_losing)
        if waits and not self._attached:
            talk.say(f"{recorder.run} ended; {recorder.way_to_send}")

    def _end(self, recorder: Recorder, error: BaseException | None) -> None:
        stop = self.stop_requested
        ending = ending_of_exception(error, stop)
        fields = {**self._beats.last_fields(), **ending.fields()}
        if error is not None and not isinstance(error, (StopRun, SystemExit)):
            import traceback

            trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
            fields["log_tail"] = log_tail(trace.encode("utf-8", "replace"))
        recorder.emit(ending.kind, fields)


def _steps(resumed_at: object) -> int | None:
    """A number of steps; what is none is told, for no training stops for that."""
    given: Given[int] = Given(None) if resumed_at is None else read_count(resumed_at)
    if given.wrong is not None:
        talk.say(f"resumed_at: {given.wrong}")
    return given.kept


def _beat_s(beat_s: object) -> float:
    """Seconds between beats; what cannot be is told."""
    number = number_of(beat_s)
    if number is not None and 0 <= number < 86_400:
        return number
    talk.say(f"beat_s {beat_s!r} is not between 0 and 86400 seconds; {BEAT_S:.0f} is taken")
    return BEAT_S


run = Run
"""``punktum.run``: the same class under the name people type."""
