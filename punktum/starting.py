"""What a start says: the configuration as it lies on this box, and who runs it where."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import punktum
from punktum import talk
from punktum.arguments import without_login
from punktum.configuration import UNREADABLE, Configuration, configuration
from punktum.events import RUN_ID, plain, visible
from punktum.hashing import path_sha256
from punktum.links import NAME_LENGTH, problem_of
from punktum.machine import host_name, machine_id, visible_gpus
from punktum.marks import mark_proposed
from punktum.naming import gone_attempts, propose_run
from punktum.revision import revision

if TYPE_CHECKING:
    from punktum.recorder import Recorder


@dataclass(frozen=True, slots=True)
class Start:
    """Everything a start event says beside its kind and time."""

    step: str
    run: str
    attempt_id: str
    configuration: Configuration
    parent: str | None = None
    takeover: bool = False
    command: str | None = None
    is_proposed: bool = False
    links: Mapping[str, str] = field(default_factory=dict)


def begin_attempt(
    folder: Path,
    step: str,
    found: Configuration,
    *,
    named: str | None = None,
    takeover: bool = False,
    command: str | None = None,
    links: Mapping[str, str] | None = None,
) -> Start:
    """A new attempt of the run named, or of the one the spool proposes; ``links`` by name.

    Raises ValueError for a run id that is none.
    """
    proposal = propose_run(folder, step, found.sha256)
    run = named or proposal.run
    if not RUN_ID.match(run):
        raise ValueError(f"run id {run!r}: letters, digits, '.', '_' and '-', 64 at most")
    parent = proposal.parent if named is None else None
    if named is None and proposal.beside is not None:
        talk.say(f"{proposal.beside} still runs on this box; this is another run, {run}")
    return Start(
        plain(step, 64) or "(no name)",
        run,
        new_attempt_id(),
        found,
        parent,
        takeover,
        command,
        is_proposed=named is None,
        links=sound_links({} if links is None else links),
    )


def new_attempt_id() -> str:
    """32 random hex characters."""
    return secrets.token_hex(16)


def gather_configuration(
    params: Mapping[str, object],
    *,
    config: str | os.PathLike[str] | None = None,
    corpora: Mapping[str, str | os.PathLike[str]] | None = None,
    not_config: Iterable[str] = (),
) -> Configuration:
    """Read and hash what the configuration is made of, in the current folder's git revision.

    A file that cannot be read is said and told as zeros: no reason not to train.
    """
    git = revision(Path.cwd())
    return configuration(
        params,
        config_file=_hash(Path(config)) if config is not None else None,
        git_commit=git.commit,
        git_diff=git.diff,
        corpora={name: _hash(Path(path)) for name, path in (corpora or {}).items()},
        not_config=not_config,
    )


def _hash(path: Path) -> str:
    try:
        return path_sha256(path)
    except OSError as error:
        talk.say(f"cannot read {path}: {error.strerror}; the configuration is recorded without it")
        return UNREADABLE


def sound_links(links: object) -> dict[str, str]:
    """The links that a server takes, without passwords; of any other it is said, and it is left
    out: no reason not to train."""
    found: dict[str, str] = {}
    if not isinstance(links, Mapping):
        talk.say("links are left out: they are a mapping of name to address")
        return found
    for name, said in links.items():
        address = without_login(str(said)).strip()
        problem = problem_of(str(name), address, len(found))
        if problem is None:
            found[str(name)] = address
        else:
            talk.say(f"link {visible(str(name))[:NAME_LENGTH]!r} is left out: {problem}")
    return found


def write_start(
    recorder: Recorder, start: Start, expect_next_s: int, resumed_at: int | None = None
) -> None:
    """The first line of the attempt, and beforehand word of an id that nobody named.

    ``resumed_at``: how many steps were done before.
    """
    if start.is_proposed:
        mark_proposed(recorder.folder, recorder.identity)
    fields = start_fields(start, recorder.folder, expect_next_s)
    recorder.emit("start", {**fields, "progress": resumed_at})


def start_fields(start: Start, folder: Path, expect_next_s: int) -> dict[str, object]:
    """The fields of the start event; absent ones are None."""
    host = host_name()
    lot = os.environ.get("PUNKTUM_LOT")
    return {
        "step": start.step,
        "config_sha256": start.configuration.sha256,
        "config": start.configuration.parts,
        "not_config": start.configuration.not_config or None,
        "host": plain(host),
        "pid": os.getpid(),
        "machine_id": machine_id(folder),
        "parent": start.parent,
        "takeover": start.takeover or None,
        "gone_attempts": gone_attempts(folder, start.run, host) or None,
        "lot": plain(lot, 64) if lot else None,
        "gpus": visible_gpus(os.environ),
        "command": plain(start.command, 1000) if start.command else None,
        "links": dict(start.links) or None,
        "client": f"punktum/{punktum.__version__} python/{_python()}",
        "expect_next_s": expect_next_s,
    }


def _python() -> str:
    return ".".join(str(number) for number in sys.version_info[:3])
