"""What a job reports of itself while it lasts, and how it hears of a stop."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any, Final, TypeVar

from punktum import talk
from punktum.beats import Beats
from punktum.check_values import CheckValues
from punktum.checkpoints import STATES, checkpoint_fields, restore_fields
from punktum.counts import NAME_LENGTH, Given, read_count, read_part, read_seconds
from punktum.events import plain
from punktum.marks import StopRequest
from punktum.raised import StopRun
from punktum.recorder import Recorder

Item = TypeVar("Item")
Number = TypeVar("Number", int, float)


READ_OF_A_RESTORE: Final[Mapping[str, Callable[[object], Given[Any]]]] = {
    "save_s": read_seconds, "restore_s": read_seconds, "size": read_count, "steps": read_count,
}  # fmt: skip


class Reports:
    """The calls of a training; none raises but for a stop that was asked for."""

    def __init__(self, step: str, beats: Beats, raise_on_stop: bool) -> None:
        self.step = step
        self._beats = beats
        self._raise_on_stop = raise_on_stop
        self._recorder: Recorder | None = None
        self._entered = False
        self._own_stop: StopRequest | None = None
        self._check = CheckValues.of_environment(os.environ)

    @property
    def stop_requested(self) -> StopRequest | None:
        """The stop that was asked for (``.rule``, ``.text``), None while the run may go on."""
        asked = self._recorder.stop_requested if self._recorder else None
        return asked or self._own_stop

    def progress(self, step: int, total: int | None = None) -> None:
        """Say how far the job is, in steps of its own. Raises StopRun when a stop was asked for."""
        self._guarded(lambda: self._report_progress(step, total))
        self._raise_if_wanted()

    def metric(self, name: str, value: object) -> None:
        """Report one value. Raises StopRun when a stop was asked for, also by this very value."""
        self.metrics({name: value})

    def metrics(self, values: Mapping[str, object]) -> None:
        """Report several values of one moment. Raises StopRun when a stop was asked for."""
        if self._check is not None:
            self._check.values(values)
        self._guarded(lambda: self._beats.measure(values))
        self._raise_if_wanted()

    def track(self, items: Iterable[Item], total: int | None = None) -> Iterator[Item]:
        """Pass the items on and report progress: one step for each that was worked on.

        It counts on from the progress so far. ``total`` is that of the whole run (default: what the
        length of ``items`` comes to). Raises StopRun between two items when a stop was asked for.
        """
        done = self._beats.progress or 0
        if total is None:
            total = _total(items, done)
        self._raise_if_wanted()
        for item in items:
            yield item
            done += 1
            self.progress(done, total)

    def input_truncated(self, name: str, n: int, of: int | None = None) -> None:
        """Report that ``n`` of ``of`` further inputs of a name were cut short (default: all ``n``).

        The counts add up over the run. Raises StopRun when a stop was asked for, also by these.
        """
        self._guarded(lambda: self._count_inputs(str(name), n, of))
        self._raise_if_wanted()

    def checkpoint(
        self,
        path: str | os.PathLike[str],
        size: int | None = None,
        *,
        states: Sequence[str] = (),
        write_s: float | None = None,
    ) -> None:
        """Report a saved checkpoint: ``size`` in bytes (default: the file's), ``write_s`` seconds.

        ``states`` names what it holds: parameters, optimizer, scheduler, scaler, random,
        data_position, progress. The line is on the disk when this returns.
        """
        size_kept = self._kept("size of a checkpoint", read_count, size)
        write_kept = self._kept("write_s of a checkpoint", read_seconds, write_s)
        named = (states,) if isinstance(states, str) else states
        if self._check is not None:
            self._check.checkpoint(path, size_kept, named, write_kept)
        self._guarded(lambda: self._report_checkpoint(Path(path), size_kept, named, write_kept))

    def restore_check(self, passed: bool, **result: object) -> None:
        """Report the result of a restore check: saved, loaded in a new process, compared.

        ``result``: ``reason``, ``save_s``, ``restore_s``, ``size`` in bytes, ``states``,
        ``compared`` (the metric), ``steps`` that were compared, ``expected`` and ``found`` (values
        as text), ``path``. Others are left out. ``punktum restore-check`` does it all by itself.
        """
        self._guarded(lambda: self._report_restore(passed, result))

    def judged(self, rule: str, seen: object = None) -> None:
        """Say that a custom rule was looked at and does not fire, and what was seen.

        A rule of the plan that nobody ever judged is an open point at the close.
        """
        self._guarded(lambda: self._beats.note_judged(rule, seen))

    def stop(self, reason: str, rule: str | None = None) -> None:
        """End the job by its own judgement, with the reason; ``rule`` is a sealed custom rule's id.

        Raises StopRun, unless the run was made with ``raise_on_stop=False``. Where the plan says
        that the rule only warns, that is reported and the run goes on.
        """
        stop = StopRequest(rule, plain(str(reason)) or "no reason given", on_box=True)
        if rule is not None and self._beats.knows_no(rule):
            talk.say(f"rule {rule} is not in the plan for this step: stopped without it")
            stop = StopRequest(None, plain(f"{rule}: {reason}"), on_box=True)
        if self._guarded(lambda: self._beats.fire(stop)) is False:
            return
        self._own_stop = self._own_stop or stop
        if self._raise_on_stop:
            self.raise_if_stopped()

    def raise_if_stopped(self) -> None:
        """Raise StopRun when a stop was asked for."""
        stop = self.stop_requested
        if stop is not None:
            raise StopRun(stop)

    def _kept(
        self, name: str, read: Callable[[object], Given[Number]], value: object
    ) -> Number | None:
        """A number as it is kept; what of it is not is said the first time."""
        given = Given(None) if value is None else read(value)
        recorder = self._recorder
        if given.wrong is not None and recorder is not None and not recorder.is_copy:
            recorder.say_once(f"number {name}", f"{name}: {given.wrong}")
        return given.kept

    def _report_progress(self, step: object, total: object) -> None:
        done = self._kept("progress", read_count, step)
        of = self._kept("total", read_count, total)
        if done is not None:
            self._beats.advance(done, of)

    def _count_inputs(self, name: str, n: object, of: object) -> None:
        shown = plain(name, NAME_LENGTH)
        cut = self._kept(f"inputs of {shown} cut", read_count, n)
        if cut is not None:
            all_of = self._kept(f"inputs of {shown}", read_count, of)
            known = self._kept(f"cut inputs of {shown}", lambda _: read_part(cut, all_of), cut)
            if known is not None:
                self._beats.count_inputs(name, cut, known)

    def _report_checkpoint(
        self, path: Path, size: int | None, states: Sequence[str], write_s: float | None
    ) -> None:
        if self._recorder is not None:
            unknown = ", ".join(plain(str(one), 40) for one in states if one not in STATES)
            if unknown:
                told = f"states of a checkpoint: {unknown} not kept; there are {', '.join(STATES)}"
                self._recorder.say_once("states", told)
            fields = checkpoint_fields(path, size, states, write_s)
            self._recorder.emit("checkpoint", {**self._beats.standing(), **fields})

    def _report_restore(self, passed: bool, result: Mapping[str, object]) -> None:
        if self._recorder is not None:
            kept = dict(result)
            for name in kept.keys() & READ_OF_A_RESTORE.keys():
                kept[name] = self._kept(
                    f"{name} of a restore check", READ_OF_A_RESTORE[name], kept[name]
                )
            fields = {**self._beats.standing(), "restore": restore_fields(passed, kept)}
            self._recorder.emit("beat", fields)

    def _raise_if_wanted(self) -> None:
        if self._raise_on_stop and self._recorder is not None and not self._recorder.is_copy:
            self.raise_if_stopped()

    def _guarded(self, act: Callable[[], object]) -> object:
        """Do something of ours; what goes wrong in it is told, not raised. Forked copies do not."""
        recorder = self._recorder
        if not self._entered:
            self._entered = True
            talk.say(f'NOT RECORDING: use it as "with punktum.run({self.step!r}) as run:"')
        if recorder is None or recorder.is_copy:
            return None
        try:
            return act()
        except Exception as error:
            recorder.say_once("fault", f"{type(error).__name__} while recording: {error}")
            return None


def _total(items: Iterable[object], done: int) -> int | None:
    """How many steps it will be: those done and the items, where their number is known."""
    try:
        return done + len(items) if isinstance(items, Sized) else None
    except Exception:  # whatever a foreign __len__ raises is not the training's concern
        return None
