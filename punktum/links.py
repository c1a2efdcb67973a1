"""Links of a run: the pages of trackers and the like, by name. Pure; the same on both sides."""

from __future__ import annotations

import re
from typing import Final

from punktum.events import visible

MOST: Final = 20
NAME_LENGTH: Final = 128
ADDRESS_LENGTH: Final = 1000
ALLOWED: Final = ("http://…", "https://…")
"""What an address may begin with: nothing that a browser would run or make up."""
_ADDRESS: Final = re.compile(r"(?i:https?)://[^\s/?#\\]\S*\Z")


def is_address(said: str) -> bool:
    """Whether a text is the address of a page, ``http:`` or ``https:``, of a length that is taken.

    Characters that are not seen are none of an address.
    """
    fits = len(said) <= ADDRESS_LENGTH and said.isprintable()
    return fits and _ADDRESS.match(said) is not None


def problem_of(name: str, address: str, before: int) -> str | None:
    """Why a server would not take a link, with ``before`` other ones; None where it takes it."""
    if not 0 < len(name) <= NAME_LENGTH or visible(name) != name:
        return f"a name has 1 to {NAME_LENGTH} characters that can be seen"
    if not is_address(address):
        return f"{visible(address)[:100]!r} is no address that begins with http:// or https://"
    return f"at most {MOST} links are taken" if before >= MOST else None
