"""Where the server is and with which token: arguments, environment. The token is never shown."""

from __future__ import annotations

import codecs
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

LONGEST_TOKEN: Final = 512
_TOKEN = re.compile(rf"[\x21-\x7e]{{1,{LONGEST_TOKEN}}}\Z")
_LARGEST_FILE: Final = 4096
_WHAT: Final = 'the job token alone, as the page "Connect a job" gives it'


class SettingsError(ValueError):
    """The address or the token cannot be used; the text says what is wrong and what would be right.

    ``about``: ``server`` or ``token``.
    """

    def __init__(self, text: str, about: str = "server") -> None:
        super().__init__(text)
        self.about = about


@dataclass(frozen=True, slots=True)
class Settings:
    """``url`` None: no server, the spool alone. ``token`` is kept out of every printed form.

    ``is_wrong``: there is no server because what was set could not be used, and that was said.
    """

    url: str | None = None
    token: str | None = field(default=None, repr=False)
    token_file: str | None = None
    is_wrong: bool = False


def read_settings(
    url: str | None = None,
    token_file: str | None = None,
    token: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Arguments first, then ``PUNKTUM_URL``, ``PUNKTUM_TOKEN``, ``PUNKTUM_TOKEN_FILE``.

    Raises SettingsError for an address that is none or, where there is an address, for a token that
    cannot be read.
    """
    env = os.environ if environment is None else environment
    address = url or env.get("PUNKTUM_URL") or None
    if address is None:
        return Settings()
    address = _checked_url(address)
    if token is None:
        token_file = token_file or (
            None if env.get("PUNKTUM_TOKEN") else env.get("PUNKTUM_TOKEN_FILE") or None
        )
        token = _from_file(token_file) if token_file else env.get("PUNKTUM_TOKEN") or None
    if token is not None:
        token = _checked_token(token, f"token file {token_file}" if token_file else "PUNKTUM_TOKEN")
    return Settings(address, token, str(_expanded(token_file)) if token_file else None)


def token_in(token_file: str) -> str | None:
    """The token that a file holds by now; None where it is no file that is read again, or none that
    can be used."""
    if not os.path.isfile(token_file):
        return None
    try:
        return _checked_token(_from_file(token_file), f"token file {token_file}")
    except SettingsError:
        return None


def spool_folder(
    output: str | os.PathLike[str] | None, environment: Mapping[str, str] | None = None
) -> Path:
    """``PUNKTUM_SPOOL``, else ``.punktum/spool`` in the output folder (default: here)."""
    env = os.environ if environment is None else environment
    named = env.get("PUNKTUM_SPOOL")
    return Path(named) if named else Path(output or ".") / ".punktum" / "spool"


def spool_in(folder: Path) -> Path:
    """The folder itself, or the spool inside it where an output folder was named."""
    inside = folder / ".punktum" / "spool"
    return inside if inside.is_dir() else folder


def open_to_others(token_file: str | None) -> str | None:
    """What to say where other users of the machine could read the token file; else None."""
    if token_file is None:
        return None
    path = _expanded(token_file)
    try:
        is_open = path.is_file() and path.stat().st_mode & 0o077
    except OSError:
        return None
    quoted = shlex.quote(str(path))
    return f"others can read {token_file}: chmod 600 {quoted}" if is_open else None


def _expanded(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # no such user
        return Path(name)


def _from_file(name: str) -> str:
    """The text in a token file, without the marks that some editors put at its start and end."""
    path = _expanded(name)
    try:
        with path.open("rb") as stream:
            raw = stream.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        raise _bad_file(
            name, f"is not there; make it with: (umask 077; cat > {_quoted(path)})"
        ) from None
    except IsADirectoryError:
        raise _bad_file(name, "is a folder; name the file with the job token") from None
    except PermissionError:
        raise _bad_file(
            name, f"may not be read by you; as its owner: chmod 600 {_quoted(path)}"
        ) from None
    except (OSError, ValueError) as error:
        raise _bad_file(
            name, f"cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raw = raw.decode("utf-16", "replace").encode()
    if len(raw) > _LARGEST_FILE or b"\0" in raw:
        raise _bad_file(name, f"holds what is no token; it must hold {_WHAT}")
    return raw.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")


def _checked_token(said: str, where: str) -> str:
    token = said.strip()
    if not token:
        raise SettingsError(f"{where} is empty; it must hold {_WHAT}", "token")
    if not _TOKEN.match(token):
        what = "several words" if len(token.split()) > 1 else "what is no token"
        raise SettingsError(f"{where} holds {what}; it must hold {_WHAT}", "token")
    return token


def _bad_file(name: str, what: str) -> SettingsError:
    return SettingsError(f"token file {name} {what}", "token")


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def _checked_url(address: str) -> str:
    shape = "use http://HOST:PORT or https://HOST"
    try:
        parts = urlsplit(address)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        raise SettingsError(f"the address is not one; {shape}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise SettingsError(f"the address {address!r} is not one; {shape}")
    if parts.username or parts.password:
        raise SettingsError(
            "the address holds a name or password; a token goes into PUNKTUM_TOKEN_FILE"
        )
    if parts.path.startswith(("/campaigns", "/api")):
        raise SettingsError(f"the address {address!r} is that of a page; {shape} alone")
    if parts.query or parts.fragment:
        raise SettingsError(f"the address {address!r} holds a query; {shape}")
    return address.rstrip("/")
