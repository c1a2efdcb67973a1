"""Where the server is and with which token: arguments, environment. The token is never shown."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

_TOKEN = re.compile(r"[\x21-\x7e]{1,512}\Z")


class SettingsError(ValueError):
    """The address or the token cannot be used; the text says what would be right."""


@dataclass(frozen=True, slots=True)
class Settings:
    """``url`` None: no server, the spool alone. ``token`` is kept out of every printed form."""

    url: str | None = None
    token: str | None = field(default=None, repr=False)
    token_file: str | None = None


def read_settings(
    url: str | None = None,
    token_file: str | None = None,
    token: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Arguments first, then ``PUNKTUM_URL``, ``PUNKTUM_TOKEN_FILE``, ``PUNKTUM_TOKEN``.

    Raises SettingsError for an address that is none or a token that cannot be read.
    """
    env = os.environ if environment is None else environment
    address = url or env.get("PUNKTUM_URL") or None
    if token is None:
        token_file = token_file or (
            None if env.get("PUNKTUM_TOKEN") else env.get("PUNKTUM_TOKEN_FILE")
        )
        token = _from_file(token_file) if token_file else env.get("PUNKTUM_TOKEN") or None
    if address is not None:
        address = _checked_url(address)
    if token is not None:
        token = token.strip()
        if not _TOKEN.match(token):
            raise SettingsError("the token holds spaces or unusual characters, or it is empty")
    return Settings(address, token, token_file)


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


def open_to_others(token_file: str) -> bool:
    """Whether other users of the machine could read the token file."""
    try:
        return bool(os.stat(token_file).st_mode & 0o077)
    except OSError:
        return False


def _from_file(name: str) -> str:
    try:
        return Path(name).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise SettingsError(f"token file {name}: {reason}") from None


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
    if parts.query or parts.fragment:
        raise SettingsError(f"the address {address!r} holds a query; {shape}")
    return address.rstrip("/")
