"""What a verification found, and the exit code that it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from punktum.checks import Verdict
from punktum.manifest import FileEntry
from punktum.submission import Posted

OK, FAILED, UNREACHABLE = 0, 1, 5


@dataclass(frozen=True, slots=True)
class Verified:
    """One deliverable's verdicts and what became of its evidence (None: no server is set)."""

    deliverable: str
    folder: str
    files: tuple[FileEntry, ...]
    verdicts: tuple[Verdict, ...]
    posted: Posted | None
    proof: Verdict | None = None

    @property
    def passed(self) -> bool:
        """Whether every announced check passed, and the files are those that were to arrive."""
        return all(verdict.passed for verdict in self.said)

    @property
    def said(self) -> tuple[Verdict, ...]:
        """All verdicts: that of the files' arrival first, where that was asked for."""
        return (*((self.proof,) if self.proof else ()), *self.verdicts)

    @property
    def turned_away(self) -> bool:
        """Whether the server refused it, or did not accept it although there were checks."""
        posted = self.posted
        if posted is None:
            return False
        if posted.state is not None and self.verdicts and self.proof is None:
            return posted.state != "accepted"
        return (
            posted.taken is False
            or posted.not_allowed
            or (posted.state == "rejected" and self.proof is None)
        )

    def form(self) -> dict[str, object]:
        """For ``--json``."""
        return {
            "deliverable": self.deliverable,
            "folder": self.folder,
            "files": [entry.form() for entry in self.files],
            "checks": [verdict.form() for verdict in self.said],
            "passed": self.passed,
            "posted": self.posted.taken if self.posted else None,
            "answer": self.posted.text if self.posted else None,
        }


def exit_code(results: Sequence[Verified]) -> int:
    """1 when a check failed, or the server refused or did not accept what passed here; else 5
    when it could not be reached, else 0."""
    if any(not result.passed or result.turned_away for result in results):
        return FAILED
    posts = [result.posted for result in results if result.posted is not None]
    return UNREACHABLE if any(posted.taken is None for posted in posts) else OK
