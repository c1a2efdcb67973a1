"""Writing a plan: its draft, which may change, and its seal, which may not."""

from app.plan.commands.drafts import (
    RESERVED,
    Saved,
    delete_draft,
    discard_changes,
    refuse_malformed,
    save_draft,
)
from app.plan.commands.judging import judge
from app.plan.commands.sealing import Prepared, Sealed, prepare, seal

__all__ = [
    "RESERVED",
    "Prepared",
    "Saved",
    "Sealed",
    "delete_draft",
    "discard_changes",
    "judge",
    "prepare",
    "refuse_malformed",
    "save_draft",
    "seal",
]
