"""What the pages of deliverables show: standings, evidence and history as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from app.deliverables.pages.acts import Act, acts_of
from app.deliverables.pages.checks import CheckLine, beyond, checked, unsubmitted
from app.deliverables.queries import AtHome, History, Submitted
from app.deliverables.rules.announced import Promise
from app.deliverables.rules.left import Left, left_said, whereabouts_said
from app.deliverables.rules.manifest import File
from app.deliverables.rules.retrieval import Pending, Whereabouts
from app.deliverables.rules.standing import DeliverableStanding, State, SubmissionLine
from app.deliverables.rules.words import KINDS, size_said
from app.texts import Text, ntext, text
from app.web import Form

PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class Card:
    """One deliverable in words: its standing and what can be done with it."""

    standing: DeliverableStanding
    kind: Text
    href: str
    verify: str
    files: Text | None
    runs: tuple[tuple[str, str], ...]
    can_accept: bool
    can_reject: bool
    can_place: bool
    can_lose: bool
    where: Whereabouts | None
    form: Form = field(default_factory=Form)
    today: date = date.min

    @property
    def id(self) -> str:
        """The deliverable's id, used for names of fields and of page parts."""
        return self.standing.id

    @property
    def where_said(self) -> Text | None:
        """What is known of its files beside a proof; None where there is nothing to say."""
        if self.where in (None, Whereabouts.RETRIEVED):
            return None
        return whereabouts_said(self.where)


@dataclass(frozen=True, slots=True)
class Index:
    """The list of a campaign's deliverables."""

    cards: tuple[Card, ...]
    accepted: Text
    units: Text | None
    retrieved: Text | None
    left: Left
    is_sealed: bool
    plan_href: str


@dataclass(frozen=True, slots=True)
class FileLine:
    """One file of the manifest; path and hash in parts between which a line may break."""

    path: tuple[str, ...]
    size: Text
    sha256: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pager:
    """Which page of a long list is shown, and the way to its neighbours."""

    page: int
    pages: int
    earlier: str | None
    later: str | None


@dataclass(frozen=True, slots=True)
class Home:
    """What was found where the files were retrieved to; `reloaded` is a state of its own."""

    at: datetime
    host: str | None
    reloaded: str | None
    checks: tuple[CheckLine, ...]


@dataclass(frozen=True, slots=True)
class Show:
    """One deliverable with its evidence, manifest and history."""

    card: Card
    checks: tuple[CheckLine, ...]
    beyond: tuple[CheckLine, ...]
    files: tuple[FileLine, ...]
    pager: Pager
    base: Text | None
    acts: tuple[Act, ...]
    home: Home | None
    errors: tuple[tuple[str, Text], ...]


def card(
    campaign: str,
    standing: DeliverableStanding,
    *,
    closed: bool,
    today: date,
    where: Whereabouts | None = None,
    form: Form | None = None,
) -> Card:
    """A deliverable as the pages show it; `campaign` is the address of its campaign."""
    newest = standing.newest
    judgeable = newest is not None and standing.announced and not closed
    files = None
    if newest is not None:
        n = newest.files
        files = ntext("{n} file, {size}", "{n} files, {size}", n, size=size_said(newest.size_bytes))
    all_passed = standing.checks == standing.passed
    return Card(
        standing=standing,
        kind=KINDS[standing.kind],
        href=f"{campaign}/deliverables/{standing.id}",
        verify=f"punktum verify OUTPUT_DIR --deliverable {standing.id}",
        files=files,
        runs=tuple((run, f"{campaign}/runs/{run}") for run in newest.runs) if newest else (),
        can_accept=judgeable and all_passed and standing.state is not State.ACCEPTED,
        can_reject=judgeable,
        can_place=newest is not None,
        can_lose=newest is not None and not closed and standing.retrieved is None,
        where=where,
        form=form or Form(),
        today=today,
    )


def index(
    campaign_id: str,
    standings: Sequence[DeliverableStanding],
    cards: Sequence[Card],
    sealed: bool,
    left: Pending,
) -> Index:
    """The list with its counts; only what is announced now counts."""
    mine = [one for one in standings if one.announced]
    accepted = [one for one in mine if one.state is State.ACCEPTED]
    units = [one for one in mine if one.unit]
    got = [one for one in accepted if one.unit]
    home = [one for one in accepted if one.retrieved is not None]
    return Index(
        tuple(cards),
        text("{n} of {total}", n=len(accepted), total=len(mine)),
        text("{n} of {total}", n=len(got), total=len(units)) if units else None,
        text("{n} of {total}", n=len(home), total=len(accepted)) if accepted else None,
        left_said(left),
        sealed,
        f"/campaigns/{campaign_id}/plan",
    )


def show(
    card: Card,
    promise: Promise | None,
    submitted: Submitted | None,
    history: History,
    home: AtHome | None,
    page: int,
) -> Show:
    """One deliverable; without a submission its checks are listed as not run."""
    results = submitted.results if submitted is not None else ()
    stale = (
        promise is not None
        and submitted is not None
        and promise.sha256 != submitted.line.announced_sha256
    )
    files = submitted.files if submitted is not None else ()
    shown, pager = _paged(files, page, card.href)
    return Show(
        card=card,
        checks=unsubmitted(promise)
        if stale or submitted is None
        else checked(promise, results, submitted.line),
        beyond=beyond(results, submitted.line) if submitted is not None else (),
        files=tuple(_file(file) for file in shown),
        pager=pager,
        base=_base(submitted.line) if submitted is not None else None,
        acts=acts_of(history),
        home=_home(card.standing, promise, home),
        errors=tuple(card.form.errors.items()),
    )


def _home(
    standing: DeliverableStanding, promise: Promise | None, home: AtHome | None
) -> Home | None:
    proof = standing.retrieved
    if home is None or proof is None:
        return None
    checks = checked(promise, home.results, home.line)
    return Home(proof.at, proof.host, proof.reloaded, checks)


def _paged(files: Sequence[File], page: int, href: str) -> tuple[Sequence[File], Pager]:
    pages = max(1, -(-len(files) // PER_PAGE))
    page = min(max(page, 1), pages)
    earlier = f"{href}?page={page - 1}#manifest" if page > 1 else None
    later = f"{href}?page={page + 1}#manifest" if page < pages else None
    start = (page - 1) * PER_PAGE
    return files[start : start + PER_PAGE], Pager(page, pages, earlier, later)


def _file(file: File) -> FileLine:
    *folders, name = file.path.split("/")
    path = (*(f"{folder}/" for folder in folders), name)
    parts = tuple(file.sha256[at : at + 16] for at in range(0, 64, 16))
    return FileLine(path, size_said(file.size), parts)


def _base(line: SubmissionLine) -> Text | None:
    if line.base is None and line.base_revision is None:
        return None
    base, revision = line.base or "–", line.base_revision or "–"
    return text("{base} at {revision}", base=base, revision=revision)
