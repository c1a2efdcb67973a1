"""``punktum restore-check``: is what was saved enough to go on as if nothing had happened?

One command trains to a checkpoint and goes on, another starts from the checkpoint in a new process
and does the same steps. Their values are compared, and the result is a run of its own.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from punktum import reading, talk
from punktum.check_values import FOLDER, STEPS, VALUES
from punktum.comparing import Comparison, compare, is_constant, pause_s
from punktum.lending import lend_client
from punktum.limits import size_text
from punktum.raised import StopRun
from punktum.recording import Run
from punktum.reporting_command import Told, do_command
from punktum.settings import Settings, spool_folder
from punktum.sheet import fetch_sheet, kept_sheet, sheet_in
from punktum.signals import leaving_on_term

USUAL_STEP: Final = "restore-check"
ROLE: Final = "restore_check"
NOT_OURS: Final = ("PUNKTUM_RUN_ID", "PUNKTUM_ATTEMPT_ID", "PUNKTUM_STEP", "PUNKTUM_BEGAN")
"""What would attach us, and the commands, to the run of a wrapper around us."""


@dataclass(frozen=True, slots=True)
class CheckWish:
    """What is to be checked: two shell commands, the metric and how many steps are compared."""

    save: str
    resume: str
    metric: str
    steps: int
    tolerance: float
    states: tuple[str, ...] = ()
    output: str | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """What the first command left: seconds it took, bytes, states, and where it lies."""

    save_s: float | None
    size: int | None
    states: tuple[str, ...]
    path: str | None


@dataclass(frozen=True, slots=True)
class Checked:
    """The result. ``restore_s``: from the start of the new process to its first value."""

    comparison: Comparison
    saved: Saved
    restore_s: float | None = None
    note: str | None = None

    def fields(self, metric: str) -> dict[str, object]:
        """The wire's ``restore`` beside ``passed``; what is not known is None."""
        found, saved = self.comparison, self.saved
        return {
            "reason": found.reason, "save_s": saved.save_s, "restore_s": self.restore_s,
            "size": saved.size, "states": list(saved.states) or None, "compared": metric,
            "steps": found.steps or None, "expected": found.expected, "found": found.found,
            "path": saved.path,
        }  # fmt: skip

    def form(self, wish: CheckWish, run: str) -> dict[str, object]:
        """For ``--json``."""
        first = self.comparison.first
        about = {"run": run, "passed": self.comparison.passed, **self.fields(wish.metric)}
        return {**about, "first_differing_step": first, "note": self.note}

    def lines(self, wish: CheckWish) -> list[str]:
        """For a person."""
        found, saved = self.comparison, self.saved
        agrees = f"{wish.metric} agrees over {found.steps} steps (tolerance {wish.tolerance:g})"
        size = "size not known" if saved.size is None else size_text(saved.size)
        took = "" if saved.save_s is None else f" in {saved.save_s:.2f} s"
        states = f", {', '.join(saved.states)}" if saved.states else ""
        lines = [
            f"passed    {agrees}" if found.passed else f"FAILED    {found.reason}",
            f"saved     {size}{took}{states}",
        ]
        if self.restore_s is not None:
            lines.append(f"restored  {self.restore_s:.2f} s to the first value")
        return [*lines, f"note      {self.note}"] if self.note else lines


