"""The lists of a plan beside its steps, as its page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.plan.queries import PlanView
from app.plan.rules.model import Deliverable, Plan
from app.plan.rules.registered import registered
from app.plan.rules.words import check_said, lot_said, stop_rule_said
from app.texts import Text, text


@dataclass(frozen=True, slots=True)
class Named:
    """One thing of a list beside the steps, with what it says in short pieces."""

    id: str
    title: str
    said: tuple[Text, ...]
    starts_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One of the lists beside the steps."""

    slug: str
    title: Text
    items: tuple[Named, ...]
    missing: Text
    edit_href: str | None


def late_rules(view: PlanView, versions: Sequence[PlanView]) -> dict[str, Text]:
    """The label of each stop rule that was written down after something had run."""
    sealed = [
        (one.version, one.plan, one.knowledge)
        for one in versions
        if one.version <= view.version and one.knowledge is not None
    ]
    return {one.rule: one.said for one in registered(sealed) if one.said is not None}


def parts_of(
    view: PlanView, campaign_id: str, editable: bool, late: Mapping[str, Text]
) -> tuple[Part, ...]:
    """The lists beside the steps, each with what stands in it."""
    plan = view.plan

    def part(slug: str, title: Text, missing: Text, items: Sequence[Named]) -> Part:
        here = f"/campaigns/{campaign_id}"
        edit = f"{here}/edit" if slug == "deliverables" else f"{here}/plan/edit/{slug}"
        return Part(slug, title, tuple(items), missing, edit if editable else None)

    return (
        part("lots", text("Lots"), text("No lot is planned."), _lots(view)),
        part("stop-rules", text("Stop rules"), text("No stop rule is written down."), [
            Named(rule.id, rule.id, (*stop_rule_said(rule), *_label(late, rule.id)))
            for rule in plan.stop_rules
        ]),
        part("decision-points", text("Decision points"), text("No decision point is planned."),
             _points(plan)),
        part("deliverables", text("Deliverables"), text("No deliverable is announced."), [
            Named(one.id, one.title, _checks(one)) for one in plan.deliverables
        ]),
        part("corpora", text("Corpora"), text("No corpus is named."), [
            Named(one.id, one.id, _corpus(one.revision, one.rows, one.sha256))
            for one in plan.corpora
        ]),
        part("uncertainties", text("Uncertainties"), text("No uncertainty is written down."), [
            Named(one.id, one.text, ()) for one in plan.uncertainties
        ]),
    )  # fmt: skip


def _label(late: Mapping[str, Text], rule: str) -> tuple[Text, ...]:
    return (late[rule],) if rule in late else ()


def _lots(view: PlanView) -> list[Named]:
    known = {lot.id: lot for lot in view.windows}
    return [
        Named(lot.id, lot.offer or lot.id, lot_said(known[lot.id]), lot.starts_at)
        if lot.id in known
        else Named(lot.id, lot.offer or lot.id, (text("not known to the catalogue"),))
        for lot in view.plan.lots
    ]


def _points(plan: Plan) -> list[Named]:
    standing = {point.step: point.standing for point in plan.decision_points}
    return [
        Named(
            step.id,
            step.title,
            (text("{standing}", standing=standing[step.id]),)
            if standing.get(step.id)
            else (text("A person decides."),),
        )
        for step in plan.steps
        if step.kind == "decision_point"
    ]


def _checks(deliverable: Deliverable) -> tuple[Text, ...]:
    if not deliverable.checks:
        return (text("no check is announced"),)
    return tuple(check_said(check) for check in deliverable.checks)


def _corpus(revision: str | None, rows: int | None, sha256: str | None) -> tuple[Text, ...]:
    said = []
    if revision:
        said.append(text("revision {revision}", revision=revision))
    if rows is not None:
        said.append(text("{n} rows", n=rows))
    said.append(text("SHA-256 {start}…", start=sha256[:12]) if sha256 else text("no SHA-256"))
    return tuple(said)
