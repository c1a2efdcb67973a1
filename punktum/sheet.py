"""The sheet: what a job may know of its campaign, kept for when there is no server.

``GET /api/v1/sheet`` gives the campaign's id, steps, stop rules, deliverables with their announced
checks, corpora with their ids, and windows. A campaign file (``--campaign FILE``) gives the same.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from punktum import instants, reading
from punktum.answers import read_names, readable_rules
from punktum.marks import read_whole, write_whole
from punktum.server import Reply, Server, Unreachable
from punktum.spool import spool_files
from punktum.stop_rules import StopRule

FORMAT: Final = "punktum-sheet/1"
SHEET: Final = "sheet.json"
OF_PEOPLE: Final = ("human", "decision_point")
"""Kinds of steps that people do."""


@dataclass(frozen=True, slots=True)
class Deliverable:
    """An announced deliverable; ``checks`` in the order and form they were sealed."""

    id: str
    title: str
    checks: tuple[dict[str, object], ...]
    is_essential: bool = True
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A campaign as a job knows it; the raw form is kept, the rest is read from it."""

    raw: dict[str, object]

    @property
    def campaign(self) -> str | None:
        """The campaign's id."""
        return reading.text(reading.record(self.raw.get("campaign")).get("id"))

    @property
    def steps(self) -> list[str]:
        """The ids of the plan's steps."""
        return [str(step["id"]) for step in reading.records(self.raw.get("steps")) if "id" in step]

    @property
    def steps_of_people(self) -> list[str]:
        """The ids of the plan's steps that no job works on."""
        steps = reading.records(self.raw.get("steps"))
        return [str(step["id"]) for step in steps if step.get("kind") in OF_PEOPLE and "id" in step]

    def step_with_role(self, role: str) -> str | None:
        """The first step that has this role in the plan."""
        steps = reading.records(self.raw.get("steps"))
        found = (reading.text(step.get("id")) for step in steps if step.get("role") == role)
        return next(found, None)

    @property
    def rules(self) -> tuple[StopRule, ...]:
        """The sealed stop rules that can be read."""
        return readable_rules(self.raw.get("rules"))

    @property
    def metric_names(self) -> dict[str, str]:
        """``{our name: the job's name}``."""
        return read_names(self.raw.get("metric_names"))

    @property
    def deliverables(self) -> tuple[Deliverable, ...]:
        """The announced deliverables."""
        return tuple(
            Deliverable(
                str(item.get("id")),
                reading.text(item.get("title")) or str(item.get("id")),
                tuple(reading.records(item.get("checks"))),
                item.get("essential") is not False,
                reading.text(item.get("kind")),
            )
            for item in reading.records(self.raw.get("deliverables"))
        )

    def corpus(self, name: str) -> dict[str, object] | None:
        """A corpus by its id."""
        corpora = reading.records(self.raw.get("corpora"))
        return next((corpus for corpus in corpora if corpus.get("id") == name), None)

    @property
    def last_window_ends_at(self) -> str | None:
        """When the last lot can no longer be used."""
        ends = [
            end
            for window in reading.records(self.raw.get("windows"))
            if (end := reading.text(window.get("usable_until") or window.get("ends_at")))
        ]
        return max(ends, key=lambda end: instants.epoch_s(end) or 0.0, default=None)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was most likely meant."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def fetch_sheet(server: Server, folder: Path) -> Reply | None:
    """Ask for the sheet and keep it, but not over that of another campaign whose events lie there;
    the reply, or None when the server does not answer."""
    try:
        reply = server.get("/api/v1/sheet")
    except Unreachable:
        return None
    asked = sheet_in(reply)
    if asked is not None and campaigns_differ(folder, asked) is None:
        write_whole(folder / SHEET, reply.body)
    return reply


def sheet_in(reply: Reply | None) -> Sheet | None:
    """The sheet that a reply brings; None for a refusal, and for what is no Punktum's answer."""
    if reply is None or reply.status != 200 or reply.body.get("format") != FORMAT:
        return None
    return Sheet(reply.body)


def other_campaign(server: Server, folder: Path) -> str | None:
    """Says that a spool belongs to one campaign and the token to another; None where it fits, or
    where that cannot be known."""
    try:
        asked = sheet_in(server.get("/api/v1/sheet"))
    except Unreachable:
        return None
    differ = campaigns_differ(folder, asked) if asked is not None else None
    if differ is None:
        return None
    remove = f"rm {shlex.quote(str(folder / SHEET))}"
    return f"{differ}: take the other token, or if this is what you want: {remove}"


def campaigns_differ(folder: Path, asked: Sheet) -> str | None:
    """Says that what lies in a spool folder is of another campaign than a sheet; else None."""
    kept = kept_sheet(folder)
    if kept is None or kept.campaign == asked.campaign:
        return None
    if not spool_files(folder) and not (folder / "submissions").exists():
        return None  # only looked at: nothing of it can go astray
    return f"{folder} is of the campaign {kept.campaign}, the token of {asked.campaign}"


def kept_sheet(*folders: Path) -> Sheet | None:
    """The first sheet found in these spool folders."""
    for folder in folders:
        found = read_whole(folder / SHEET)
        if found is not None and found.get("format") == FORMAT:
            return Sheet(found)
    return None


def sheet_of_campaign_file(path: Path) -> Sheet:
    """Read a campaign file (TOML) as a sheet. Raises ValueError with what is wrong."""
    try:
        import tomllib
    except ImportError:
        raise ValueError("reading a campaign file needs Python 3.11 or newer") from None
    try:
        with path.open("rb") as stream:
            found: Mapping[str, object] = tomllib.load(stream)
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    if found.get("format") != "punktum/1":
        raise ValueError(f'{path}: format is {found.get("format")!r}, "punktum/1" is needed')
    return Sheet(
        {
            "format": FORMAT,
            "campaign": dict(reading.record(found.get("campaign"))),
            "metric_names": reading.record(
                reading.record(found.get("decision_rule")).get("metrics")
            ),
            "steps": reading.records(found.get("steps")),
            "rules": reading.records(found.get("stop_rules")),
            "deliverables": _with_ids(reading.records(found.get("deliverables")), path.parent),
            "corpora": _corpora(reading.records(found.get("corpora")), path.parent),
            "windows": [],
        }
    )


def _corpora(corpora: list[dict[str, object]], folder: Path) -> list[dict[str, object]]:
    """Corpora with the ids of their ``ids_file`` read in."""
    return [
        {**corpus, "ids": _ids(folder / str(corpus["ids_file"]))}
        if corpus.get("ids_file")
        else corpus
        for corpus in corpora
    ]


def _with_ids(items: list[dict[str, object]], folder: Path) -> list[dict[str, object]]:
    """Deliverables whose checks name a file of ids get these ids."""
    read = []
    for item in items:
        checks = [
            {**check, "ids": _ids(folder / ids)}
            if isinstance(ids := check.get("ids"), str)
            else check
            for check in reading.records(item.get("checks"))
        ]
        read.append({**item, "checks": checks})
    return read


def _ids(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    return [line.strip() for line in lines if line.strip()]
