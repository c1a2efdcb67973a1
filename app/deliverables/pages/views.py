"""What the pages of deliverables show: standings, evidence and history as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from app.deliverables.queries import History, Submitted
from app.deliverables.rules.announced import Promise, label
from app.deliverables.rules.evidence import Result, Status
from app.deliverables.rules.manifest import File
from app.deliverables.rules.standing import (
    DeliverableStanding,
    Place,
    Retrieval,
    State,
    SubmissionLine,
    Verdict,
)
from app.deliverables.rules.words import KINDS, check_said, evidence_lines, size_said
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
    form: Form = field(default_factory=Form)
    today: date = date.min

    @property
    def id(self) -> str:
        """The deliverable's id, used for names of fields and of page parts."""
        return self.standing.id


@dataclass(frozen=True, slots=True)
class Index:
    """The list of a campaign's deliverables."""

    cards: tuple[Card, ...]
    accepted: Text
    units: Text | None
    retrieved: Text | None
    is_sealed: bool
    plan_href: str


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check: what it demands, how it stands, what client and server say of it."""

    label: Text
    status: str
    detail: str
    note: Text | None
    evidence: tuple[tuple[str, str], ...]
    implied: bool


@dataclass(frozen=True, slots=True)
class FileLine:
    """One file of the manifest; path and hash in parts between which a line may break."""

    path: tuple[str, ...]
    size: Text
    sha256: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Act:
    """One line of a deliverable's history, newest first."""

    number: int
    at: datetime
    mark: str
    title: Text
    by: Text
    detail: Text | None


@dataclass(frozen=True, slots=True)
class Pager:
    """Which page of a long list is shown, and the way to its neighbours."""

    page: int
    pages: int
    earlier: str | None
    later: str | None


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
    errors: tuple[tuple[str, Text], ...]


def card(
    campaign: str,
    standing: DeliverableStanding,
    *,
    closed: bool,
    today: date,
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
        form=form or Form(),
        today=today,
    )


def index(
    campaign_id: str, standings: Sequence[DeliverableStanding], cards: Sequence[Card], sealed: bool
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
        sealed,
        f"/campaigns/{campaign_id}/plan",
    )


def show(
    card: Card,
    promise: Promise | None,
    submitted: Submitted | None,
    history: History,
    page: int,
) -> Show:
    """One deliverable; without a submission its checks are listed as not run."""
    results = submitted.results if submitted is not None else ()
    stale = (
        promise is not None
        and submitted is not None
        and promise.sha256 != submitted.line.announced_sha256
    )
    checks = _unsubmitted(promise) if stale or submitted is None else _checked(promise, results)
    beyond = [result for result in results if not result.announced]
    files = submitted.files if submitted is not None else ()
    shown, pager = _paged(files, page, card.href)
    return Show(
        card=card,
        checks=tuple(checks),
        beyond=tuple(_line(check_said(result.kind), result) for result in beyond),
        files=tuple(_file(file) for file in shown),
        pager=pager,
        base=_base(submitted.line) if submitted is not None else None,
        acts=_acts(history),
        errors=tuple(card.form.errors.items()),
    )


def _unsubmitted(promise: Promise | None) -> list[CheckLine]:
    checks = promise.checks if promise is not None else ()
    return [
        CheckLine(label(one.check), str(Status.NOT_RUN), "", None, (), one.implied)
        for one in checks
    ]


def _checked(promise: Promise | None, results: Sequence[Result]) -> list[CheckLine]:
    announced = [result for result in results if result.announced]
    if promise is None or len(promise.checks) != len(announced):
        return [_line(check_said(result.kind), result) for result in announced]
    return [
        _line(label(one.check), result, implied=one.implied)
        for one, result in zip(promise.checks, announced, strict=True)
    ]


def _line(said: Text, result: Result, *, implied: bool = False) -> CheckLine:
    note = result.note.said() if result.note is not None else None
    evidence = evidence_lines(result.evidence)
    return CheckLine(said, str(result.status), result.detail, note, evidence, implied)


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


def _acts(history: History) -> tuple[Act, ...]:
    acts = [
        *(_submission(line) for line in history.submissions),
        *(_verdict(verdict) for verdict in history.verdicts),
        *(_retrieval(found) for found in history.retrievals),
        *(_place(found) for found in history.places),
    ]
    return tuple(sorted(acts, key=lambda act: -act.number))


def _submission(line: SubmissionLine) -> Act:
    detail = text(
        "{passed} passed, {failed} failed, {not_run} not run",
        passed=line.passed,
        failed=line.failed,
        not_run=line.not_run,
    )
    title = text("Submitted")
    return Act(line.number, line.at, "submitted", title, _name(line.actor_name), detail)


def _verdict(verdict: Verdict) -> Act:
    title = text("Accepted") if verdict.verdict == State.ACCEPTED else text("Rejected")
    by, detail = _name(verdict.actor_name), None
    if verdict.actor_kind == "rule":
        by, detail = text("by the rule"), text("Every announced check passed.")
    elif verdict.reason:
        detail = text("{reason}", reason=verdict.reason)
    return Act(verdict.number, verdict.at, verdict.verdict, title, by, detail)


def _retrieval(found: Retrieval) -> Act:
    detail = text("The same files were verified on another machine.")
    title = text("Retrieved")
    return Act(found.number, found.at, "retrieved", title, _name(found.host or "–"), detail)


def _place(found: Place) -> Act:
    detail = text("{where}, seen there on {day}", where=found.where, day=found.seen_on)
    title = text("Place stated")
    return Act(found.number, found.at, "placed", title, _name(found.by), detail)


def _name(name: str) -> Text:
    return text("{name}", name=name)
