"""Reading everything a close is made of."""

from app.closing.queries.reading import (
    Closing,
    SilentRun,
    closed_report,
    closing,
    errata,
    explanations,
    report,
)

__all__ = [
    "Closing", "SilentRun", "closed_report", "closing", "errata", "explanations", "report",
]  # fmt: skip
