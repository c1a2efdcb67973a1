"""Pages of deliverables: the list, one deliverable, verdicts of people, where files lie."""

from app.deliverables.pages.routes import router

__all__ = ["router"]
