"""``reload``: the announced command loads the files again, in a new process that knows nothing.

It runs in a fresh folder that holds the deliverable alone, with a cleared environment but for
``keep_env``, within ``timeout_s``, once no run of ours goes on. Exit 0 passes.
"""

from __future__ import annotations

from typing import Final

from punktum import reading, talk
from punktum.checks.fresh import run_fresh, wait_for_runs
from punktum.checks.verdict import Announced, Subject, Verdict

KIND: Final = "reload"


def check(announced: Announced, subject: Subject) -> Verdict:
    """Pass when the command leaves with 0 in time."""
    command = reading.text(announced.get("command"))
    if not command:
        return Verdict(KIND, False, "no command was announced")
    run = wait_for_runs(subject)
    if run is not None:
        return Verdict(KIND, False, f"{run} goes on and may need the GPU", not_run=True)
    talk.say(f"reload: {command}")
    ran = run_fresh(command, announced, subject)
    if ran.fault is not None:
        return Verdict(KIND, False, ran.fault, ran.evidence)
    return Verdict(KIND, True, f"exit 0 in {ran.took_s} s, new process", ran.evidence)
