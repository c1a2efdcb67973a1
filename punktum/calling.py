"""How a person calls the command here: messages and help name it so that the line can be pasted."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

import punktum

NAME: Final = "punktum"
_SCRIPTS: Final = ("punktum", "punktum.exe", "punktum-script.py")


def called() -> str:
    """``punktum``, ``python3 punktum.py`` or ``python3 -m punktum``: what does it on this box.

    Where this process is the command: as it was called. Else, in code that trains, what there is.
    """
    typed = _as_typed()
    if typed is not None:
        return typed
    single_file = getattr(punktum, "single_file", None)
    if isinstance(single_file, str):
        return shlex.join([_python(), single_file])
    return NAME if shutil.which(NAME) else shlex.join([_python(), "-m", NAME])


def line(*words: str | os.PathLike[str]) -> str:
    """A whole command line for a shell: ``line("replay", folder)``."""
    return f"{called()} {shlex.join(os.fspath(word) for word in words)}"


def takeover_option() -> str | None:
    """How who runs here asks for a takeover the next time; None where there is no such option."""
    if _as_typed() is None:
        return "takeover=True"
    return "--takeover" if sys.argv[1:2] == ["run"] else None


def _as_typed() -> str | None:
    """The words before our own in this process's command line; None where it is not our command."""
    script = sys.argv[0] if sys.argv else ""
    is_script = os.path.basename(script) in _SCRIPTS
    if not is_script and not _is_ours(script):
        return None
    if is_script:
        found = shutil.which(NAME)
        is_found = found is not None and os.path.abspath(found) == os.path.abspath(script)
        return NAME if is_found else shlex.quote(script)
    before = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    return shlex.join([_short(before[0]), *before[1:]]) if before else None


def _is_ours(script: str) -> bool:
    """Whether the program is ``punktum/__main__.py`` or the one file."""
    single_file = getattr(punktum, "single_file", None)
    own = single_file or str(Path(__file__).with_name("__main__.py"))
    return bool(script) and os.path.abspath(script) == os.path.abspath(own)


def _python() -> str:
    """``python3`` where that finds this interpreter, with its packages, else its path."""
    for name in ("python3", "python"):
        if shutil.which(name) == sys.executable:
            return name
    return sys.executable


def _short(program: str) -> str:
    """The name of a program that the shell finds by its name alone, else as it is."""
    name = os.path.basename(program)
    return name if shutil.which(name) == program else program
