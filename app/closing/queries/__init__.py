"""Reading everything a close is made of."""

from app.closing.queries.reading import Closing, closed_report, closing, explanations, report

__all__ = ["Closing", "closed_report", "closing", "explanations", "report"]
