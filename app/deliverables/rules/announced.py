"""The checks that a sealed plan announces for a deliverable, and their one hash.

An adapter keeps the exact revision of its base model whether or not its plan says so: the
check is then implied, and the server judges it from the manifest alone.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict, dataclass, fields

from app.plan.rules.document.figures import figure_text
from app.plan.rules.model import Check, CheckKind, Corpus, Deliverable, DeliverableKind, Plan
from app.texts import Text, ntext, text


@dataclass(frozen=True, slots=True)
class Announced:
    """One check that a submission must pass; `expected` is how many ids it speaks of."""

    check: Check
    expected: int | None = None
    implied: bool = False


@dataclass(frozen=True, slots=True)
class Promise:
    """A deliverable with all its checks and the hash of what was announced."""

    deliverable: Deliverable
    checks: tuple[Announced, ...]
    sha256: str


def promises(plan: Plan) -> tuple[Promise, ...]:
    """Every announced deliverable of a plan in its order."""
    return _promises(plan.deliverables, plan.corpora)


@functools.lru_cache(maxsize=256)
def _promises(
    deliverables: tuple[Deliverable, ...], corpora: tuple[Corpus, ...]
) -> tuple[Promise, ...]:
    by_id = {corpus.id: corpus for corpus in corpora}
    return tuple(_promise(deliverable, by_id) for deliverable in deliverables)


def promise(plan: Plan, deliverable_id: str) -> Promise | None:
    """One announced deliverable, or None."""
    found = promises(plan)
    return next((one for one in found if one.deliverable.id == deliverable_id), None)


def _promise(deliverable: Deliverable, corpora: dict[str, Corpus]) -> Promise:
    checks = tuple(
        Announced(check, _expected(check, corpora.get(check.corpus or "")))
        for check in deliverable.checks
    )
    kinds = {check.kind for check in deliverable.checks}
    if deliverable.kind is DeliverableKind.ADAPTER and CheckKind.BASE_REVISION not in kinds:
        checks = (*checks, Announced(Check(CheckKind.BASE_REVISION), implied=True))
    named = [corpora[check.corpus] for check in deliverable.checks if check.corpus in corpora]
    content = {
        "checks": [_said(one.check) for one in checks],
        "corpora": [asdict(corpus) for corpus in named],
        "kind": deliverable.kind,
    }
    written = json.dumps(content, sort_keys=True, default=str)
    return Promise(deliverable, checks, hashlib.sha256(written.encode()).hexdigest())


def _said(check: Check) -> dict[str, object]:
    """A check's content. What came to the format later is left out where nothing is said of it,
    so that submissions made before keep the hash that they were judged by."""
    defaults = {field.name: field.default for field in fields(Check)}
    return {
        name: value
        for name, value in asdict(check).items()
        if name not in _SINCE or value != defaults[name]
    }


_SINCE = frozenset({"match", "keys", "columns", "rows", "min_rows", "value", "tolerance"})


def _expected(check: Check, corpus: Corpus | None) -> int | None:
    if check.ids is not None:
        return len(check.ids)
    if corpus is None:
        return None
    return len(corpus.ids) if corpus.ids is not None else corpus.rows


def label(check: Check) -> Text:
    """What a check demands, in words."""
    match check.kind:
        case CheckKind.NON_EMPTY:
            if check.file is not None:
                return text("{file} is there and not empty", file=check.file)
            return text("No file is empty")
        case CheckKind.EXPECTED_IDS:
            return _ids_label(check)
        case CheckKind.NO_TEMPORARY_PATHS:
            return text("Nothing depends on a temporary folder")
        case CheckKind.BASE_REVISION:
            return text("The exact revision of the base model is stated")
        case CheckKind.PARAMETERS:
            return text(
                "{file} holds the parameters {keys}", file=check.file or "–", keys=check.keys
            )
        case CheckKind.SCHEMA:
            return _schema_label(check)
        case CheckKind.RELOAD:
            return text("“{command}” succeeds in a new process", command=check.command or "")
        case CheckKind.REPRODUCE:
            return _value_label(check)


def _schema_label(check: Check) -> Text:
    file = check.file or "–"
    what: list[Text] = []
    if check.columns:
        what.append(text("the columns {columns}", columns=check.columns))
    if check.rows is not None:
        what.append(ntext("exactly {n} row", "exactly {n} rows", check.rows))
    if check.min_rows is not None:
        what.append(ntext("at least {n} row", "at least {n} rows", check.min_rows))
    return text("{file} has {what}", file=file, what=tuple(what))


def _value_label(check: Check) -> Text:
    value = figure_text(check.value) if check.value is not None else "–"
    command = check.command or ""
    if not check.tolerance:
        return text("“{command}” prints {value} again", command=command, value=value)
    return text(
        "“{command}” prints {value} again, ± {tolerance}",
        command=command,
        value=value,
        tolerance=figure_text(check.tolerance),
    )


def _ids_label(check: Check) -> Text:
    if check.file is None:
        return text("The expected ids are there")
    if check.match == "superset":
        return text("{file} holds at least the expected ids", file=check.file)
    if check.corpus is None:
        return text("{file} holds the expected ids", file=check.file)
    return text("{file} holds the ids of corpus {corpus}", file=check.file, corpus=check.corpus)
