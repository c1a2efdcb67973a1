"""Reading campaign files into drafts, with the ids that lie beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from pathlib import Path, PurePosixPath

from app.db import Database, WriteSession
from app.errors import AppError, Malformed
from app.exchange.rules import FileProblem, read_campaign_file
from app.journal import Actor
from app.offers.rules.trouble import refusal_of
from app.plan.commands import Saved, judge, save_draft
from app.plan.queries import draft
from app.plan.rules.checks import malformed
from app.plan.rules.document import from_document, to_document
from app.plan.rules.model import Corpus, Plan
from app.plan.rules.sealing import ids_missing
from app.texts import Text, text

SAMPLE = "invoice-adapter.toml"
LISTED = 200

Beside = Callable[[str], bytes | None]
"""Gives the content of a file named in a campaign file, or None where it did not come along."""


class MalformedFile(Malformed):
    """A campaign file that cannot be read; `found` are its problems as sentences for pages."""

    found: tuple[FileProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """A file that was read into a draft; `changed` is False where the draft said so already."""

    campaign_id: str
    created: bool
    changed: bool
    warnings: tuple[Text, ...]


def nothing_beside(name: str) -> bytes | None:
    """A campaign file that came alone."""
    return None


def import_text(
    database: Database,
    source: str | bytes,
    actor: Actor,
    now: datetime,
    *,
    replace: bool = False,
    beside: Beside = nothing_beside,
    only: str | None = None,
) -> Imported:
    """Read a campaign file and keep it as a draft, whole or not at all.

    Raises `Malformed` with `problems` (line, field, detail) for a wrong file, and `Conflict`
    with `difference` where a draft of that id says something else and `replace` is False.
    `only` is the one id that the file may have.
    """
    plan = read_campaign_file(source)
    if not isinstance(plan, Plan):
        raise refused(plan)
    if only is not None and plan.id != only:
        said = text("This is the file of {theirs}, not of {ours}.", theirs=plan.id, ours=only)
        raise Malformed(said, field="campaign.id", allowed=[only])
    with database.read() as session:
        before = draft(session, plan.id)
    plan = _with_ids(plan, beside, before.plan.corpora if before else ())
    with database.read() as session:
        judge(session, plan)

    def command(tx: WriteSession) -> Saved | AppError:
        return save_draft(tx, plan, revision=None, replace=replace, actor=actor, now=now)

    saved = database.write(plan.id, command)
    assert isinstance(saved, Saved)
    return Imported(plan.id, saved.created, saved.changed, ids_missing(plan))


def import_path(
    database: Database, file: Path, actor: Actor, now: datetime, *, replace: bool = False
) -> Imported:
    """Read a campaign file from disk with the files beside it."""
    folder = file.resolve().parent

    def beside(name: str) -> bytes | None:
        found = folder / name
        return found.read_bytes() if _inside(name) and found.is_file() else None

    return import_text(database, file.read_bytes(), actor, now, beside=beside, replace=replace)


def import_sample(database: Database, actor: Actor, now: datetime) -> Imported:
    """Load the sample campaign that comes with the program."""
    folder = resources.files("app.exchange").joinpath("samples")

    def beside(name: str) -> bytes | None:
        found = folder.joinpath(name)
        return found.read_bytes() if _inside(name) and found.is_file() else None

    return import_text(database, folder.joinpath(SAMPLE).read_bytes(), actor, now, beside=beside)


def refused(problems: Sequence[FileProblem]) -> MalformedFile:
    """One refusal for all that is wrong with a file."""
    said, listed = refusal_of(problems, LISTED)
    refusal = MalformedFile(said, field=problems[0].field or None, problems=listed)
    refusal.found = tuple(problems[:LISTED])
    return refusal


def _inside(name: str) -> bool:
    """Whether a name stays in the folder of the campaign file."""
    path = PurePosixPath(name.replace("\\", "/"))
    return not path.is_absolute() and ".." not in path.parts and ":" not in name


def _with_ids(plan: Plan, beside: Beside, before: Sequence[Corpus]) -> Plan:
    """The plan with the ids of each `ids_file` that came along; they are sealed with it.

    Where the file came alone, ids that were read before for the same corpus are kept.
    """
    document = to_document(plan)
    corpora = document.get("corpora")
    if not isinstance(corpora, list):
        return plan
    known = {(one.id, one.revision, one.ids_file): one.ids for one in before if one.ids}
    for corpus in corpora:
        name = corpus.get("ids_file")
        if name is None or "ids" in corpus:
            continue
        content = beside(name)
        kept = known.get((corpus["id"], corpus.get("revision"), name))
        if content is not None:
            corpus["ids"] = _lines(str(name), content)
        elif kept is not None:
            corpus["ids"] = list(kept)
    read = from_document(document)
    problems = malformed(read) if isinstance(read, Plan) else read
    if problems or not isinstance(read, Plan):
        raise refused([FileProblem(1, one.path, one.message, one.value) for one in problems])
    return read


def _lines(name: str, content: bytes) -> list[str]:
    try:
        written = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        said = text("{file} is not UTF-8; it holds one id on each line.", file=name)
        raise Malformed(said, field="ids_file") from None
    return [line.strip() for line in written.splitlines() if line.strip()]