class RestoreCheck:
    """One check in a fresh folder, which is removed when the check passed.

    ``look`` is called while a command runs; what it raises ends the command.
    """

    def __init__(self, wish: CheckWish, look: Callable[[], None]) -> None:
        self._wish = wish
        self._look = look
        base = spool_folder(wish.output).parent / "restore-check"
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        self._folder = Path(os.path.abspath(base / f"{stamp}-{os.getpid()}"))
        self._saved = self._folder / "saved"

    def run(self) -> Checked:
        """Save, go on, resume in a new process, compare. Raises OSError where there is no room."""
        self._saved.mkdir(parents=True)
        checked = self._check()
        if not checked.comparison.passed:
            return checked
        shutil.rmtree(self._folder, ignore_errors=True)
        path = checked.saved.path
        is_gone = path is not None and str(self._folder) in path
        return replace(checked, saved=replace(checked.saved, path=None)) if is_gone else checked

    def _check(self) -> Checked:
        wish = self._wish
        first = self._command("save", wish.save)
        saved = self._about_saving(first)
        if first.failure is not None:
            return Checked(Comparison(False, f"--save {first.failure}"), saved)
        second = self._command("resume", wish.resume)
        if second.failure is not None:
            return Checked(Comparison(False, f"--resume {second.failure}"), saved)
        found = compare(
            first.numbers,
            second.numbers,
            name=wish.metric,
            steps=wish.steps,
            tolerance=wish.tolerance,
        )
        restore_s = second.values[0].at_s - second.began_s if second.values else None
        return Checked(found, saved, restore_s, self._note(found, saved, first))

    def _command(self, name: str, command: str) -> Told:
        values = self._folder / f"{name}.jsonl"
        ours = {FOLDER: str(self._saved), STEPS: str(self._wish.steps), VALUES: str(values)}
        environment = lend_client({**os.environ, **ours}, spool_folder(self._wish.output))
        return do_command(command, environment, self._wish.metric, self._look)

    def _about_saving(self, told: Told) -> Saved:
        """As the job told it, else as it lies in the folder."""
        said = told.checkpoints[-1] if told.checkpoints else {}
        there = sum(path.stat().st_size for path in self._saved.rglob("*") if path.is_file())
        write_s = said.get("write_s")
        told_s = float(write_s) if isinstance(write_s, (int, float)) else None
        return Saved(
            told_s if told_s is not None else pause_s(told.values, self._wish.steps),
            there or reading.whole(said.get("size")),
            self._wish.states or tuple(reading.texts(said.get("states"))),
            reading.text(said.get("path")) or (str(self._saved) if there else None),
        )

    def _note(self, found: Comparison, saved: Saved, first: Told) -> str | None:
        if found.passed and is_constant(first.numbers[-self._wish.steps :]):
            return f"{self._wish.metric} never changes: that it agrees proves little"
        if saved.size is None:
            return f"nothing was saved in {FOLDER}, and no checkpoint was reported"
        return None


def step_to_record(output: str | None, settings: Settings) -> str:
    """The plan's step for restore checks by the sheet, kept or asked for; else a usual name."""
    sheet = kept_sheet(spool_folder(output))
    if sheet is None and settings.url is not None:
        from punktum.server import Server

        server = Server(settings, timeout_s=5.0)
        sheet = sheet_in(fetch_sheet(server, spool_folder(output)))
        server.close()
    found = sheet.step_with_role(ROLE) if sheet is not None else None
    return found or USUAL_STEP


def own_run(wish: CheckWish, step: str, run: str | None, settings: Settings) -> Run:
    """The run that the check is recorded as, also where a wrapper or another check is around us."""
    for name in (*NOT_OURS, FOLDER, STEPS, VALUES):
        os.environ.pop(name, None)
    params = {
        "save_command": wish.save,
        "resume_command": wish.resume,
        "compare": wish.metric,
        "compared_steps": wish.steps,
        "tolerance": wish.tolerance,
    }
    return Run(
        step,
        run=run,
        params=params,
        output=wish.output,
        url=settings.url,
        token_file=settings.token_file,
    )


def record_check(wish: CheckWish, run: Run) -> Checked | None:
    """Do the check as this run; None where it was told to stop or found no room.

    TERM and INT leave as they do, and are recorded.
    """
    checked = None
    try:
        with leaving_on_term(), run:
            checked = RestoreCheck(wish, run.raise_if_stopped).run()
            found = checked.comparison
            if found.found is not None:
                run.metric(wish.metric, found.found)
            run.restore_check(found.passed, **checked.fields(wish.metric))
            if not found.passed:
                sys.exit(f"restore check: {found.reason}")
    except SystemExit:
        if checked is None:
            raise
    except StopRun:
        return None
    except OSError as error:
        talk.say(f"the restore check cannot be done: {error}")
    return checked
