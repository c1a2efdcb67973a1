"""Reading everything a close is made of."""

from app.closing.queries.after import added
from app.closing.queries.reading import (
    Closing,
    SilentRun,
    closed_report,
    closing,
    explanations,
    report,
)

__all__ = [
    "Closing", "SilentRun", "added", "closed_report", "closing", "explanations", "report",
]  # fmt: skip
