"""The page of decisions: what the rule says, the open points, the form, the log."""

from app.decisions.pages.routes import router

__all__ = ["router"]
