"""The offers that come with the program: the first version of each."""

from __future__ import annotations

import functools
from importlib import resources

from app.offers.rules.offer import Offer
from app.offers.rules.reading import TOML, read_offers


@functools.cache
def read_catalogue() -> tuple[Offer, ...]:
    """The offers that come with the program, in the order of their file, read once.

    Raises ValueError naming line and key where the file is wrong.
    """
    content = resources.files("app.offers").joinpath("catalogue.toml").read_bytes()
    found = read_offers(content, TOML, lambda _: {})
    if found.problems:
        raise ValueError(f"the packaged catalogue: {found.problems[0]}")
    return tuple(row.offer for row in found.rows)
