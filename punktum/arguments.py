"""Reads parameters out of a command line, so that an unwrapped habit like ``--lr 0.1`` counts."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from typing import Final

HIDDEN: Final = "(hidden)"
SECRET: Final = re.compile(
    r"(.*[._-])?(password|passwd|passphrase|passcode|pwd|secret|credentials?|auth"
    r"|(api|access|secret|private|account|encryption|signing|ssh|hf|hub|wandb|openai)[._-]?key"
    r"|(api|auth|access|bearer|refresh|session|hf|hub|job|wandb|github|gitlab)[._-]?token)\Z"
    r"|token\Z",
    re.IGNORECASE,
)
"""Names whose values are never written down."""

_PASSWORD = re.compile(r"(://[^/\s:@]*:)[^/\s@]+@")
_BARE_LOGIN = re.compile(r"(https?://)[^/\s:@]+@", re.IGNORECASE)
_NUMBER = re.compile(r"-\.?\d")
_INTERPRETER = re.compile(r"(python|pypy)[\d.]*(\.exe)?\Z")


def params_from_command(command: Sequence[str]) -> dict[str, str]:
    """Name and value of every argument: ``--lr 0.1``, ``--lr=0.1``, ``lr=0.1``, ``--amp`` → "true".

    What stands alone is ``arg1``, ``arg2`` …; of a path only the last part counts, so that another
    folder on another box is the same configuration. The interpreter's version does not count.
    """
    params: dict[str, str] = {}
    alone = 0
    words = [without_login(word) for word in command]
    words[:1] = [_last_part(word) for word in words[:1]]
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        name, equals, value = word.partition("=")
        if name.startswith("-") and name.strip("-"):
            if not equals:
                follows = words[position] if position < len(words) else None
                if follows is not None and not _is_option(follows):
                    value, position = follows, position + 1
                else:
                    value = "true"
            _add(params, name.lstrip("-"), value)
        elif equals and re.fullmatch(r"[A-Za-z_+~][\w.+~/-]*", name):
            _add(params, name, value)
        else:
            alone += 1
            _add(params, f"arg{alone}", _last_part(word))
    return params


def own_params() -> dict[str, str]:
    """The arguments of this program; those of a notebook's kernel are not ours."""
    return {} if "ipykernel" in sys.modules else params_from_command(sys.argv)


def shown_command(command: Sequence[str]) -> str:
    """The command as it would be typed, without the values of arguments that hold secrets."""
    shown = []
    hides_next = False
    for word in command:
        name, equals, _ = word.partition("=")
        is_secret = bool(SECRET.match(name.lstrip("-")))
        if hides_next and not _is_option(word):
            shown.append(HIDDEN)
        elif is_secret and equals:
            shown.append(f"{name}={HIDDEN}")
        else:
            shown.append(shlex.quote(without_login(word)))
        hides_next = is_secret and not equals and name.startswith("-")
    return " ".join(shown)


def without_login(text: str) -> str:
    """The text with the password, or a bare login such as a token, of every address hidden."""
    return _BARE_LOGIN.sub(rf"\1{HIDDEN}@", _PASSWORD.sub(rf"\1{HIDDEN}@", text))


def _add(params: dict[str, str], name: str, value: str) -> None:
    """A name given twice keeps both values in order."""
    params[name] = f"{params[name]} {value}" if name in params else value


def _is_option(word: str) -> bool:
    return word.startswith("-") and len(word) > 1 and not _NUMBER.match(word)


def _last_part(word: str) -> str:
    last = re.split(r"[/\\]", word.rstrip("/\\"))[-1] or word
    return "python" if _INTERPRETER.match(last) else last
