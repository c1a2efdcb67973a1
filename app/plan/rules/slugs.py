"""Ids proposed from what people write: small letters, digits and hyphens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

LONGEST = 64
_BEYOND_MARKS = str.maketrans({"đ": "d", "ß": "ss", "ø": "o", "ł": "l", "æ": "ae", "œ": "oe"})


def slug(written: str, longest: int = 40) -> str:
    """An id from a sentence, cut at a word; empty where it holds no letter or digit of ours."""
    plain = unicodedata.normalize("NFKD", written.lower().translate(_BEYOND_MARKS))
    words = re.findall(r"[a-z0-9]+", "".join(c for c in plain if not unicodedata.combining(c)))
    found = ""
    for word in words:
        longer = f"{found}-{word}" if found else word
        if len(longer) > longest:
            break
        found = longer
    return found or (words[0][:longest] if words else "")


def free_slug(written: str, taken: Collection[str], otherwise: str) -> str:
    """A slug that is not taken, with a number behind it where it must have one."""
    base = slug(written) or otherwise
    if base not in taken:
        return base
    return next(f"{base}-{n}" for n in range(2, len(taken) + 3) if f"{base}-{n}" not in taken)
