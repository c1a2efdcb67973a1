"""Submitting a deliverable, proving its retrieval, judging it, saying where its files lie."""

from app.deliverables.commands.judge import judge
from app.deliverables.commands.place import place
from app.deliverables.commands.retrieve import retrieve
from app.deliverables.commands.submit import Answer, submit

__all__ = ["Answer", "judge", "place", "retrieve", "submit"]
