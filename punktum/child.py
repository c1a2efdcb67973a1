"""The command under the wrapper: what it finds in its environment, its start, signals to it."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from punktum.lending import lend_client
from punktum.recorder import Recorder
from punktum.settings import Settings
from punktum.tee import Tee


def environment_of(
    recorder: Recorder | None, step: str, settings: Settings, folder: Path, began: float
) -> dict[str, str]:
    """Ours, and what code inside needs to attach to this attempt."""
    environment = lend_client(dict(os.environ), folder)
    if recorder is None:
        return environment
    environment["PUNKTUM_RUN_ID"] = recorder.run
    environment["PUNKTUM_ATTEMPT_ID"] = recorder.identity.attempt_id
    environment["PUNKTUM_STEP"] = step
    environment["PUNKTUM_SPOOL"] = str(folder)
    environment["PUNKTUM_BEGAN"] = repr(began)
    if settings.is_wrong:
        environment.pop("PUNKTUM_URL", None)  # it was said, once
    if settings.url:
        environment["PUNKTUM_URL"] = settings.url
    if settings.token_file and os.path.isfile(settings.token_file):
        environment["PUNKTUM_TOKEN_FILE"] = os.path.abspath(settings.token_file)
        environment.pop("PUNKTUM_TOKEN", None)  # it would count before the file that was named
    elif settings.token:
        environment["PUNKTUM_TOKEN"] = settings.token  # a pipe is read once
    return environment


def start_child(
    command: Sequence[str], tee: Tee | None, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start the command in a session of its own. Raises OSError where that cannot be."""
    child = subprocess.Popen(
        command,
        stdout=tee.stdout if tee else None,
        stderr=tee.stderr if tee else None,
        env=environment,
        start_new_session=True,
    )
    if tee is not None:
        tee.child_started()
    return child


def signal_group(child: subprocess.Popen[bytes] | None, number: int) -> None:
    """Send a signal to the command and all that it started in its group."""
    if child is not None:
        with contextlib.suppress(OSError):
            os.killpg(child.pid, number)
