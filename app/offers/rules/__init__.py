"""Offers of lots: what one price buys, their files, their versions, and how they are typed."""

from app.offers.rules.offer import (
    KEYS,
    Offer,
    Problem,
    is_reserved,
    proposed_id,
    read_amount,
    say_why,
    wrong,
)
from app.offers.rules.packaged import read_catalogue
from app.offers.rules.reading import CSV, TOML, FileProblem, ReadFile, ReadRow, kind_of, read_offers
from app.offers.rules.versions import (
    FROM_FILE,
    PACKAGED,
    TYPED,
    Act,
    Change,
    Planned,
    Version,
    changes,
    plan_import,
    since,
)
from app.offers.rules.writing import write_csv, write_toml

__all__ = [
    "CSV", "FROM_FILE", "KEYS", "PACKAGED", "TOML", "TYPED", "Act", "Change", "FileProblem",
    "Offer", "Planned", "Problem", "ReadFile", "ReadRow", "Version", "changes", "is_reserved",
    "kind_of", "plan_import", "proposed_id", "read_amount", "read_catalogue", "read_offers",
    "say_why", "since", "write_csv", "write_toml", "wrong",
]  # fmt: skip
