"""Whether the decision rule, corpora, lots, stop rules and announced checks say enough."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from app.plan.rules.checks.stopping import stop_rule_problems
from app.plan.rules.document import Path, Problem
from app.plan.rules.model import Check, CheckKind, Plan
from app.texts import text

KEYS_OF_CHECK: dict[CheckKind, tuple[str, ...]] = {
    CheckKind.NON_EMPTY: ("file", "except"),
    CheckKind.EXPECTED_IDS: ("corpus", "ids", "file", "column"),
    CheckKind.NO_TEMPORARY_PATHS: ("except",),
    CheckKind.BASE_REVISION: (),
    CheckKind.RELOAD: ("command", "keep_env"),
}
"""What a check may say beside its kind; anything else would be without effect."""


def result_problems(plan: Plan) -> Iterator[Problem]:
    """What keeps a plan from being judged by what it announces."""
    yield from _decision_rule(plan)
    for index, corpus in enumerate(plan.corpora):
        ids, rows = corpus.ids, corpus.rows
        if ids is not None and rows is not None and len(ids) != rows:
            message = text("{rows} rows but {ids} ids; they must agree.", rows=rows, ids=len(ids))
            yield Problem(("corpora", index, "rows"), message, rows)
    for index, lot in enumerate(plan.lots):
        for key, value in (("gpus", lot.gpus), ("hours", lot.hours)):
            if lot.offer is None and value is None:
                message = text("Without an offer a lot states its own {key}.", key=key)
                yield Problem(("lots", index, key), message)
    for index, rule in enumerate(plan.stop_rules):
        yield from stop_rule_problems(("stop_rules", index), rule, plan)
    for index, deliverable in enumerate(plan.deliverables):
        for at, check in enumerate(deliverable.checks):
            yield from _check(("deliverables", index, "checks", at), check)


def _decision_rule(plan: Plan) -> Iterator[Problem]:
    rule = plan.decision_rule
    if rule.threshold is None and rule.gain_over_control is None:
        message = text(
            'Missing: write threshold = "0.82", or gain_over_control = "0.02" for a difference.'
        )
        yield Problem(("decision_rule", "threshold"), message)
    if rule.threshold is not None and rule.gain_over_control is not None:
        message = text("The rule states both threshold and gain_over_control; keep one of them.")
        path: Path = ("decision_rule", "gain_over_control")
        yield Problem(path, message, rule.gain_over_control)


def _check(path: Path, check: Check) -> Iterator[Problem]:
    if check.kind is CheckKind.EXPECTED_IDS and check.corpus is None and not check.ids:
        message = text("Which ids are expected? Name a corpus, or list them in ids.")
        yield Problem((*path, "corpus"), message)
    if check.kind is CheckKind.EXPECTED_IDS and check.file is None:
        message = text('Missing: write file = "predictions.csv", where the ids are looked for.')
        yield Problem((*path, "file"), message)
    if check.kind is CheckKind.RELOAD and check.command is None:
        message = text('Missing: write command = "python reload.py", which must exit with 0.')
        yield Problem((*path, "command"), message)
    said = {
        "corpus": check.corpus, "ids": check.ids, "file": check.file, "column": check.column,
        "except": check.except_, "command": check.command, "keep_env": check.keep_env,
    }  # fmt: skip
    for key, value in said.items():
        if value not in (None, ()) and key not in KEYS_OF_CHECK[check.kind]:
            message = text("{key} has no effect on a {kind} check.", key=key, kind=str(check.kind))
            yield Problem((*path, key), message, value)
    if check.file is not None and _leads_out(check.file):
        message = text("“{file}” must lie inside the output folder.", file=check.file)
        yield Problem((*path, "file"), message, check.file)


def _leads_out(file: str) -> bool:
    """Whether a path leaves the folder that it is counted from."""
    return file.startswith("/") or ".." in PurePosixPath(file.replace("\\", "/")).parts
