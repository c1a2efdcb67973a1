"""``--on-end CMD``: a command that tells the owner how the run ended."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import Final

from punktum import talk
from punktum.death import Ending

TIMEOUT_S: Final = 60


def tell_owner(
    command: str, ending: Ending, exit_code: int, environment: Mapping[str, str]
) -> None:
    """Run the shell command with the outcome in its environment; its failure is only said."""
    told = {
        **environment,
        "PUNKTUM_OUTCOME": ending.outcome,
        "PUNKTUM_REASON_CODE": ending.reason_code or "",
        "PUNKTUM_REASON_TEXT": ending.reason_text or "",
        "PUNKTUM_RULE": ending.rule or "",
        "PUNKTUM_EXIT_CODE": str(exit_code),
    }
    shell = ["/bin/sh", "-c", command]
    try:
        done = subprocess.run(shell, env=told, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        talk.say(f"--on-end: {type(error).__name__}")
        return
    if done.returncode != 0:
        talk.say(f"--on-end left with {done.returncode}")
