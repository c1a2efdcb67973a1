"""What was pasted, as lines of text: without what nobody sees, what mail programs add, and
characters that no record keeps."""

from __future__ import annotations

import re
import unicodedata

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_QUOTED = re.compile(r"^[ \t]*(?:[>|][ \t]?)+")
_ODD_SPACES = re.compile("[\u1680\u2000-\u200a\u205f\u3000\u2028\u2029]")
_BETWEEN_DIGITS = re.compile("(?<=[0-9])[\u00a0\u202f](?=[0-9])")
_SOFT_BREAK = re.compile(r"=[ \t]*\r?\n")
_ENCODED = re.compile(r"(?:=[0-9A-Fa-f]{2})+")
_SIGNS_OF_ENCODING = re.compile(r"=3D|=20(?:\r?\n|$)|=(?:C[2-9]|D[0-9]|E[0-9A-F])=[89AB][0-9A-F]")

_WIDE = {0xFF01 + n: 0x21 + n for n in range(94)}
"""Wide letters, figures and marks, as some keyboards write them."""

GROUPED = "\u00a0"
"""The space between digits of one number; every other space is a plain one."""


def decoded(raw: str) -> str:
    """A text without the remains of quoted-printable (RFC 2045 §6.7), where it shows them."""
    if not _SIGNS_OF_ENCODING.search(raw):
        return raw
    return _ENCODED.sub(lambda found: _bytes_said(found[0]), _SOFT_BREAK.sub("", raw))


def _bytes_said(written: str) -> str:
    data = bytes.fromhex(written.replace("=", ""))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def seen(text: str) -> str:
    """A text composed, without what cannot be seen and without control characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\v", "\n").replace("\f", "\n")
    text = _CONTROL.sub("", _UNSEEN.sub("", text)).translate(_WIDE)
    text = unicodedata.normalize("NFC", _ODD_SPACES.sub(" ", text))
    text = _BETWEEN_DIGITS.sub("\0", text)
    return text.replace("\u00a0", " ").replace("\u202f", " ").replace("\0", GROUPED)


def lines_of(text: str) -> list[str]:
    """The lines of a plain text; the marks of a quoted or forwarded mail are taken off."""
    return [_QUOTED.sub("", line).rstrip() for line in seen(text).split("\n")]
