"""A campaign as its file, and a sealed version as a file that proves itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from app.exchange.rules import write_campaign_file
from app.journal import Actor, canonical, entry_hash
from app.plan.queries import (
    MOST_VERSIONS,
    current,
    draft,
    seal_sha256,
    sealed,
    sealed_record,
)
from app.plan.rules.document import from_document
from app.plan.rules.model import Plan
from app.texts import Text, text
from app.units import UnitError, parse_instant

SEALED_FORMAT = "punktum-sealed/1"


SEALED = ("version", "document", "schedule", "offers", "sha256", "reason", "knowledge", "warnings")
"""What the journal's entry about a seal says: all of it is under the entry's hash."""


@dataclass(frozen=True, slots=True)
class SealedFile:
    """What the file of a sealed version says of itself, and the hashes that its content has.

    `stated` and `found` are of the plan with its schedule; the entry's hash covers also who sealed
    it and when, the reason, what was known, the offers and the warnings.
    """

    campaign: str
    version: int
    stated: str
    found: str
    entry_number: int
    entry_stated: str
    entry_found: str

    @property
    def holds(self) -> bool:
        """Whether the content is what was sealed, and its entry says the same."""
        return self.stated == self.found and self.entry_stated == self.entry_found


def file_of(session: Session, campaign_id: str, version: int | None = None) -> str | None:
    """The campaign file in TOML: of the newest sealed version, else of the draft.

    `version` names a sealed version, or the draft by 0. None where there is no such plan.
    """
    if version is None:
        view = current(session, campaign_id)
    elif version == 0:
        view = draft(session, campaign_id)
    else:
        view = sealed(session, campaign_id, version)
    return write_campaign_file(view.plan) if view else None


@dataclass(frozen=True, slots=True)
class Download:
    """A file for a browser to keep under a telling name."""

    content: str
    media_type: str
    name: str

    @property
    def headers(self) -> dict[str, str]:
        """What lets a browser keep it, and nobody between."""
        return {
            "Content-Disposition": f'attachment; filename="{self.name}"',
            "Cache-Control": "no-store",
        }


def campaign_download(session: Session, campaign_id: str, version: int | None) -> Download | None:
    """The campaign file of a version, as `file_of`."""
    name = f"{campaign_id}-v{version}.toml" if version else f"{campaign_id}.toml"
    content = file_of(session, campaign_id, version)
    return Download(content, "application/toml", name) if content is not None else None


def sealed_download(session: Session, campaign_id: str, version: int) -> Download | None:
    """The file of a sealed version."""
    content = sealed_file(session, campaign_id, version)
    name = f"{campaign_id}-v{version}-sealed.json"
    return Download(content, "application/json", name) if content is not None else None


def sealed_file(session: Session, campaign_id: str, version: int) -> str | None:
    """A sealed version as JSON that can be verified without this server; None where none is.

    Only sealed versions have one: a draft promises nothing.
    """
    if not 0 < version <= MOST_VERSIONS:
        return None
    record = sealed_record(session, campaign_id, version)
    if record is None:
        return None
    return json.dumps({"format": SEALED_FORMAT, **record}, indent=2, ensure_ascii=False) + "\n"


def read_sealed(content: str | bytes) -> SealedFile | Text:
    """Compute the hashes of a sealed version's file again, from the file alone.

    The sentence says what is wrong with something that is no such file. A file whose content
    was changed is read, and does not hold.
    """
    try:
        found: Any = json.loads(content)
    except ValueError:
        return text("This is no JSON: export the sealed version again.")
    if not isinstance(found, dict) or found.get("format") != SEALED_FORMAT:
        wanted = SEALED_FORMAT
        return text(
            "This is no file of a sealed version: its format is not {format}.", format=wanted
        )
    if not isinstance(found.get("document"), dict) or not isinstance(found.get("schedule"), dict):
        return text("The file lacks the plan or its schedule.")
    if not isinstance(found.get("sha256"), str) or not isinstance(found.get("version"), int):
        return text("The file does not say which version it is, or its hash.")
    plan = from_document(found["document"])
    if not isinstance(plan, Plan):
        return text("The plan in the file cannot be read: {why}", why=plan[0].message)
    try:
        return _read(plan.id, found)
    except (KeyError, TypeError, ValueError, UnitError):
        return text("The file lacks the entry of the journal that sealed the plan.")


def _read(campaign_id: str, found: dict[str, Any]) -> SealedFile:
    entry, payload = found["entry"], {name: found[name] for name in SEALED}
    actor = Actor(str(entry["actor"]["kind"]), str(entry["actor"]["name"]))
    digest = entry_hash(
        entry["previous_sha256"],
        campaign_id,
        int(entry["number"]),
        parse_instant(entry["at"]),
        actor,
        str(entry["kind"]),
        canonical(payload).decode(),
    )
    return SealedFile(
        campaign_id,
        found["version"],
        found["sha256"],
        seal_sha256(found["document"], found["schedule"]),
        int(entry["number"]),
        str(entry["sha256"]),
        digest,
    )
