"""``punktum init DIR``: an output folder in which everything that is expected has its place.

What a person wrote is never changed: of each file that is written here the hash is kept, and only
a file that still has it is written again.
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from punktum import reading, talk
from punktum.calling import line
from punktum.filling import fill_all
from punktum.layout_texts import expected_files, readme, reload_page
from punktum.manifest_file import NAME, Listed, is_foreign, listed, write_manifest_file
from punktum.marks import read_whole, write_whole
from punktum.server import Server
from punktum.settings import Settings, spool_folder
from punktum.sheet import (
    Deliverable,
    Sheet,
    campaigns_differ,
    fetch_sheet,
    kept_sheet,
    sheet_in,
    sheet_of_campaign_file,
)

LAYOUT: Final = "layout.json"
FORMAT: Final = "punktum-layout/1"
README, OTHER_README, RELOAD = "README.md", "README-punktum.md", "RELOAD.md"


class NotLaidOut(Exception):
    """The folder cannot be laid out; the text says why."""


@dataclass(slots=True)
class LaidOut:
    """What was made and what was left as it is; paths below the folder."""

    folder: Path
    made: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    code: int = 0

    def form(self) -> dict[str, object]:
        """For ``--json``."""
        return {"folder": str(self.folder), "made": self.made, "left": self.left}

    def lines(self) -> list[str]:
        """For a person."""
        said = [f"made  {name}" for name in self.made] + [f"left  {name}" for name in self.left]
        return said or [f"{self.folder} is laid out already"]


def lay_out(folder: Path, settings: Settings, campaign_file: str | None = None) -> LaidOut:
    """Lay the folder out, any number of times. Raises NotLaidOut."""
    if folder.exists() and not folder.is_dir():
        raise NotLaidOut(f"{folder} is no folder")
    done = LaidOut(folder)
    spool = spool_folder(folder)
    try:
        spool.mkdir(parents=True, exist_ok=True)
        (folder / ".punktum").mkdir(parents=True, exist_ok=True)
        sheet = _sheet(spool, settings, campaign_file, done)
        kept = read_whole(folder / ".punktum" / LAYOUT) or {}
        runs = _runs_folder(sheet, kept)
        written = dict(reading.record(kept.get("written")))
        places = {one.id: _place(done, one) for one in sheet.deliverables}
        _folder(done, runs)
        name = README if _is_free(folder / README, written.get(README)) else OTHER_README
        pages = {
            name: readme(sheet, places, runs),
            RELOAD: reload_page(sheet, places),
        }
        for page, text in pages.items():
            _page(done, page, text, written)
        _manifest(done, sheet, places)
    except OSError as error:
        named = error.filename or folder
        raise NotLaidOut(f"{named}: {error.strerror or error}") from None
    layout = {"format": FORMAT, "runs": runs, "written": written}
    if layout != kept and not write_whole(folder / ".punktum" / LAYOUT, layout):
        raise NotLaidOut(f"cannot write to {folder / '.punktum'}")
    fill_all(folder, spool)
    return done


def _sheet(spool: Path, settings: Settings, campaign_file: str | None, done: LaidOut) -> Sheet:
    """A file that was named, else what the server says, else what is kept, else an empty one."""
    if campaign_file is not None:
        try:
            return sheet_of_campaign_file(Path(campaign_file))
        except ValueError as error:
            raise NotLaidOut(str(error)) from None
    why = "no PUNKTUM_URL"
    if settings.url is not None:
        reply = fetch_sheet(Server(settings), spool)
        sheet = sheet_in(reply)
        if sheet is not None:
            differ = campaigns_differ(spool, sheet)
            if differ is not None:
                raise NotLaidOut(f"{differ}: take the other token, or another folder")
            return sheet
        why = reply.problem if reply else f"{settings.url} does not answer"
        done.code = 1 if reply else 5
    kept = kept_sheet(spool, Path(".punktum") / "spool")
    if kept is None:
        again = line("init", done.folder, "--campaign", "FILE")
        done.remarks.append(f"{why}: the deliverables are not known yet; later: {again}")
        return Sheet({})
    done.remarks.append(f"{why}; deliverables are taken from the kept sheet")
    return kept


def _runs_folder(sheet: Sheet, kept: dict[str, object]) -> str:
    """Where the record of the runs lies; a deliverable of that name goes before."""
    known = reading.text(kept.get("runs"))
    if known is not None:
        return known
    return "run_records" if any(one.id == "runs" for one in sheet.deliverables) else "runs"


def _place(done: LaidOut, deliverable: Deliverable) -> str:
    """A folder of its own, unless its files lie in the output folder already."""
    own = done.folder / deliverable.id
    named = expected_files(deliverable)
    if not own.is_dir() and any((done.folder / name).exists() for name in named):
        return "."
    if own.exists() and not own.is_dir():
        done.remarks.append(f"{own} is no folder: {deliverable.id} is looked for in {done.folder}")
        return "."
    _folder(done, deliverable.id)
    return deliverable.id


def _folder(done: LaidOut, name: str) -> None:
    if not (done.folder / name).is_dir():
        (done.folder / name).mkdir()
        done.made.append(f"{name}/")


def _is_free(path: Path, known: object) -> bool:
    """Whether a page may be written there: nothing is there, or what we wrote before."""
    return known is not None or not _is_there(path)


def _page(done: LaidOut, name: str, text: str, written: dict[str, object]) -> None:
    path, known = done.folder / name, written.get(name)
    raw = text.encode()
    digest = hashlib.sha256(raw).hexdigest()
    if _is_there(path):
        there = _hash(path)
        if there == digest:
            written[name] = digest
            return
        if there != known:
            done.left.append(name)
            talk_of = "is not as it was written here: it is left as it is"
            done.remarks.append(f"{path} {talk_of}")
            return
    beside = path.with_name(f".{name}.new")
    with contextlib.suppress(FileNotFoundError):
        beside.unlink()
    beside.write_bytes(raw)
    beside.replace(path)
    written[name] = digest
    done.made.append(name)


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def _hash(path: Path) -> str | None:
    """None for what is no regular file: it is not ours."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 1 << 24:
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _manifest(done: LaidOut, sheet: Sheet, places: dict[str, str]) -> None:
    """Every announced deliverable is named from the start; what was verified stays."""
    if is_foreign(done.folder):
        done.left.append(NAME)
        return
    try:
        known = {one.id for one in listed(done.folder)}
        fresh = {
            one.id: (_announced(one, places[one.id]), ())
            for one in sheet.deliverables
            if one.id not in known
        }
        if fresh or not _is_there(done.folder / NAME):
            if not write_manifest_file(done.folder, sheet.campaign, fresh):
                talk.say(f"cannot write {done.folder / NAME}")
                return
            done.made.append(NAME)
    except ValueError as error:
        done.left.append(NAME)
        done.remarks.append(f"{NAME} is left as it is: {error}")


def _announced(deliverable: Deliverable, place: str) -> Listed:
    return Listed(
        {
            "id": deliverable.id,
            "title": deliverable.title,
            "essential": deliverable.is_essential,
            "folder": place,
            "verified_at": None,
        }
    )
