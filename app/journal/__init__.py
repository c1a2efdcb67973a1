"""The journal of each campaign: appended, chained by hashes, the truth for all that binds."""

from app.journal.chain import (
    FIRST,
    Actor,
    Entry,
    Head,
    JournalEntry,
    agreement,
    append,
    as_entry,
    canonical,
    entries,
    entry_hash,
    head,
    project,
    projected_tables,
    projector,
    read_head,
    refold,
)

__all__ = [
    "FIRST", "Actor", "Entry", "Head", "JournalEntry", "agreement", "append", "as_entry",
    "canonical", "entries", "entry_hash", "head", "project", "projected_tables", "projector",
    "read_head", "refold",
]  # fmt: skip
