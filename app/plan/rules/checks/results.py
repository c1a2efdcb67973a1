"""Whether the decision rule, corpora, lots, stop rules and announced checks say enough."""

from __future__ import annotations

from collections.abc import Iterator

from app.plan.rules.checks.announced import check_problems
from app.plan.rules.checks.stopping import stop_rule_problems
from app.plan.rules.document import Path, Problem
from app.plan.rules.model import Plan
from app.texts import text


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
            yield from check_problems(("deliverables", index, "checks", at), check)


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
