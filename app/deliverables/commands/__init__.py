"""Submitting a deliverable, proving its retrieval, judging it, saying where its files lie or that
they are lost."""

from app.deliverables.commands.judge import judge
from app.deliverables.commands.lose import lose
from app.deliverables.commands.place import place
from app.deliverables.commands.retrieve import retrieve
from app.deliverables.commands.submit import Answer, submit

__all__ = ["Answer", "judge", "lose", "place", "retrieve", "submit"]
