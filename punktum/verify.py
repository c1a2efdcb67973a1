"""``punktum verify DIR``: manifest, announced checks, evidence to the server."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from punktum import reading, talk
from punktum.checks import Subject, Verdict, run_check
from punktum.manifest import FileEntry, ManifestError, make_manifest
from punktum.server import Server
from punktum.settings import Settings
from punktum.sheet import (
    Deliverable,
    Sheet,
    fetch_sheet,
    kept_sheet,
    nearest,
    sheet_in,
    sheet_of_campaign_file,
)
from punktum.submission import (
    Posted,
    keep_submission,
    make_submission,
    own_attempt,
    post_kept,
    post_submission,
)

OK, FAILED, USAGE, UNREACHABLE = 0, 1, 2, 5


class NotVerifiable(Exception):
    """Nothing can be verified: no folder, no sheet, no such deliverable; with its exit code."""

    def __init__(self, text: str, code: int = USAGE) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class Verified:
    """One deliverable's verdicts and what became of its evidence (None: no server is set)."""

    deliverable: str
    folder: str
    files: tuple[FileEntry, ...]
    verdicts: tuple[Verdict, ...]
    posted: Posted | None

    @property
    def passed(self) -> bool:
        """Whether every announced check passed."""
        return all(verdict.passed for verdict in self.verdicts)

    @property
    def turned_away(self) -> bool:
        """Whether the server refused it, or did not accept it although there were checks."""
        posted = self.posted
        if posted is None:
            return False
        if posted.state is not None and self.verdicts:
            return posted.state != "accepted"
        return posted.taken is False or posted.not_allowed or posted.state == "rejected"

    def form(self) -> dict[str, object]:
        """For ``--json``."""
        return {
            "deliverable": self.deliverable,
            "folder": self.folder,
            "files": [entry.form() for entry in self.files],
            "checks": [verdict.form() for verdict in self.verdicts],
            "passed": self.passed,
            "posted": self.posted.taken if self.posted else None,
            "answer": self.posted.text if self.posted else None,
        }


class Verifier:
    """Verifies deliverables of one output folder."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        *,
        campaign_file: str | None = None,
        runs: Sequence[str] = (),
        globs: Sequence[str] = (),
    ) -> None:
        if not folder.is_dir():
            raise NotVerifiable(f"{folder} is not a folder")
        self._folder = folder
        named = os.environ.get("PUNKTUM_SPOOL")
        self._spool = Path(named) if named else folder / ".punktum" / "spool"
        self._server = Server(settings) if settings.url else None
        self._own = None if runs else own_attempt(self._spool)
        self._runs = list(runs) or ([self._own.run] if self._own else [])
        self._globs = globs
        self.sheet = self._find_sheet(campaign_file)

    def _find_sheet(self, campaign_file: str | None) -> Sheet:
        """A file that was named, else what the server says, else what is kept."""
        if campaign_file is not None:
            try:
                return sheet_of_campaign_file(Path(campaign_file))
            except ValueError as error:
                raise NotVerifiable(str(error)) from None
        why = "no PUNKTUM_URL"
        code = USAGE
        if self._server is not None:
            reply = fetch_sheet(self._server, self._spool)
            sheet = sheet_in(reply)
            if sheet is not None:
                return sheet
            why = reply.problem if reply else f"{self._server.url} does not answer"
            code = FAILED if reply else UNREACHABLE
        kept = kept_sheet(self._spool, Path(".punktum") / "spool")
        if kept is None:
            raise NotVerifiable(f"{why}, and no sheet is kept; name one with --campaign FILE", code)
        talk.say(f"{why}; checks are taken from the kept sheet")
        return kept

    def deliverable(self, name: str) -> Deliverable:
        """A deliverable by its id. Raises NotVerifiable naming the nearest one."""
        known = {item.id: item for item in self.sheet.deliverables}
        if name not in known:
            guess = nearest(name, known)
            hint = (
                f'did you mean "{guess}"?' if guess else f"announced: {', '.join(known) or 'none'}"
            )
            raise NotVerifiable(f'deliverable "{name}" is unknown; {hint}')
        return known[name]

    def verify(self, deliverable: Deliverable) -> Verified:
        """Manifest, checks in the order they were announced, evidence. Raises NotVerifiable."""
        own = self._folder / deliverable.id
        folder = own if own.is_dir() else self._folder
        try:
            files = make_manifest(folder, self._globs, _Progress().add)
        except (ManifestError, OSError) as error:
            raise NotVerifiable(f"{deliverable.id}: {error}", FAILED) from None
        counted = talk.count(len(files), "file", "files")
        talk.say(f"{deliverable.id}: {counted} in {folder}")
        subject = Subject(folder, files, self.sheet)
        verdicts = tuple(run_check(check, subject) for check in deliverable.checks)
        posted = self._post(deliverable, folder, files, verdicts)
        return Verified(deliverable.id, str(folder), files, verdicts, posted)

    def _post(
        self,
        deliverable: Deliverable,
        folder: Path,
        files: tuple[FileEntry, ...],
        verdicts: tuple[Verdict, ...],
    ) -> Posted | None:
        commands = (reading.text(check.get("command")) for check in deliverable.checks)
        command = next((command for command in commands if command), None)
        submission = make_submission(folder, files, verdicts, self._runs, command, self._spool)
        if not self._runs:
            talk.say(f"{deliverable.id}: no run is named (--run ID), so a person decides")
        kept = keep_submission(self._spool, deliverable.id, submission, self._own)
        if self._server is None:
            talk.say(f"no PUNKTUM_URL: the evidence waits in {self._spool}")
            return None
        if kept is None:
            talk.say(f"cannot write to {self._spool}; the evidence is posted but not kept")
            return post_submission(self._server, deliverable.id, submission)
        return post_kept(self._server, kept)


def exit_code(results: Sequence[Verified]) -> int:
    """1 when a check failed, or the server refused or did not accept what passed here; else 5
    when it could not be reached, else 0."""
    if any(not result.passed or result.turned_away for result in results):
        return FAILED
    posts = [result.posted for result in results if result.posted is not None]
    return UNREACHABLE if any(posted.taken is None for posted in posts) else OK


class _Progress:
    """Says every few seconds how much is hashed, on a terminal only."""

    def __init__(self) -> None:
        self._bytes = 0
        self._said_at = time.monotonic()
        self._speaks = sys.stderr is not None and sys.stderr.isatty()

    def add(self, length: int) -> None:
        self._bytes += length
        if self._speaks and time.monotonic() - self._said_at > 5:
            self._said_at = time.monotonic()
            talk.say(f"hashed {self._bytes / 2**30:.1f} GiB")
