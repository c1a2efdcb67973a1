"""``punktum verify DIR``: manifest, announced checks, evidence to the server.

With ``--retrieved`` it is the proof that files arrived: those that ``MANIFEST.json`` lists are
hashed here, on another machine, and equal hashes say it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import punktum
from punktum import instants, reading, talk
from punktum.arrival import Arrival, arrived
from punktum.calling import line
from punktum.checks import Subject, Verdict, run_check
from punktum.hashing_progress import HashingProgress
from punktum.machine import host_name, machine_id
from punktum.manifest import FileEntry, ManifestError, make_manifest
from punktum.manifest_file import (
    NAME,
    Listed,
    is_foreign,
    is_ours,
    listed,
    write_manifest_file,
)
from punktum.naming import not_completed
from punktum.server import Server
from punktum.settings import Settings
from punktum.sheet import (
    Deliverable,
    Sheet,
    campaigns_differ,
    fetch_sheet,
    kept_sheet,
    nearest,
    sheet_in,
    sheet_of_campaign_file,
)
from punktum.submission import Evidence, Posted, evidence_of, own_attempt, proof_of
from punktum.verified import FAILED, UNREACHABLE, Verified

USAGE = 2
NO_FILE = Verdict("files", False, "no file is there yet, so nothing is submitted")
RELOADS = ("reload", "reproduce")
"""Checks that start what was delivered; at home they are asked for, a GPU there is rare."""


class NotVerifiable(Exception):
    """Nothing can be verified: no folder, no sheet, no such deliverable; with its exit code."""

    def __init__(self, text: str, code: int = USAGE) -> None:
        super().__init__(text)
        self.code = code


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
        reloads: bool = False,
        waits: bool = True,
    ) -> None:
        """``reloads``: what arrived is also loaded here; ``waits``: commands wait for runs that go
        on here. Raises NotVerifiable."""
        if not folder.is_dir():
            raise NotVerifiable(f"{folder} is not a folder")
        self._folder = folder
        named = os.environ.get("PUNKTUM_SPOOL")
        self._spool = Path(named) if named else folder / ".punktum" / "spool"
        self._server = Server(settings) if settings.url else None
        self._own = None if runs else own_attempt(self._spool)
        self._runs = list(runs) or ([self._own.run] if self._own else [])
        self._globs = globs
        self._reloads, self._waits = reloads, waits
        self._is_kept = False
        self._is_foreign = is_foreign(folder)
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
                differ = campaigns_differ(self._spool, sheet)
                if differ is not None:
                    raise NotVerifiable(f"{differ}: take the other token", FAILED)
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

    def arrivals(self) -> tuple[Deliverable, ...]:
        """The deliverables that can have arrived: where there is a manifest, those that were
        verified. Raises NotVerifiable where none was."""
        if not is_ours(self._folder):
            return self.sheet.deliverables
        try:
            there = {one.id for one in listed(self._folder) if one.is_verified}
        except (OSError, ValueError) as error:
            raise NotVerifiable(str(error), FAILED) from None
        known = self.sheet.deliverables
        for one in known:
            if one.id not in there:
                talk.say(
                    f"{one.id}: {NAME} lists none of it; it was not verified where it was made"
                )
        found = tuple(one for one in known if one.id in there)
        if not found:
            raise NotVerifiable("nothing was verified there, so nothing can be proven", FAILED)
        return found

    def folder_of(self, deliverable: Deliverable) -> Path:
        """``DIR/ID`` where that is a folder, else ``DIR``."""
        own = self._folder / deliverable.id
        return own if own.is_dir() else self._folder

    def verify(self, deliverable: Deliverable) -> Verified:
        """Manifest, checks in the order they were announced, evidence. Raises NotVerifiable."""
        folder = self.folder_of(deliverable)
        progress = HashingProgress()
        hidden = () if self._is_foreign or folder != self._folder else (NAME,)
        try:
            files = make_manifest(
                folder, self._globs, progress.add, without=hidden, on_total=progress.begin
            )
        except (ManifestError, OSError) as error:
            raise NotVerifiable(f"{deliverable.id}: {error}", FAILED) from None
        talk.say(f"{deliverable.id}: {talk.count(len(files), 'file', 'files')} in {folder}")
        subject = Subject(folder, files, self.sheet, self._waits)
        verdicts = tuple(run_check(check, subject) for check in deliverable.checks)
        if not files:
            return Verified(deliverable.id, str(folder), files, verdicts, None, NO_FILE)
        posted = self._post(deliverable, folder, files, verdicts)
        return Verified(deliverable.id, str(folder), files, verdicts, posted)

    def retrieve(self, deliverable: Deliverable) -> Verified:
        """Whether what was verified elsewhere lies here, file for file. Raises NotVerifiable."""
        folder = self.folder_of(deliverable)
        progress = HashingProgress()
        try:
            found = arrived(
                self._folder, folder, deliverable.id, machine_id(self._spool), progress, self._globs
            )
        except (ManifestError, OSError, ValueError) as error:
            raise NotVerifiable(f"{deliverable.id}: {error}", FAILED) from None
        verdicts: tuple[Verdict, ...] = ()
        if self._reloads and found.proof.passed:
            subject = Subject(found.folder, found.files, self.sheet, self._waits)
            again = [one for one in deliverable.checks if one.get("kind") in RELOADS]
            verdicts = tuple(run_check(check, subject) for check in again)
        posted = self._prove(deliverable, found, verdicts) if found.proof.passed else None
        return Verified(
            deliverable.id, str(found.folder), found.files, verdicts, posted, found.proof
        )

    def keep_manifest(self, results: Sequence[Verified]) -> None:
        """Write ``MANIFEST.json`` with what was found; said where that cannot be."""
        if self._is_foreign:
            talk.say(f"{NAME} there is not ours: it is left as it is, and a file like any other")
            return
        announced = {item.id: item for item in self.sheet.deliverables}
        found = {
            result.deliverable: (self._listed(announced[result.deliverable], result), result.files)
            for result in results
            if result.files
        }
        if not found:
            return
        try:
            if not write_manifest_file(self._folder, self.sheet.campaign, found):
                talk.say(f"cannot write {self._folder / NAME}")
        except (OSError, ValueError) as error:
            talk.say(f"{NAME} is left as it is: {error}")

    def _listed(self, deliverable: Deliverable, result: Verified) -> Listed:
        own = Path(result.folder) != self._folder
        return Listed(
            {
                "id": deliverable.id,
                "title": deliverable.title,
                "essential": deliverable.is_essential,
                "folder": deliverable.id if own else ".",
                "verified_at": instants.now_text(),
                "host": host_name(),
                "machine_id": machine_id(self._spool),
                "tool": f"punktum/{punktum.__version__}",
                "runs": self._runs,
                "passed": result.passed,
                "checks": [
                    {"kind": one.kind, "passed": one.passed, "detail": one.detail}
                    for one in result.verdicts
                ],
                "count": len(result.files),
                "size": sum(entry.size for entry in result.files),
            }
        )

    def _post(
        self,
        deliverable: Deliverable,
        folder: Path,
        files: tuple[FileEntry, ...],
        verdicts: tuple[Verdict, ...],
    ) -> Posted | None:
        commands = (reading.text(check.get("command")) for check in deliverable.checks)
        command = next((command for command in commands if command), None)
        found = evidence_of(folder, files, verdicts, self._runs, command, self._spool)
        return self._carry(Evidence(deliverable.id, found, self._own))

    def _prove(
        self, deliverable: Deliverable, found: Arrival, verdicts: tuple[Verdict, ...]
    ) -> Posted | None:
        said = evidence_of(found.folder, found.files, verdicts, found.runs, None, self._spool)
        return self._carry(Evidence(deliverable.id, proof_of(said), None, self.sheet.campaign))

    def _carry(self, evidence: Evidence) -> Posted | None:
        """Kept first, then posted, and the answer is kept too."""
        kept = evidence.keep(self._spool)
        if not kept:
            talk.say(f"cannot write to {self._spool}; the evidence is not kept")
        self._is_kept = kept
        if self._server is None:
            return None
        posted = evidence.post(self._server)
        if kept and posted.taken is not None:
            evidence.keep(self._spool, posted)
        return posted

    def remarks(self, results: Sequence[Verified]) -> list[str]:
        """What holds for all results alike: of the runs, and of the evidence that waits."""
        said = []
        if not self._runs and any(result.proof is None for result in results):
            said.append("no run is named (--run ID), so a person decides")
        carried = [one for one in results if one.proof is None or one.proof.passed]
        if all(one.posted is not None and one.posted.taken is not None for one in carried):
            return said
        for run in self._runs:  # with no server to say it
            stands = not_completed(self._spool, run)
            said += [f"{run} {stands}; no output of it is accepted"] if stands else []
        if self._is_kept:
            why = "no PUNKTUM_URL: the" if self._server is None else "the"
            way = line("replay", self._spool)
            said.append(f"{why} evidence is kept; send it later with: {way}")
        return said
